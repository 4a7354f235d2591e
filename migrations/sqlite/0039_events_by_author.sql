-- Published events of an author, the newest first, for each permission: what those who follow the author may see (EVT-23).
CREATE INDEX events_published ON events (author_id, permission, created DESC, id DESC) WHERE status = 100;
