-- Images that staff have hidden (MOD-03). Such an image counts as deleted for every query that leaves out deleted ones, so that
-- an older program does not show it either; but its owner may not delete it there.
ALTER TABLE images ADD COLUMN hidden integer NOT NULL DEFAULT false CHECK (NOT hidden OR deleted IS NOT NULL);

-- As in 0004, but the files of a hidden image stay until it is deleted, and what is under a former key goes.
DROP TRIGGER images_discarded;
CREATE TRIGGER images_discarded AFTER UPDATE ON images
    WHEN OLD.key <> NEW.key OR (OLD.deleted IS NULL OR OLD.hidden) AND NEW.deleted IS NOT NULL AND NOT NEW.hidden
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.key, 0) ON CONFLICT (key) DO NOTHING;
END;
CREATE TRIGGER images_hidden AFTER UPDATE ON images WHEN OLD.hidden AND NOT NEW.hidden AND NEW.deleted IS NOT NULL
BEGIN
    DELETE FROM hidden_things WHERE kind = 'image' AND object_id = OLD.id;
END;
