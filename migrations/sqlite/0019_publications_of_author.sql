-- Publications of an author, for an export or an erasure of the author's data.
CREATE INDEX publications_of_author ON publications (author_id, id);
