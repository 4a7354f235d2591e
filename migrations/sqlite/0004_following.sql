-- Who follows, blocks and is told of whom.

CREATE TABLE subscriptions (
    id          integer PRIMARY KEY AUTOINCREMENT,
    user_id     integer NOT NULL REFERENCES users (id),
    followed_id integer REFERENCES users (id),
    category_id integer REFERENCES categories (id),
    created     integer NOT NULL,
    updated     integer NOT NULL,
    CHECK ((followed_id IS NULL) <> (category_id IS NULL)),
    UNIQUE (user_id, followed_id),
    UNIQUE (user_id, category_id)
) STRICT;
CREATE INDEX subscriptions_of_user ON subscriptions (user_id, created DESC, id DESC);
CREATE INDEX subscriptions_followers ON subscriptions (followed_id, created DESC, id DESC);

-- Contacts: users who follow each other (EVT-08), a row for each direction. Triggers keep it equal to the subscriptions. Of two
-- users who follow each other at once, the later one waits for the lock of the pair that the store takes, and sees the other.
CREATE TABLE contacts (
    user_id    integer NOT NULL REFERENCES users (id),
    contact_id integer NOT NULL REFERENCES users (id),
    PRIMARY KEY (user_id, contact_id)
) WITHOUT ROWID, STRICT;

CREATE TRIGGER contacts_added AFTER INSERT ON subscriptions
    WHEN EXISTS (SELECT 1 FROM subscriptions WHERE user_id = NEW.followed_id AND followed_id = NEW.user_id)
BEGIN
    INSERT OR IGNORE INTO contacts (user_id, contact_id) VALUES (NEW.user_id, NEW.followed_id), (NEW.followed_id, NEW.user_id);
END;

CREATE TRIGGER contacts_removed AFTER DELETE ON subscriptions WHEN OLD.followed_id IS NOT NULL
BEGIN
    DELETE FROM contacts WHERE user_id = OLD.user_id AND contact_id = OLD.followed_id;
    DELETE FROM contacts WHERE user_id = OLD.followed_id AND contact_id = OLD.user_id;
END;

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

-- What others see of a person (USR-09): published, public events that are not hidden, followers, and followed people. Triggers keep
-- the counts, as those of notifications; plaza check repairs them.
CREATE TABLE profile_counts (
    owner_id  integer PRIMARY KEY REFERENCES users (id),
    events    integer NOT NULL DEFAULT 0,
    followers integer NOT NULL DEFAULT 0,
    followed  integer NOT NULL DEFAULT 0
) STRICT;

CREATE TRIGGER follows_counted AFTER INSERT ON subscriptions WHEN NEW.followed_id IS NOT NULL
BEGIN
    INSERT INTO profile_counts (owner_id, followers, followed) VALUES (NEW.followed_id, 1, 0), (NEW.user_id, 0, 1)
        ON CONFLICT (owner_id) DO UPDATE SET followers = followers + EXCLUDED.followers, followed = followed + EXCLUDED.followed;
END;

CREATE TRIGGER follows_discounted AFTER DELETE ON subscriptions WHEN OLD.followed_id IS NOT NULL
BEGIN
    UPDATE profile_counts SET followers = followers - 1 WHERE owner_id = OLD.followed_id;
    UPDATE profile_counts SET followed = followed - 1 WHERE owner_id = OLD.user_id;
END;

CREATE TRIGGER events_counted AFTER INSERT ON events WHEN NEW.status = 100 AND NEW.permission = 0 AND NOT NEW.hidden
BEGIN
    INSERT INTO profile_counts (owner_id, events) VALUES (NEW.author_id, 1)
        ON CONFLICT (owner_id) DO UPDATE SET events = events + 1;
END;

CREATE TRIGGER events_recounted AFTER UPDATE OF status, permission, hidden ON events
    WHEN (OLD.status = 100 AND OLD.permission = 0 AND NOT OLD.hidden) <> (NEW.status = 100 AND NEW.permission = 0 AND NOT NEW.hidden)
BEGIN
    INSERT INTO profile_counts (owner_id, events)
        VALUES (NEW.author_id, CASE WHEN NEW.status = 100 AND NEW.permission = 0 AND NOT NEW.hidden THEN 1 ELSE -1 END)
        ON CONFLICT (owner_id) DO UPDATE SET events = events + EXCLUDED.events;
END;

CREATE TRIGGER events_discounted AFTER DELETE ON events WHEN OLD.status = 100 AND OLD.permission = 0 AND NOT OLD.hidden
BEGIN
    UPDATE profile_counts SET events = events - 1 WHERE owner_id = OLD.author_id;
END;

-- What others, and staff, did that concerns a user (NTF-01, NTF-03). A row is written together with the comment, the like or the subscription
-- that it tells of, and goes with it. That one has references to users and events, so these columns have none: checking
-- them again would cost every comment and like.
CREATE TABLE notifications (
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
    note      text,  -- the reason of staff, or the outcome of a report
    UNIQUE (actor_id, kind, object_id),
    CHECK ((actor_id IS NULL) = (about IS NOT NULL AND note IS NOT NULL))
) STRICT;
CREATE INDEX notifications_of_owner ON notifications (owner_id, withdrawn, id);
CREATE INDEX notifications_by_age ON notifications (expires);
-- The notifications of replies to a person, which are few.
CREATE INDEX notifications_of_replies ON notifications (owner_id, id) WHERE kind = 'reply' AND NOT withdrawn;

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

-- How many notifications of a user there are and are unread, without withdrawn ones. Those up to an id are read.
-- Triggers keep the counts, so that nothing that removes a notification forgets them. A wrong count must not stop a
-- deletion, so it may be negative. plaza check repairs it.
--
-- Locks are taken in one order: event_counts or the subscription, then notifications, then notification_counts by owner.
CREATE TABLE notification_counts (
    owner_id   integer PRIMARY KEY REFERENCES users (id),
    total      integer NOT NULL DEFAULT 0,
    unread     integer NOT NULL DEFAULT 0,
    read_up_to integer NOT NULL DEFAULT 0,
    changes    integer NOT NULL DEFAULT 1  -- a greater number after each change of the counts, for streams (NTF-04)
) STRICT;

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

CREATE TRIGGER notification_counts_numbered AFTER UPDATE OF total, unread, read_up_to ON notification_counts
BEGIN
    UPDATE notification_counts SET changes = changes + 1 WHERE owner_id = NEW.owner_id;
END;

-- The places of open streams. The server that has one renews it; that of a server that was killed ends.
CREATE TABLE streams (
    id       integer PRIMARY KEY AUTOINCREMENT,
    owner_id integer NOT NULL REFERENCES users (id),
    until    integer NOT NULL
) STRICT;
CREATE INDEX streams_of_owner ON streams (owner_id);
CREATE INDEX streams_by_end ON streams (until);
