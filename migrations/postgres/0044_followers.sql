-- transaction: none
-- The followers of a user, the newest first.
CREATE INDEX CONCURRENTLY subscriptions_followers ON subscriptions (followed_id, created DESC, id DESC);
