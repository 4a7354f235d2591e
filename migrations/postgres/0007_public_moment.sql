-- transaction: none
-- Public events of a day, apart from all that only some may see: these must cost nobody else.
CREATE INDEX CONCURRENTLY events_of_day_public ON events (day, created DESC, id DESC) WHERE status = 100 AND permission = 0;
