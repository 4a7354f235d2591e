-- Reports, what staff have hidden, and the audit records of staff.

-- What people reported to staff (MOD-01). Each reports a thing once.
CREATE TABLE reports (
    id        integer PRIMARY KEY AUTOINCREMENT,
    author_id integer NOT NULL REFERENCES users (id),
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),  -- whose thing it is
    reason    text    NOT NULL CHECK (reason IN ('spam', 'abuse', 'illegal', 'other')),
    content   text    NOT NULL,
    created   integer NOT NULL,
    decided   integer,
    UNIQUE (author_id, kind, object_id)
) STRICT;
CREATE INDEX reports_open ON reports (id) WHERE decided IS NULL;
CREATE INDEX reports_decided ON reports (id) WHERE decided IS NOT NULL;
CREATE INDEX reports_of_object ON reports (kind, object_id) WHERE decided IS NULL;
CREATE INDEX reports_of_owner ON reports (owner_id);

-- Why staff have hidden a thing (MOD-03). The thing has a column hidden.
CREATE TABLE hidden_things (
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image')),
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
CREATE INDEX audit_records_about ON audit_records (about, id);
CREATE INDEX audit_records_by_user ON audit_records (by_user, id);

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

-- The free reasons of some of them. When a person is erased, those of records about or by the person are blanked, and nothing
-- else ever changes.
CREATE TABLE audit_reasons (record_id integer PRIMARY KEY REFERENCES audit_records (id), reason text NOT NULL) STRICT;

CREATE TRIGGER audit_reasons_stay BEFORE DELETE ON audit_reasons
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

CREATE TRIGGER audit_reasons_are_blanked_alone BEFORE UPDATE ON audit_reasons WHEN NEW.reason <> '' OR NEW.record_id <> OLD.record_id
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;

CREATE TRIGGER audit_reasons_are_not_replaced BEFORE INSERT ON audit_reasons
    WHEN EXISTS (SELECT 1 FROM audit_reasons WHERE record_id = NEW.record_id)
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
