-- Comments are edited, and reply to others (EVT-26). Who is replied to is told of it, and a payer of a paid order (NTF-03).

ALTER TABLE comments
    ADD COLUMN edited   timestamptz,  -- when its content last changed; NULL: never
    ADD COLUMN reply_to bigint;       -- a comment on the same event, which may be gone: without a reference, so that it costs no other lock

ALTER TABLE notifications
    DROP CONSTRAINT notifications_kind_check,
    ADD CHECK (kind IN ('comment', 'reply', 'like', 'follow', 'hidden', 'restored', 'report_decided', 'order_paid'));

CREATE OR REPLACE FUNCTION remove_notifications_of_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM notifications n USING gone g
        WHERE n.actor_id = g.author_id AND n.kind IN ('comment', 'reply') AND n.object_id = g.id;
    RETURN NULL;
END $$;

-- Notifications of replies on events that their owners may not see (EVT-08): they are neither listed nor counted.
CREATE VIEW unseen_replies AS
SELECT n.owner_id, n.id
FROM notifications n JOIN comments c ON c.id = n.object_id JOIN events e ON e.id = c.event_id
WHERE n.kind = 'reply' AND NOT n.withdrawn AND (e.status <> 100 OR e.hidden
    OR NOT (e.permission = 0 OR e.permission = 100
        AND EXISTS (SELECT 1 FROM contacts k WHERE k.user_id = n.owner_id AND k.contact_id = e.author_id))
    OR EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = n.owner_id AND b.other_id = e.author_id));
