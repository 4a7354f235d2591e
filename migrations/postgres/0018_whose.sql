-- Whose a payment, a refund and a comment is, for the lists of staff (OFF-05).

ALTER TABLE payments ADD COLUMN user_id bigint REFERENCES users (id);  -- of its order
UPDATE payments SET user_id = (SELECT o.user_id FROM orders o WHERE o.id = order_id);
CREATE INDEX payments_of_user ON payments (user_id, received DESC, id DESC);

ALTER TABLE refunds ADD COLUMN user_id bigint REFERENCES users (id);  -- of its payment
UPDATE refunds SET user_id = (SELECT p.user_id FROM payments p WHERE p.id = payment_id);
CREATE INDEX refunds_of_user ON refunds (user_id, created DESC, id DESC);

CREATE INDEX comments_newest_of_author ON comments (author_id, created DESC, id DESC);
