-- Who wants to be left alone by whom (MOD-02). Two rows stand for a block, one for each direction, so that one probe with the
-- ids in either order tells a reader of it. A row refers to its counterpart, so neither is there without the other.
CREATE TABLE blocks (
    user_id    integer NOT NULL REFERENCES users (id),
    other_id   integer NOT NULL,
    is_by_user integer NOT NULL,  -- the user blocks the other one; one of both rows says so, or both
    created    integer NOT NULL,
    PRIMARY KEY (user_id, other_id),
    FOREIGN KEY (other_id, user_id) REFERENCES blocks (user_id, other_id) ON DELETE CASCADE,
    CHECK (user_id <> other_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX blocks_by_user ON blocks (user_id, created DESC, other_id DESC) WHERE is_by_user;

-- What a user does makes no notification for another one while a block stands between them.
CREATE TRIGGER notifications_blocked BEFORE INSERT ON notifications
BEGIN
    SELECT RAISE(IGNORE) FROM blocks WHERE user_id = NEW.owner_id AND other_id = NEW.actor_id;
END;
