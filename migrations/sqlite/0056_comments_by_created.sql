-- The comments that were written on a day, for the overview of the back office.
CREATE INDEX comments_by_created ON comments (created);
