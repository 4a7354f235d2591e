-- What people say of themselves, and what their profiles count.

ALTER TABLE users ADD COLUMN bio text NOT NULL DEFAULT '';  -- of several lines; empty: nothing (USR-06)

-- What others see of a person (USR-09): published, public events that are not hidden, followers, and followed people. Triggers keep
-- the counts, as those of notifications; plaza check repairs them.
--
-- Locks are taken in one order: the event or the subscription, then profile_counts by owner, then notifications and their counts. The
-- triggers of what goes with a deleted row follow those of the row.
CREATE TABLE profile_counts (
    owner_id  bigint PRIMARY KEY REFERENCES users (id),
    events    bigint NOT NULL DEFAULT 0,
    followers bigint NOT NULL DEFAULT 0,
    followed  bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);

CREATE FUNCTION count_follows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO profile_counts AS c (owner_id, followers, followed)
        SELECT s.owner_id, sum(s.followers), sum(s.followed) FROM (
            SELECT followed_id AS owner_id, more AS followers, 0 AS followed FROM changed WHERE followed_id IS NOT NULL
            UNION ALL SELECT user_id, 0, more FROM changed WHERE followed_id IS NOT NULL) s
        GROUP BY s.owner_id ORDER BY s.owner_id
        ON CONFLICT (owner_id) DO UPDATE SET followers = c.followers + EXCLUDED.followers, followed = c.followed + EXCLUDED.followed;
    RETURN NULL;
END $$;
CREATE TRIGGER follows_counted AFTER INSERT ON subscriptions REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_follows();
CREATE TRIGGER follows_discounted AFTER DELETE ON subscriptions REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_follows();

CREATE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    more bigint := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
    INSERT INTO profile_counts AS c (owner_id, events)
        SELECT author_id, sum(more) FROM changed WHERE status = 100 AND permission = 0 AND NOT hidden
        GROUP BY author_id ORDER BY author_id
        ON CONFLICT (owner_id) DO UPDATE SET events = c.events + EXCLUDED.events;
    RETURN NULL;
END $$;
CREATE TRIGGER events_counted AFTER INSERT ON events REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_events();
CREATE TRIGGER events_discounted AFTER DELETE ON events REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_events();

CREATE FUNCTION count_changed_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO profile_counts AS c (owner_id, events)
        VALUES (NEW.author_id, CASE WHEN NEW.status = 100 AND NEW.permission = 0 AND NOT NEW.hidden THEN 1 ELSE -1 END)
        ON CONFLICT (owner_id) DO UPDATE SET events = c.events + EXCLUDED.events;
    RETURN NULL;
END $$;
CREATE TRIGGER events_recounted AFTER UPDATE OF status, permission, hidden ON events FOR EACH ROW
    WHEN ((OLD.status = 100 AND OLD.permission = 0 AND NOT OLD.hidden) <> (NEW.status = 100 AND NEW.permission = 0 AND NOT NEW.hidden))
    EXECUTE FUNCTION count_changed_event();

INSERT INTO profile_counts (owner_id, events, followers, followed)
    SELECT c.owner_id, sum(c.events), sum(c.followers), sum(c.followed) FROM (
        SELECT author_id AS owner_id, 1 AS events, 0 AS followers, 0 AS followed FROM events
            WHERE status = 100 AND permission = 0 AND NOT hidden
        UNION ALL SELECT followed_id, 0, 1, 0 FROM subscriptions WHERE followed_id IS NOT NULL
        UNION ALL SELECT user_id, 0, 0, 1 FROM subscriptions WHERE followed_id IS NOT NULL) c
    GROUP BY c.owner_id;
