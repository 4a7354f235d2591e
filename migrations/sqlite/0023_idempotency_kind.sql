-- What the request with an Idempotency-Key made, other than an order: older programs know orders
-- alone. A key that an older program reserves again keeps the kind and the id until it expires.
ALTER TABLE idempotency_keys ADD COLUMN kind text
    CHECK (kind IN ('event', 'comment', 'plate', 'image', 'subscription', 'existing_subscription'));
ALTER TABLE idempotency_keys ADD COLUMN made_id integer CHECK ((made_id IS NULL) = (kind IS NULL));
