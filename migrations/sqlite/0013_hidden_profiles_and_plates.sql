-- Plates and profiles that staff have hidden (MOD-06).

-- (widened by 0012)
DROP TRIGGER events_hidden;
DROP TRIGGER comments_hidden;
DROP TRIGGER images_hidden;

CREATE TABLE new_reports (
    id        integer PRIMARY KEY AUTOINCREMENT,
    author_id integer NOT NULL REFERENCES users (id),
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),  -- whose thing it is
    reason    text    NOT NULL CHECK (reason IN ('spam', 'abuse', 'illegal', 'other')),
    content   text    NOT NULL,
    created   integer NOT NULL,
    decided   integer,
    UNIQUE (author_id, kind, object_id)
) STRICT;
INSERT INTO new_reports SELECT * FROM reports;
DROP TABLE reports;
ALTER TABLE new_reports RENAME TO reports;
CREATE INDEX reports_open ON reports (id) WHERE decided IS NULL;
CREATE INDEX reports_decided ON reports (id) WHERE decided IS NOT NULL;
CREATE INDEX reports_of_object ON reports (kind, object_id) WHERE decided IS NULL;
CREATE INDEX reports_of_owner ON reports (owner_id);

CREATE TABLE new_hidden_things (
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),
    reason    text    NOT NULL,
    hidden_at integer NOT NULL,
    PRIMARY KEY (kind, object_id)
) STRICT;
INSERT INTO new_hidden_things SELECT * FROM hidden_things;
DROP TABLE hidden_things;
ALTER TABLE new_hidden_things RENAME TO hidden_things;
CREATE INDEX hidden_things_of_owner ON hidden_things (owner_id, hidden_at DESC, kind, object_id);

CREATE TRIGGER events_hidden AFTER DELETE ON events WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'event' AND object_id = OLD.id;
END;

CREATE TRIGGER comments_hidden AFTER DELETE ON comments WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'comment' AND object_id = OLD.id;
END;

CREATE TRIGGER images_hidden AFTER UPDATE ON images WHEN OLD.hidden AND OLD.deleted IS NULL AND NEW.deleted IS NOT NULL
BEGIN
    DELETE FROM hidden_things WHERE kind = 'image' AND object_id = OLD.id;
END;
-- (end)

ALTER TABLE plates ADD COLUMN hidden integer NOT NULL DEFAULT false;  -- staff have hidden it

CREATE TRIGGER plates_hidden AFTER DELETE ON plates WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'plate' AND object_id = OLD.id;
END;

-- Events with their counts, and their plates as JSON: the id, photo, creation, in microseconds since 1970, width and height of each, and
-- whether it is hidden.
DROP VIEW event_entries;
CREATE VIEW event_entries AS SELECT
    n.comments,
    n.likes,
    (SELECT json_group_array(json_array(p.id, p.photo, p.created, p.width, p.height, p.hidden) ORDER BY p.id)
        FROM plates p WHERE p.event_id = e.id) AS plates,
    e.*
FROM events e LEFT JOIN event_counts n ON n.event_id = e.id;

-- What users say of themselves, and their avatars, while users has what is shown in their place.
CREATE TABLE hidden_profiles (
    user_id   integer PRIMARY KEY REFERENCES users (id),
    firstname text    NOT NULL,
    lastname  text    NOT NULL,
    bio       text    NOT NULL,
    location  text    NOT NULL,
    expertise text    NOT NULL,
    avatar    text
) STRICT;

CREATE TRIGGER hidden_avatars_discarded AFTER DELETE ON hidden_profiles
BEGIN
    INSERT INTO discards (key, due)
        SELECT DISTINCT value, 0 FROM json_tree(OLD.avatar) WHERE key = 'key'
        ON CONFLICT (key) DO NOTHING;
END;
