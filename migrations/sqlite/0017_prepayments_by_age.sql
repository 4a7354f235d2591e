-- The oldest prepayment that is alive: closed and paid ones must not be read for it.
CREATE INDEX prepayments_oldest_live ON prepayments (created)
    WHERE state IN ('preparing', 'unknown', 'live', 'closing');
