-- Demands of an author, for an export or an erasure of the author's data.
CREATE INDEX demands_of_author ON demands (author_id, id);
