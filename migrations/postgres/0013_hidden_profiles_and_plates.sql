-- Plates and profiles that staff have hidden (MOD-06).

ALTER TABLE plates ADD COLUMN hidden boolean NOT NULL DEFAULT false;  -- staff have hidden it

CREATE TRIGGER plates_hidden AFTER DELETE ON plates FOR EACH ROW WHEN (OLD.hidden) EXECUTE FUNCTION remove_hiding('plate');

-- Events with their counts, and their plates as JSON: the id, photo, creation, in microseconds since 1970, width and height of each, and
-- whether it is hidden.
CREATE OR REPLACE VIEW event_entries AS SELECT
    n.comments,
    n.likes,
    (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint, p.width, p.height,
        p.hidden::int) ORDER BY p.id)
        FROM plates p WHERE p.event_id = e.id) AS plates,
    e.*
FROM events e LEFT JOIN event_counts n ON n.event_id = e.id;

-- What users say of themselves, and their avatars, while users has what is shown in their place.
CREATE TABLE hidden_profiles (
    user_id   bigint PRIMARY KEY REFERENCES users (id),
    firstname text   NOT NULL,
    lastname  text   NOT NULL,
    bio       text   NOT NULL,
    location  text   NOT NULL,
    expertise text   NOT NULL,
    avatar    jsonb
);

CREATE FUNCTION discard_hidden_avatar() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO discards (key, due)
        SELECT DISTINCT k #>> '{}', 'epoch'::timestamptz FROM jsonb_path_query(OLD.avatar, '$.**.key') AS k
        ON CONFLICT (key) DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER hidden_avatars_discarded AFTER DELETE ON hidden_profiles FOR EACH ROW EXECUTE FUNCTION discard_hidden_avatar();
