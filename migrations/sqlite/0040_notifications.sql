-- What others did that concerns a user (NTF-01). A row is written together with the comment, the like or the subscription
-- that it tells of, and goes with it. That one has references to users and events, so these columns have none: checking
-- them again would cost every comment and like.
CREATE TABLE notifications (
    id        integer PRIMARY KEY AUTOINCREMENT,
    owner_id  integer NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('comment', 'like', 'follow')),
    actor_id  integer NOT NULL,
    object_id integer NOT NULL,  -- the comment, the liked event, the followed user
    created   integer NOT NULL,
    expires   integer NOT NULL,
    withdrawn integer NOT NULL DEFAULT false,  -- its like was taken back, and may come again
    UNIQUE (actor_id, kind, object_id)
) STRICT;
CREATE INDEX notifications_of_owner ON notifications (owner_id, withdrawn, id);
CREATE INDEX notifications_by_age ON notifications (expires);

-- How many notifications of a user there are and are unread, without withdrawn ones. Those up to an id are read.
-- Triggers keep the counts, so that nothing that removes a notification forgets them. A wrong count must not stop a
-- deletion, so it may be negative. plaza check repairs it.
CREATE TABLE notification_counts (
    owner_id   integer PRIMARY KEY REFERENCES users (id),
    total      integer NOT NULL DEFAULT 0,
    unread     integer NOT NULL DEFAULT 0,
    read_up_to integer NOT NULL DEFAULT 0
) STRICT;

-- A like that was taken back and is given again shows its former notification, unless that has expired.
CREATE TRIGGER notifications_again BEFORE INSERT ON notifications WHEN NEW.kind = 'like'
BEGIN
    DELETE FROM notifications
        WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id AND expires <= NEW.created;
    UPDATE notifications SET withdrawn = false, expires = created + (NEW.expires - NEW.created)
        WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id;
    SELECT RAISE(IGNORE) FROM notifications
        WHERE actor_id = NEW.actor_id AND kind = NEW.kind AND object_id = NEW.object_id;
END;

CREATE TRIGGER notifications_counted AFTER INSERT ON notifications
BEGIN
    INSERT INTO notification_counts (owner_id, total, unread) VALUES (NEW.owner_id, 1, 1)
        ON CONFLICT (owner_id) DO UPDATE SET total = total + 1, unread = unread + 1;
END;

-- Beyond a thousand, the oldest go, fifty at once: one at a time would cost each comment on an event of a popular author.
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
