-- Acts of staff, at the interface and at the command line (MOD-04): who did what, on what, and when. Rows are only ever added.
CREATE TABLE audit_records (
    id          integer PRIMARY KEY AUTOINCREMENT,
    at          integer NOT NULL,
    by_user     integer REFERENCES users (id),
    by_person   text CHECK (by_person <> ''),  -- at the command line
    act         text NOT NULL CHECK (act <> ''),
    object_kind text NOT NULL CHECK (object_kind <> ''),
    object_id   text NOT NULL,  -- empty: it has none
    about       integer REFERENCES users (id),  -- the person whom the act concerns
    CHECK ((by_user IS NULL) <> (by_person IS NULL))
) STRICT;
CREATE INDEX audit_records_about ON audit_records (about, id);
CREATE INDEX audit_records_by_user ON audit_records (by_user, id);

-- The free reasons of some of them. When a person is erased, those of records about or by the person are blanked, and nothing
-- else ever changes.
CREATE TABLE audit_reasons (
    record_id integer PRIMARY KEY REFERENCES audit_records (id),
    reason    text NOT NULL
) STRICT;

CREATE TRIGGER audit_records_stay_as_they_are BEFORE UPDATE ON audit_records
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
CREATE TRIGGER audit_records_stay BEFORE DELETE ON audit_records
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
CREATE TRIGGER audit_reasons_stay BEFORE DELETE ON audit_reasons
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
CREATE TRIGGER audit_reasons_are_blanked_alone BEFORE UPDATE ON audit_reasons WHEN NEW.reason <> '' OR NEW.record_id <> OLD.record_id
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
