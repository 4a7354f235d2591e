-- transaction: none
-- The hidden comments on an event, which the total of a list leaves out.
CREATE INDEX CONCURRENTLY comments_hidden_of_event ON comments (event_id, author_id) WHERE hidden;
