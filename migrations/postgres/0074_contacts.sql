-- minimum: 0074
-- Contacts: users who follow each other (EVT-08), a row for each direction. Triggers keep it equal to the subscriptions. Of two
-- users who follow each other at once, the later one waits for the lock of the pair that the store takes, and sees the other.
CREATE TABLE contacts (
    user_id    bigint NOT NULL REFERENCES users (id),
    contact_id bigint NOT NULL REFERENCES users (id),
    PRIMARY KEY (user_id, contact_id)
);
INSERT INTO contacts (user_id, contact_id)
    SELECT s.user_id, s.followed_id FROM subscriptions s
    JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id;

CREATE FUNCTION add_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The lock waits for a transaction that is deleting the row.
    PERFORM FROM subscriptions WHERE user_id = NEW.followed_id AND followed_id = NEW.user_id FOR KEY SHARE;
    IF FOUND THEN
        INSERT INTO contacts (user_id, contact_id) VALUES (NEW.user_id, NEW.followed_id), (NEW.followed_id, NEW.user_id)
            ON CONFLICT DO NOTHING; -- both may come with one statement
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_added AFTER INSERT ON subscriptions FOR EACH ROW
    WHEN (NEW.followed_id IS NOT NULL) EXECUTE FUNCTION add_contacts();

CREATE FUNCTION remove_contacts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM contacts WHERE user_id = OLD.user_id AND contact_id = OLD.followed_id;
    DELETE FROM contacts WHERE user_id = OLD.followed_id AND contact_id = OLD.user_id;
    RETURN NULL;
END $$;
CREATE TRIGGER contacts_removed AFTER DELETE ON subscriptions FOR EACH ROW
    WHEN (OLD.followed_id IS NOT NULL) EXECUTE FUNCTION remove_contacts();

-- Events of a day are found by their author, or by being public. News are read with them.
DROP INDEX events_of_day;
DROP INDEX events_of_day_hidden;
DROP TRIGGER news_changed ON news;
DROP FUNCTION raise_news_version();
DROP TABLE news_version;
