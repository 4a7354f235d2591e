-- What differs between the wallet's bills and the ledger, and which bills were compared. Older programs serve beside this
-- one: they compare nothing.

CREATE TABLE findings (
    id             integer PRIMARY KEY AUTOINCREMENT,
    day            text NOT NULL CHECK (length(day) = 10),  -- of the bill, like 2026-11-20, in Beijing
    kind           text NOT NULL CHECK (kind IN ('unknown_here', 'unknown_there', 'amount', 'refund')),
    transaction_id text NOT NULL,
    out_refund_no  text NOT NULL,  -- empty: it is about a payment
    order_id       integer REFERENCES orders (id),
    expected       text NOT NULL,  -- what the ledger has; empty: nothing
    found          text NOT NULL,  -- what the bill has; empty: nothing
    seen           integer NOT NULL,  -- when the last comparison began that has found it
    resolved       integer,  -- NULL: it is open
    UNIQUE (day, kind, transaction_id, out_refund_no)
) STRICT;
CREATE INDEX findings_of_day ON findings (day, id);
CREATE INDEX findings_of_kind ON findings (kind, id);
CREATE INDEX findings_open ON findings (kind, id) WHERE resolved IS NULL;

CREATE TABLE reconciliations (
    day       text NOT NULL PRIMARY KEY CHECK (length(day) = 10),
    leased    integer,  -- until then one server compares the bill; NULL: none does
    completed integer   -- when it was compared last; NULL: never
) WITHOUT ROWID, STRICT;

-- When a payment was made, as the wallet says. NULL: an older program has stored it.
ALTER TABLE payments ADD COLUMN paid integer;
