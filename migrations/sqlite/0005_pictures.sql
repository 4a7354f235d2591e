-- Images of people, the bytes of all pictures, and pictures whose files are to be removed.

CREATE TABLE images (
    id       integer PRIMARY KEY AUTOINCREMENT,
    owner_id integer NOT NULL REFERENCES users (id),
    key      text    NOT NULL,
    width    integer NOT NULL,
    height   integer NOT NULL,
    tags     text    NOT NULL,
    created  integer NOT NULL,
    deleted  integer,
    revision integer NOT NULL DEFAULT 0,
    hidden   integer NOT NULL DEFAULT false  -- staff have hidden it (MOD-03)
) STRICT;
CREATE INDEX images_of_owner ON images (owner_id, created DESC, id DESC) WHERE deleted IS NULL AND NOT hidden;
-- For an export or an erasure: the others have an index of their own.
CREATE INDEX images_deleted ON images (owner_id, id) WHERE deleted IS NOT NULL OR hidden;

CREATE TABLE image_counts (owner_id integer PRIMARY KEY REFERENCES users (id), kept integer NOT NULL CHECK (kept >= 0)) STRICT;

-- The bytes of plates, images and avatars, for the quota of bytes.
CREATE TABLE pictures (
    key      text    PRIMARY KEY,  -- of an avatar: that of its largest size, with the bytes of all
    owner_id integer NOT NULL REFERENCES users (id),
    bytes    integer NOT NULL CHECK (bytes > 0)  -- with those of its sizes
) STRICT;
CREATE INDEX pictures_of_owner ON pictures (owner_id, bytes);

-- A wrong sum must not stop a deletion, so it may be negative. plaza check repairs it.
CREATE TABLE picture_totals (owner_id integer PRIMARY KEY REFERENCES users (id), bytes integer NOT NULL) STRICT;

-- Keys of pictures whose files are to be removed. Triggers put the key of every picture here that is no longer shown.
CREATE TABLE discards (
    key text    PRIMARY KEY,
    due integer NOT NULL  -- when somebody may try next
) STRICT;
CREATE INDEX discards_due ON discards (due, key);

CREATE TRIGGER plates_discarded AFTER DELETE ON plates
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.photo, 0) ON CONFLICT (key) DO NOTHING;
END;

CREATE TRIGGER avatars_discarded AFTER UPDATE OF avatar ON users WHEN OLD.avatar IS NOT NEW.avatar AND OLD.avatar IS NOT NULL
BEGIN
    INSERT INTO discards (key, due)
        SELECT DISTINCT value, 0 FROM json_tree(OLD.avatar) WHERE key = 'key'
        ON CONFLICT (key) DO NOTHING;
END;

CREATE TRIGGER pictures_given_back AFTER INSERT ON discards
BEGIN
    UPDATE picture_totals SET bytes = bytes - (SELECT p.bytes FROM pictures p WHERE p.key = NEW.key)
        WHERE owner_id = (SELECT p.owner_id FROM pictures p WHERE p.key = NEW.key);
    DELETE FROM pictures WHERE key = NEW.key;
END;

CREATE TRIGGER images_discarded AFTER UPDATE ON images WHEN OLD.key <> NEW.key OR OLD.deleted IS NULL AND NEW.deleted IS NOT NULL
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.key, 0) ON CONFLICT (key) DO NOTHING;
END;
