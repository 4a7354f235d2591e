-- Reports, what staff have hidden, and the audit records of staff.

-- All reports of a thing until staff decide, once for all of them (MOD-05).
CREATE TABLE report_cases (
    id              integer PRIMARY KEY AUTOINCREMENT,
    kind            text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id       integer NOT NULL,
    owner_id        integer NOT NULL REFERENCES users (id),  -- whose thing it is
    first_reported  integer NOT NULL,
    last_reported   integer NOT NULL,
    spam            integer NOT NULL DEFAULT 0,  -- how many people report it for each reason
    abuse           integer NOT NULL DEFAULT 0,
    illegal         integer NOT NULL DEFAULT 0,
    other           integer NOT NULL DEFAULT 0,
    decided         integer,  -- NULL: it is open
    outcome         text    CHECK (outcome IN ('hidden', 'dismissed', 'account_disabled')),
    decided_by      integer REFERENCES users (id),
    decided_person  text    CHECK (decided_person <> ''),  -- at the command line
    decision_reason text    NOT NULL DEFAULT '',
    CHECK ((decided IS NULL) = (outcome IS NULL))
) STRICT;
CREATE UNIQUE INDEX report_cases_open_of_thing ON report_cases (kind, object_id) WHERE decided IS NULL;
CREATE INDEX report_cases_open ON report_cases (first_reported, id) WHERE decided IS NULL;
CREATE INDEX report_cases_open_of_kind ON report_cases (kind, first_reported, id) WHERE decided IS NULL;
CREATE INDEX report_cases_open_illegal ON report_cases (first_reported, id) WHERE decided IS NULL AND illegal > 0;
CREATE INDEX report_cases_decided ON report_cases (decided DESC, id DESC) WHERE decided IS NOT NULL;
CREATE INDEX report_cases_of_owner ON report_cases (owner_id, id);
CREATE INDEX report_cases_of_thing ON report_cases (kind, object_id);

-- The different forms in which the thing of a case was reported.
CREATE TABLE kept_versions (
    id      integer PRIMARY KEY AUTOINCREMENT,
    case_id integer NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    digest  blob    NOT NULL CHECK (length(digest) = 32),
    content text    NOT NULL,  -- JSON of the texts, and of the names of the pictures
    created integer NOT NULL,
    expires integer,  -- NULL: the case is open
    UNIQUE (case_id, digest)
) STRICT;
CREATE INDEX kept_versions_in_order ON kept_versions (case_id, id);
CREATE INDEX kept_versions_expired ON kept_versions (expires) WHERE expires IS NOT NULL;

-- Copies of the pictures of these forms, which staff alone see.
CREATE TABLE kept_pictures (
    id      integer PRIMARY KEY AUTOINCREMENT,
    case_id integer NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    name    text    NOT NULL,  -- tells it from other pictures of the thing
    key     text    NOT NULL UNIQUE,
    expires integer,
    UNIQUE (case_id, name)
) STRICT;
CREATE INDEX kept_pictures_expired ON kept_pictures (expires) WHERE expires IS NOT NULL;

CREATE TRIGGER kept_pictures_discarded AFTER DELETE ON kept_pictures
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.key, 0) ON CONFLICT (key) DO NOTHING;
END;

-- Each person reports a thing once.
CREATE TABLE reports (
    id        integer PRIMARY KEY AUTOINCREMENT,
    author_id integer NOT NULL REFERENCES users (id),
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id integer NOT NULL,
    case_id   integer NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    reason    text    NOT NULL CHECK (reason IN ('spam', 'abuse', 'illegal', 'other')),
    content   text    NOT NULL,
    created   integer NOT NULL,
    UNIQUE (author_id, kind, object_id)
) STRICT;
CREATE INDEX reports_of_author ON reports (author_id, id DESC);
CREATE INDEX reports_of_case ON reports (case_id, id);
CREATE INDEX reports_with_text ON reports (case_id, id) WHERE content <> '';

-- Reports with the owner and the decision of their cases. A LEFT JOIN is left out where reports are only counted.
CREATE VIEW report_entries AS
SELECT r.id, r.author_id, r.kind, r.object_id, r.case_id, r.reason, r.content, r.created, c.owner_id, c.decided, c.outcome
FROM reports r LEFT JOIN report_cases c ON c.id = r.case_id;

-- Why staff have hidden a thing (MOD-03). The thing has a column hidden, but for a profile.
CREATE TABLE hidden_things (
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),
    reason    text    NOT NULL,
    hidden_at integer NOT NULL,
    PRIMARY KEY (kind, object_id)
) STRICT;
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

CREATE TRIGGER plates_hidden AFTER DELETE ON plates WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'plate' AND object_id = OLD.id;
END;

-- The hiding goes with what is erased, and with the author of what is imported anew.
CREATE TRIGGER publications_hidden AFTER DELETE ON publications WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'publication' AND object_id = OLD.id;
END;

CREATE TRIGGER publications_hidden_follow AFTER UPDATE OF author_id ON publications WHEN NEW.hidden AND OLD.author_id <> NEW.author_id
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = 'publication' AND object_id = NEW.id;
END;

