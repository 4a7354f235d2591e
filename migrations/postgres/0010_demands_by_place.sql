-- transaction: none
-- Demands of all categories by their place, for the tree within a circle.
CREATE INDEX CONCURRENTLY feed_listings_near_anywhere ON feed_listings (lat, lng) INCLUDE (category_id, created, updated)
    WHERE kind = 'demand' AND lat IS NOT NULL;
