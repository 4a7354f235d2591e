-- Payments that are still to be refunded: refunded ones must not be read for them.
CREATE INDEX payments_still_due ON payments (received, id) WHERE state = 'refund_due' AND refunded < amount;
