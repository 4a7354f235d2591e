-- Comments of an account on an event, for the quota of comments.
CREATE INDEX comments_of_author ON comments (event_id, author_id);
