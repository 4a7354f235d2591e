-- Images that staff have hidden (MOD-03). Such an image counts as deleted for every query that leaves out deleted ones, so that
-- an older program does not show it either; but its owner may not delete it there. Stored rows are not checked now: that would
-- lock the table for as long as it takes.
ALTER TABLE images ADD COLUMN hidden boolean NOT NULL DEFAULT false;
ALTER TABLE images ADD CONSTRAINT images_hidden_check CHECK (NOT hidden OR deleted IS NOT NULL) NOT VALID;

-- As in 0004, but the files of a hidden image stay until it is deleted, and what is under a former key goes.
DROP TRIGGER images_discarded ON images;
CREATE TRIGGER images_discarded AFTER UPDATE ON images FOR EACH ROW
    WHEN (OLD.key <> NEW.key OR (OLD.deleted IS NULL OR OLD.hidden) AND NEW.deleted IS NOT NULL AND NOT NEW.hidden)
    EXECUTE FUNCTION discard_image();

CREATE FUNCTION remove_hidden_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM hidden_things WHERE kind = 'image' AND object_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER images_hidden AFTER UPDATE ON images FOR EACH ROW
    WHEN (OLD.hidden AND NOT NEW.hidden AND NEW.deleted IS NOT NULL) EXECUTE FUNCTION remove_hidden_image();
