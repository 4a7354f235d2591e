-- The bytes of plates, images and avatars, for the quota of bytes. Pictures that were stored
-- before this step, or by an older program, have no row and do not count.
CREATE TABLE pictures (
    key      text PRIMARY KEY,  -- of an avatar: that of its largest size, with the bytes of all
    owner_id integer NOT NULL REFERENCES users (id),
    bytes    integer NOT NULL CHECK (bytes > 0)
) STRICT;
CREATE INDEX pictures_of_owner ON pictures (owner_id, bytes);

-- A wrong sum must not stop a deletion, so it may be negative. plaza check repairs it.
CREATE TABLE picture_totals (
    owner_id integer PRIMARY KEY REFERENCES users (id),
    bytes    integer NOT NULL
) STRICT;

-- Every deleted picture is queued here, whichever program or cascade deletes it.
CREATE TRIGGER pictures_given_back AFTER INSERT ON discards
BEGIN
    UPDATE picture_totals SET bytes = bytes - (SELECT p.bytes FROM pictures p WHERE p.key = NEW.key)
        WHERE owner_id = (SELECT p.owner_id FROM pictures p WHERE p.key = NEW.key);
    DELETE FROM pictures WHERE key = NEW.key;
END;
