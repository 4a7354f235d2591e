-- Pictures of people, and what becomes of pictures that nobody shows any more.

ALTER TABLE users ADD COLUMN avatar jsonb;  -- NULL: the one that is drawn

-- Covers have a size of their own now. What was remembered has none, and is forgotten.
DROP TABLE import_covers;
CREATE TABLE import_covers (
    digest  bytea NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    picture jsonb NOT NULL
);

-- Keys of pictures whose files are to be removed. Whatever deletes what shows a picture puts
-- its key here in the same step, however it goes about it.
CREATE TABLE discards (
    key text COLLATE "C" PRIMARY KEY,
    due timestamptz NOT NULL  -- when somebody may try next
);
CREATE INDEX discards_due ON discards (due, key);

CREATE FUNCTION discard_plate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.photo, 'epoch') ON CONFLICT (key) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER plates_discarded AFTER DELETE ON plates FOR EACH ROW EXECUTE FUNCTION discard_plate();

CREATE FUNCTION discard_image() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.key, 'epoch') ON CONFLICT (key) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER images_discarded AFTER UPDATE ON images FOR EACH ROW
    WHEN (OLD.deleted IS NULL AND NEW.deleted IS NOT NULL) EXECUTE FUNCTION discard_image();

CREATE FUNCTION discard_avatar() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO discards (key, due)
        SELECT DISTINCT k #>> '{}', 'epoch'::timestamptz FROM jsonb_path_query(OLD.avatar, '$.**.key') AS k
        ON CONFLICT (key) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER avatars_discarded AFTER UPDATE OF avatar ON users FOR EACH ROW
    WHEN (OLD.avatar IS DISTINCT FROM NEW.avatar AND OLD.avatar IS NOT NULL) EXECUTE FUNCTION discard_avatar();
