-- transaction: none
-- Refunds that the wallet has confirmed, by the time when they were sent, as bills have them.
CREATE INDEX CONCURRENTLY refunds_by_sent ON refunds (sent, id) WHERE wallet_refund_id <> '';
