-- transaction: none
-- The notifications of replies to a person, which are few.
CREATE INDEX CONCURRENTLY notifications_of_replies ON notifications (owner_id, id) WHERE kind = 'reply' AND NOT withdrawn;
