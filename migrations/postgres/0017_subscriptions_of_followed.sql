-- transaction: none
-- Who follows a user, for an erasure of the user's data.
CREATE INDEX CONCURRENTLY subscriptions_of_followed ON subscriptions (followed_id);
