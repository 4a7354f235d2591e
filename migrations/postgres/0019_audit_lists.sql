-- Records in the order of time, and what people were called when they acted.

DROP INDEX audit_records_about;
DROP INDEX audit_records_by_user;
CREATE INDEX audit_records_newest ON audit_records (at DESC, id DESC);
CREATE INDEX audit_records_of_act ON audit_records (act, at DESC, id DESC);
CREATE INDEX audit_records_about ON audit_records (about, at DESC, id DESC) WHERE about IS NOT NULL;
CREATE INDEX audit_records_by_user ON audit_records (by_user, at DESC, id DESC) WHERE by_user IS NOT NULL;
CREATE INDEX audit_records_by_user_of_act ON audit_records (by_user, act, at DESC, id DESC) WHERE by_user IS NOT NULL;
CREATE INDEX audit_records_by_person ON audit_records (by_person, at DESC, id DESC) WHERE by_person IS NOT NULL;

-- The names go with the reason when a person is erased.
ALTER TABLE audit_reasons ADD COLUMN by_name text NOT NULL DEFAULT '';
ALTER TABLE audit_reasons ADD COLUMN about_name text NOT NULL DEFAULT '';
DROP TRIGGER audit_reasons_are_blanked_alone ON audit_reasons;
CREATE TRIGGER audit_reasons_are_blanked_alone BEFORE UPDATE ON audit_reasons
    FOR EACH ROW WHEN (NEW.reason <> '' OR NEW.by_name <> '' OR NEW.about_name <> '' OR NEW.record_id <> OLD.record_id)
    EXECUTE FUNCTION refuse('audit records are only ever added');
