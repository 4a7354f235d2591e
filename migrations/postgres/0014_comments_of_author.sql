-- transaction: none
-- Comments of an account on an event, for the quota of comments. The author comes first, so that no plan takes this index
-- for the newest comments on an event, which it would have to sort.
CREATE INDEX CONCURRENTLY comments_of_author ON comments (author_id, event_id);
