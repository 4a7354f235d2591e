-- transaction: none
-- Orders of everybody, the newest first, for staff.
CREATE INDEX CONCURRENTLY orders_of_all ON orders (created DESC, id DESC);
