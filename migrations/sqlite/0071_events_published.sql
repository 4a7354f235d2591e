-- As in 0039, but the events that were published last come first.
CREATE INDEX events_published ON events (author_id, permission, published_at DESC, id DESC) WHERE status = 100;
