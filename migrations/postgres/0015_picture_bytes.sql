-- The bytes of plates, images and avatars, for the quota of bytes. Pictures that were stored
-- before this step, or by an older program, have no row and do not count.
CREATE TABLE pictures (
    key      text COLLATE "C" PRIMARY KEY,  -- of an avatar: that of its largest size, with the bytes of all
    owner_id bigint NOT NULL REFERENCES users (id),
    bytes    bigint NOT NULL CHECK (bytes > 0)
);
CREATE INDEX pictures_of_owner ON pictures (owner_id) INCLUDE (bytes);

-- A wrong sum must not stop a deletion, so it may be negative. plaza check repairs it.
CREATE TABLE picture_totals (
    owner_id bigint PRIMARY KEY REFERENCES users (id),
    bytes    bigint NOT NULL
) WITH (fillfactor = 70);

-- Every deleted picture is queued here, whichever program or cascade deletes it.
CREATE FUNCTION give_back_picture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH gone AS (DELETE FROM pictures WHERE key = NEW.key RETURNING owner_id, bytes)
        UPDATE picture_totals t SET bytes = t.bytes - gone.bytes FROM gone WHERE t.owner_id = gone.owner_id;
    RETURN NULL;
END $$;
CREATE TRIGGER pictures_given_back AFTER INSERT ON discards FOR EACH ROW EXECUTE FUNCTION give_back_picture();
