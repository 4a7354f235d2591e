-- transaction: none
-- Payments by the time when they were made, as bills have them. Without that time, when they came in.
CREATE INDEX CONCURRENTLY payments_by_paid ON payments (COALESCE(paid, received), id);
