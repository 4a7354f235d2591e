-- minimum: 0070
-- When an event was first published, by which timelines are ordered (EVT-23); NULL: never. A program from before publishes
-- events without it. No release has such events, so this step fills all rows at once.
ALTER TABLE events ADD COLUMN published_at integer;
UPDATE events SET published_at = created WHERE status = 100 OR withheld_status = 100;
DROP INDEX events_published;
