-- Which protocol of the wallet a prepayment was opened over, and an unmatched payment reported over.
-- Older programs know version 2 alone.
ALTER TABLE prepayments ADD COLUMN protocol text NOT NULL DEFAULT 'v2';
ALTER TABLE payments ADD COLUMN protocol text NOT NULL DEFAULT 'v2';
