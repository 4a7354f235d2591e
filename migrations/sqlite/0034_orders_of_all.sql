-- Orders of everybody, the newest first, for staff.
CREATE INDEX orders_of_all ON orders (created DESC, id DESC);
