-- Demands of all categories by strips of latitude and by longitude, for the tree within a circle,
-- in the place of the index of latitudes, which SQLite would prefer.
DROP INDEX feed_listings_near_anywhere;
CREATE INDEX feed_listings_by_strip ON feed_listings (kind, floor((lat + 90) * 100), lng, category_id, created, updated, lat)
    WHERE kind = 'demand' AND lat IS NOT NULL;
