-- What staff did that concerns a user (NTF-03): actor_id is NULL, and about has the kind of the thing object_id.

ALTER TABLE notifications
    ALTER COLUMN actor_id DROP NOT NULL,
    ADD COLUMN about text,
    ADD COLUMN note  text,  -- the reason, or the outcome of a report
    DROP CONSTRAINT notifications_kind_check,
    ADD CHECK (kind IN ('comment', 'like', 'follow', 'hidden', 'restored', 'report_decided')),
    ADD CHECK ((actor_id IS NULL) = (about IS NOT NULL AND note IS NOT NULL));
