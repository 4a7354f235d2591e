-- Pictures of people, and what becomes of pictures that nobody shows any more.

ALTER TABLE users ADD COLUMN avatar text;  -- NULL: the one that is drawn

-- Covers have a size of their own now. What was remembered has none, and is forgotten.
DROP TABLE import_covers;
CREATE TABLE import_covers (
    digest  blob NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    picture text NOT NULL
) STRICT;

-- Keys of pictures whose files are to be removed. Whatever deletes what shows a picture puts
-- its key here in the same step, however it goes about it.
CREATE TABLE discards (
    key text PRIMARY KEY,
    due integer NOT NULL  -- when somebody may try next
) STRICT;
CREATE INDEX discards_due ON discards (due, key);

CREATE TRIGGER plates_discarded AFTER DELETE ON plates
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.photo, 0) ON CONFLICT (key) DO NOTHING;
END;

CREATE TRIGGER images_discarded AFTER UPDATE ON images WHEN OLD.deleted IS NULL AND NEW.deleted IS NOT NULL
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.key, 0) ON CONFLICT (key) DO NOTHING;
END;

CREATE TRIGGER avatars_discarded AFTER UPDATE OF avatar ON users
    WHEN OLD.avatar IS NOT NEW.avatar AND OLD.avatar IS NOT NULL
BEGIN
    INSERT INTO discards (key, due)
        SELECT DISTINCT value, 0 FROM json_tree(OLD.avatar) WHERE key = 'key'
        ON CONFLICT (key) DO NOTHING;
END;
