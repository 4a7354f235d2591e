-- transaction: none
-- Orders of everybody in a state, the newest first, for staff.
CREATE INDEX CONCURRENTLY orders_of_state ON orders (state, created DESC, id DESC);
