-- transaction: none
-- Demands of all categories by strips of latitude and by longitude, for the tree within a circle.
CREATE INDEX CONCURRENTLY feed_listings_by_strip ON feed_listings (floor((lat + 90) * 100), lng) INCLUDE (category_id, created, updated, lat)
    WHERE kind = 'demand' AND lat IS NOT NULL;
