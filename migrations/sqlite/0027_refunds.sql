-- Refunds of payments. Older programs serve beside this one: they neither make nor continue refunds.

CREATE TABLE refunds (
    id               integer PRIMARY KEY AUTOINCREMENT,
    payment_id       integer NOT NULL REFERENCES payments (id),
    out_refund_no    text NOT NULL UNIQUE,
    amount           integer NOT NULL CHECK (amount > 0),
    currency         text NOT NULL,
    reason           text NOT NULL,
    origin           text NOT NULL CHECK (origin IN ('staff', 'command', 'automatic')),
    requested_by     integer REFERENCES users (id),
    state            text NOT NULL CHECK (state IN ('processing', 'succeeded', 'closed', 'abnormal')),
    wallet_refund_id text NOT NULL,  -- empty: the wallet has not confirmed it
    created          integer NOT NULL,
    updated          integer NOT NULL,
    sent             integer,  -- when the wallet was asked last; NULL: not yet
    next_check       integer,  -- when to continue it; NULL: never
    CHECK ((origin = 'staff') = (requested_by IS NOT NULL))
) STRICT;
CREATE INDEX refunds_of_payment ON refunds (payment_id, id);
CREATE INDEX refunds_newest ON refunds (created DESC, id DESC);
CREATE INDEX refunds_of_state ON refunds (state, created DESC, id DESC);
CREATE INDEX refunds_due ON refunds (next_check, id) WHERE next_check IS NOT NULL;

-- The application that a payment was made with, as its receipt says; empty: unknown.
ALTER TABLE payments ADD COLUMN app text NOT NULL DEFAULT '';
-- The sum of its refunds that are not closed.
ALTER TABLE payments ADD COLUMN refunded integer NOT NULL DEFAULT 0 CHECK (refunded = 0 OR refunded > 0 AND refunded <= amount);

-- Which request made a refund. Older programs know no such key: an old server answers its repetition with 409.
ALTER TABLE idempotency_keys ADD COLUMN refund_id integer REFERENCES refunds (id);
