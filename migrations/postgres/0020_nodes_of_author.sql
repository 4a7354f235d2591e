-- transaction: none
-- Nodes of an author, for an export or an erasure of the author's data.
CREATE INDEX CONCURRENTLY nodes_of_author ON nodes (author_id, id);