CREATE TRIGGER nodes_hidden AFTER DELETE ON nodes WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'node' AND object_id = OLD.id;
END;

CREATE TRIGGER nodes_hidden_follow AFTER UPDATE OF author_id ON nodes WHEN NEW.hidden AND OLD.author_id <> NEW.author_id
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = 'node' AND object_id = NEW.id;
END;

CREATE TRIGGER demands_hidden AFTER DELETE ON demands WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'demand' AND object_id = OLD.id;
END;

CREATE TRIGGER demands_hidden_follow AFTER UPDATE OF author_id ON demands WHEN NEW.hidden AND OLD.author_id <> NEW.author_id
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = 'demand' AND object_id = NEW.id;
END;

-- The covers that Plaza keeps. Records share them. A record without one has no key.
CREATE VIEW kept_covers AS
    SELECT 'publication' AS kind, id, hidden, published AND NOT deleted AND NOT hidden AS is_shown, cover ->> 'key' AS key FROM publications
    UNION ALL SELECT 'node', id, hidden, published AND NOT deleted AND NOT hidden, cover ->> 'key' FROM nodes
    UNION ALL SELECT 'demand', id, hidden, published AND NOT deleted AND NOT hidden, cover ->> 'key' FROM demands;

CREATE TRIGGER covers_renamed INSTEAD OF UPDATE ON kept_covers
BEGIN
    UPDATE publications SET cover = replace(cover, OLD.key, NEW.key) WHERE OLD.kind = 'publication' AND id = OLD.id;
    UPDATE nodes SET cover = replace(cover, OLD.key, NEW.key) WHERE OLD.kind = 'node' AND id = OLD.id;
    UPDATE demands SET cover = replace(cover, OLD.key, NEW.key) WHERE OLD.kind = 'demand' AND id = OLD.id;
END;

-- The covers that move when a record is hidden or restored: to where none was given out unless another record shows it, and back.
CREATE VIEW moving_covers AS
    SELECT kind, id, hidden, CASE
        WHEN hidden THEN CASE WHEN key LIKE 'private/%' THEN key END
        WHEN key IS NULL THEN NULL
        WHEN NOT EXISTS (SELECT 1 FROM kept_covers o WHERE o.key = c.key AND o.is_shown AND (o.kind, o.id) <> (c.kind, c.id)) THEN key
        END AS key
    FROM kept_covers c;

-- What users with a hidden profile say of themselves, and their avatars, while users has what is shown in their place.
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

-- Acts of staff, at the interface and at the command line (MOD-04): who did what, on what, and when. Rows are only ever added.
CREATE TABLE audit_records (
    id          integer PRIMARY KEY AUTOINCREMENT,
    at          integer NOT NULL,
    by_user     integer REFERENCES users (id),
    by_person   text    CHECK (by_person <> ''),  -- at the command line
    act         text    NOT NULL CHECK (act <> ''),
    object_kind text    NOT NULL CHECK (object_kind <> ''),
    object_id   text    NOT NULL,  -- empty: it has none
    about       integer REFERENCES users (id),  -- the person whom the act concerns
    CHECK ((by_user IS NULL) <> (by_person IS NULL))
) STRICT;
CREATE INDEX audit_records_newest ON audit_records (at DESC, id DESC);
CREATE INDEX audit_records_of_act ON audit_records (act, at DESC, id DESC);
CREATE INDEX audit_records_about ON audit_records (about, at DESC, id DESC) WHERE about IS NOT NULL;
CREATE INDEX audit_records_by_user ON audit_records (by_user, at DESC, id DESC) WHERE by_user IS NOT NULL;
CREATE INDEX audit_records_by_user_of_act ON audit_records (by_user, act, at DESC, id DESC) WHERE by_user IS NOT NULL;
CREATE INDEX audit_records_by_person ON audit_records (by_person, at DESC, id DESC) WHERE by_person IS NOT NULL;

CREATE TRIGGER audit_records_stay_as_they_are BEFORE UPDATE ON audit_records
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

CREATE TRIGGER audit_records_stay BEFORE DELETE ON audit_records
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

CREATE TRIGGER audit_records_are_not_replaced BEFORE INSERT ON audit_records WHEN EXISTS (SELECT 1 FROM audit_records WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

-- The free reasons, and what people were called when they acted. When a person is erased, those of records about or by the person are blanked, and nothing
-- else ever changes.
CREATE TABLE audit_reasons (
    record_id  integer PRIMARY KEY REFERENCES audit_records (id),
    reason     text    NOT NULL,
    by_name    text    NOT NULL DEFAULT '',
    about_name text    NOT NULL DEFAULT ''
) STRICT;

CREATE TRIGGER audit_reasons_stay BEFORE DELETE ON audit_reasons
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

CREATE TRIGGER audit_reasons_are_blanked_alone BEFORE UPDATE ON audit_reasons
    WHEN NEW.reason <> '' OR NEW.by_name <> '' OR NEW.about_name <> '' OR NEW.record_id <> OLD.record_id
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

CREATE TRIGGER audit_reasons_are_not_replaced BEFORE INSERT ON audit_reasons
    WHEN EXISTS (SELECT 1 FROM audit_reasons WHERE record_id = NEW.record_id)
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
