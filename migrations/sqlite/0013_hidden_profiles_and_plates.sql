-- Plates and profiles that staff have hidden (MOD-06).

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
