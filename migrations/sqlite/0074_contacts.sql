-- minimum: 0074
-- Contacts: users who follow each other (EVT-08), a row for each direction. Triggers keep it equal to the subscriptions.
CREATE TABLE contacts (
    user_id    integer NOT NULL REFERENCES users (id),
    contact_id integer NOT NULL REFERENCES users (id),
    PRIMARY KEY (user_id, contact_id)
) WITHOUT ROWID, STRICT;
INSERT INTO contacts (user_id, contact_id)
    SELECT s.user_id, s.followed_id FROM subscriptions s
    JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id;

CREATE TRIGGER contacts_added AFTER INSERT ON subscriptions
    WHEN EXISTS (SELECT 1 FROM subscriptions WHERE user_id = NEW.followed_id AND followed_id = NEW.user_id)
BEGIN
    INSERT OR IGNORE INTO contacts (user_id, contact_id) VALUES (NEW.user_id, NEW.followed_id), (NEW.followed_id, NEW.user_id);
END;
CREATE TRIGGER contacts_removed AFTER DELETE ON subscriptions
    WHEN OLD.followed_id IS NOT NULL
BEGIN
    DELETE FROM contacts WHERE user_id = OLD.user_id AND contact_id = OLD.followed_id;
    DELETE FROM contacts WHERE user_id = OLD.followed_id AND contact_id = OLD.user_id;
END;

-- Events of a day are found by their author, or by being public. News are read with them.
DROP INDEX events_of_day;
DROP INDEX events_of_day_hidden;
DROP TRIGGER news_added;
DROP TRIGGER news_changed;
DROP TRIGGER news_removed;
DROP TABLE news_version;
