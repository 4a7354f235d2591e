-- The status that an event which staff have hidden goes back to (MOD-03): 1 a draft, 100 published. It is a draft until then,
-- so that every query leaves it out that leaves out drafts.
ALTER TABLE events ADD COLUMN withheld_status integer CHECK (withheld_status IS NULL OR status = 0 AND withheld_status IN (1, 100));

-- What staff have hidden, and why.
CREATE TABLE hidden_things (
    kind      text NOT NULL CHECK (kind IN ('event', 'comment', 'image')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),
    reason    text NOT NULL,
    hidden_at integer NOT NULL,
    PRIMARY KEY (kind, object_id)
) STRICT;
CREATE TRIGGER events_hidden AFTER DELETE ON events WHEN OLD.withheld_status IS NOT NULL
BEGIN
    DELETE FROM hidden_things WHERE kind = 'event' AND object_id = OLD.id;
END;
CREATE INDEX hidden_things_of_owner ON hidden_things (owner_id, hidden_at DESC, kind, object_id);

-- What people reported to staff (MOD-01). Each reports a thing once.
CREATE TABLE reports (
    id        integer PRIMARY KEY AUTOINCREMENT,
    author_id integer NOT NULL REFERENCES users (id),
    kind      text NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),  -- whose thing it is
    reason    text NOT NULL CHECK (reason IN ('spam', 'abuse', 'illegal', 'other')),
    content   text NOT NULL,
    created   integer NOT NULL,
    decided   integer,
    UNIQUE (author_id, kind, object_id)
) STRICT;
CREATE INDEX reports_open ON reports (id) WHERE decided IS NULL;
CREATE INDEX reports_decided ON reports (id) WHERE decided IS NOT NULL;
CREATE INDEX reports_of_object ON reports (kind, object_id) WHERE decided IS NULL;
CREATE INDEX reports_of_owner ON reports (owner_id);
