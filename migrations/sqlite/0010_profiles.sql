-- What people say of themselves, and what their profiles count.

ALTER TABLE users ADD COLUMN bio text NOT NULL DEFAULT '';  -- of several lines; empty: nothing (USR-06)

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

INSERT INTO profile_counts (owner_id, events, followers, followed)
    SELECT c.owner_id, sum(c.events), sum(c.followers), sum(c.followed) FROM (
        SELECT author_id AS owner_id, 1 AS events, 0 AS followers, 0 AS followed FROM events
            WHERE status = 100 AND permission = 0 AND NOT hidden
        UNION ALL SELECT followed_id, 0, 1, 0 FROM subscriptions WHERE followed_id IS NOT NULL
        UNION ALL SELECT user_id, 0, 0, 1 FROM subscriptions WHERE followed_id IS NOT NULL) c
    GROUP BY c.owner_id;
