-- The dimensions of plates (PLA-05). The bytes of a picture are always those of its sizes, too.

ALTER TABLE plates
    ADD COLUMN width  integer NOT NULL DEFAULT 0,  -- pixels; 0 while not measured: a plate of before
    ADD COLUMN height integer NOT NULL DEFAULT 0;
CREATE INDEX plates_not_measured ON plates (id) WHERE width = 0;

-- Events with their counts, and their plates as JSON: the id, photo, creation, in microseconds since 1970, width and height of each.
CREATE OR REPLACE VIEW event_entries AS SELECT
    n.comments,
    n.likes,
    (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint, p.width, p.height) ORDER BY p.id)
        FROM plates p WHERE p.event_id = e.id) AS plates,
    e.*
FROM events e LEFT JOIN event_counts n ON n.event_id = e.id;

ALTER TABLE pictures DROP COLUMN has_sizes;
