-- Comments are edited, and reply to others (EVT-26). Who is replied to is told of it, and a payer of a paid order (NTF-03).

ALTER TABLE comments ADD COLUMN edited integer;    -- when its content last changed; NULL: never
ALTER TABLE comments ADD COLUMN reply_to integer;  -- a comment on the same event, which may be gone: without a reference, as in Postgres

DROP TRIGGER notifications_of_comments;
DROP TRIGGER notifications_of_likes;
DROP TRIGGER notifications_of_subscriptions;
DROP TRIGGER notifications_kept;

CREATE TABLE new_notifications (
    id        integer PRIMARY KEY AUTOINCREMENT,
    owner_id  integer NOT NULL,
    kind      text    NOT NULL CHECK (kind IN ('comment', 'reply', 'like', 'follow', 'hidden', 'restored',
        'report_decided', 'order_paid')),
    actor_id  integer,  -- NULL: staff, or the wallet
    object_id integer NOT NULL,  -- the comment, the liked event, the followed user, or what staff did something with
    created   integer NOT NULL,
    expires   integer NOT NULL,
    withdrawn integer NOT NULL DEFAULT false,  -- its like was taken back, and may come again
    about     text,  -- the kind of what no person did something with
    note      text,  -- the reason, or the outcome of a report
    UNIQUE (actor_id, kind, object_id),
    CHECK ((actor_id IS NULL) = (about IS NOT NULL AND note IS NOT NULL))
) STRICT;
INSERT INTO new_notifications (id, owner_id, kind, actor_id, object_id, created, expires, withdrawn, about, note)
    SELECT id, owner_id, kind, actor_id, object_id, created, expires, withdrawn, about, note FROM notifications;
DROP TABLE notifications;
ALTER TABLE new_notifications RENAME TO notifications;
CREATE INDEX notifications_of_owner ON notifications (owner_id, withdrawn, id);
CREATE INDEX notifications_by_age ON notifications (expires);

-- The triggers are as they were, but for replies.
CREATE TRIGGER notifications_again BEFORE INSERT ON notifications WHEN NEW.kind = 'like'
BEGIN
    DELETE FROM notifications
        WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id AND expires <= NEW.created;
    UPDATE notifications SET withdrawn = false, expires = created + (NEW.expires - NEW.created)
        WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id;
    SELECT RAISE(IGNORE) FROM notifications
        WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id;
END;

CREATE TRIGGER notifications_of_comments AFTER DELETE ON comments
BEGIN
    DELETE FROM notifications WHERE actor_id = OLD.author_id AND kind IN ('comment', 'reply') AND object_id = OLD.id;
END;

CREATE TRIGGER notifications_of_likes AFTER DELETE ON likes
BEGIN
    DELETE FROM notifications WHERE actor_id = OLD.user_id AND kind = 'like' AND object_id = OLD.event_id AND NOT withdrawn;
END;

CREATE TRIGGER notifications_of_subscriptions AFTER DELETE ON subscriptions
BEGIN
    DELETE FROM notifications WHERE actor_id = OLD.user_id AND kind = 'follow' AND object_id = OLD.followed_id;
END;

CREATE TRIGGER notifications_blocked BEFORE INSERT ON notifications
BEGIN
    SELECT RAISE(IGNORE) FROM blocks WHERE user_id = NEW.owner_id AND other_id = NEW.actor_id;
END;

CREATE TRIGGER notifications_counted AFTER INSERT ON notifications
BEGIN
    INSERT INTO notification_counts (owner_id, total, unread) VALUES (NEW.owner_id, 1, 1)
        ON CONFLICT (owner_id) DO UPDATE SET total = total + 1, unread = unread + 1;
END;

CREATE TRIGGER notifications_kept AFTER UPDATE OF total ON notification_counts WHEN NEW.total > 1000 AND NEW.total > OLD.total
BEGIN
    DELETE FROM notifications WHERE id IN (SELECT n.id FROM notifications n WHERE n.owner_id = NEW.owner_id AND n.withdrawn = false
        ORDER BY n.id LIMIT NEW.total - 950);
END;

CREATE TRIGGER notifications_withdrawn AFTER UPDATE OF withdrawn ON notifications WHEN OLD.withdrawn <> NEW.withdrawn
BEGIN
    UPDATE notification_counts SET total = total + OLD.withdrawn - NEW.withdrawn,
        unread = unread + (NEW.id > read_up_to) * (OLD.withdrawn - NEW.withdrawn) WHERE owner_id = NEW.owner_id;
END;

CREATE TRIGGER notifications_removed AFTER DELETE ON notifications WHEN NOT OLD.withdrawn
BEGIN
    UPDATE notification_counts SET total = total - 1, unread = unread - (OLD.id > read_up_to) WHERE owner_id = OLD.owner_id;
END;

-- Notifications of replies on events that their owners may not see (EVT-08): they are neither listed nor counted.
CREATE VIEW unseen_replies AS
SELECT n.owner_id, n.id
FROM notifications n JOIN comments c ON c.id = n.object_id JOIN events e ON e.id = c.event_id
WHERE n.kind = 'reply' AND NOT n.withdrawn AND (e.status <> 100 OR e.hidden
    OR NOT (e.permission = 0 OR e.permission = 100
        AND EXISTS (SELECT 1 FROM contacts k WHERE k.user_id = n.owner_id AND k.contact_id = e.author_id))
    OR EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = n.owner_id AND b.other_id = e.author_id));
