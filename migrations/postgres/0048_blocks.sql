-- Who wants to be left alone by whom (MOD-02). Two rows stand for a block, one for each direction, so that one probe with the
-- ids in either order tells a reader of it. A row refers to its counterpart, so neither is there without the other.
CREATE TABLE blocks (
    user_id    bigint NOT NULL REFERENCES users (id),
    other_id   bigint NOT NULL,
    is_by_user boolean NOT NULL,  -- the user blocks the other one; one of both rows says so, or both
    created    timestamptz NOT NULL,
    PRIMARY KEY (user_id, other_id),
    FOREIGN KEY (other_id, user_id) REFERENCES blocks (user_id, other_id) ON DELETE CASCADE,
    CHECK (user_id <> other_id)
);
CREATE INDEX blocks_by_user ON blocks (user_id, created DESC, other_id DESC) WHERE is_by_user;

-- As in 0040, but what a user does makes no notification for another one while a block stands between them. The owner's row
-- is locked by then, as it is while a block is stored: so the one of the two that comes later knows of the other.
CREATE OR REPLACE FUNCTION count_new_notification() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    former notifications;
    kept   bigint;
BEGIN
    IF NEW.kind = 'like' THEN
        SELECT * INTO former FROM notifications
            WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id FOR UPDATE;
        IF FOUND AND former.expires > NEW.created THEN
            UPDATE notifications SET withdrawn = false, expires = former.created + (NEW.expires - NEW.created) WHERE id = former.id;
            RETURN NULL;
        ELSIF FOUND THEN
            DELETE FROM notifications WHERE id = former.id;
        END IF;
    END IF;
    INSERT INTO notification_counts AS c (owner_id, total, unread) VALUES (NEW.owner_id, 1, 1)
        ON CONFLICT (owner_id) DO UPDATE SET total = c.total + 1, unread = c.unread + 1
        RETURNING c.total INTO kept;
    PERFORM FROM blocks b WHERE b.user_id = NEW.owner_id AND b.other_id = NEW.actor_id;
    IF FOUND THEN
        UPDATE notification_counts SET total = total - 1, unread = unread - 1 WHERE owner_id = NEW.owner_id;
        RETURN NULL;
    END IF;
    NEW.id := nextval('notifications_id_seq');
    IF kept > 1000 THEN -- fifty go at once: one at a time would cost each comment on an event of a popular author
        DELETE FROM notifications WHERE id IN (SELECT n.id FROM notifications n
            WHERE n.owner_id = NEW.owner_id AND n.withdrawn = false ORDER BY n.id LIMIT kept - 950 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN NEW;
END $$;
