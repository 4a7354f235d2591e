-- transaction: none
-- The events that were written on a day, for the overview of the back office.
CREATE INDEX CONCURRENTLY events_by_created ON events (created);
