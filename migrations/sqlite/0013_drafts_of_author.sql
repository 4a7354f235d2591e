-- Drafts by their author, for the quota of drafts: published events of the author must not be read for it.
CREATE INDEX events_drafts ON events (author_id) WHERE status = 0;
