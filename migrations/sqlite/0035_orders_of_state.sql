-- Orders of everybody in a state, the newest first, for staff.
CREATE INDEX orders_of_state ON orders (state, created DESC, id DESC);
