-- How orders are paid at a wallet. Nobody could begin to pay so far, so nothing is lost
-- with the tables of what they paid with.

ALTER TABLE orders ADD COLUMN look integer;  -- when to ask the wallet; NULL: there is no need to
UPDATE orders SET look = expires WHERE state = 'open';
CREATE INDEX orders_newest ON orders (user_id, created DESC, id DESC);
CREATE INDEX orders_due ON orders (look, id) WHERE look IS NOT NULL;

CREATE TRIGGER orders_stay_paid BEFORE UPDATE OF state ON orders
    WHEN OLD.state = 'paid' AND NEW.state <> 'paid'
BEGIN
    SELECT RAISE(ABORT, 'an order that is paid stays paid');
END;

DROP TABLE prepayments;
CREATE TABLE prepayments (
    id           integer PRIMARY KEY AUTOINCREMENT,
    order_id     integer NOT NULL REFERENCES orders (id),
    out_trade_no text NOT NULL UNIQUE,
    end_type     integer NOT NULL CHECK (end_type IN (0, 100, 200, 300)),
    app          text NOT NULL CHECK (app IN ('official_account', 'svc_ios_app')),
    open_id      text NOT NULL,
    state        text NOT NULL CHECK (state IN ('preparing', 'unknown', 'live', 'closing', 'closed', 'paid')),
    request      blob NOT NULL,
    prepay_id    text NOT NULL,
    code_url     text NOT NULL,
    mweb_url     text NOT NULL,
    created      integer NOT NULL,
    opened       integer,
    ends         integer,
    leased       integer
) STRICT;
CREATE INDEX prepayments_of_order ON prepayments (order_id, id);
CREATE UNIQUE INDEX prepayments_one_live ON prepayments (order_id)
    WHERE state IN ('preparing', 'unknown', 'live', 'closing');

DROP TABLE payments;
CREATE TABLE payments (
    id             integer PRIMARY KEY AUTOINCREMENT,
    order_id       integer REFERENCES orders (id),  -- NULL: nobody knows what it is for
    transaction_id text NOT NULL UNIQUE,
    out_trade_no   text NOT NULL,  -- as the wallet says: it may be nobody's
    state          text NOT NULL CHECK (state IN ('applied', 'refund_due', 'disputed')),
    amount         integer NOT NULL,
    currency       text NOT NULL,
    received       integer NOT NULL,
    CHECK (order_id IS NOT NULL OR state = 'disputed')
) STRICT;
CREATE UNIQUE INDEX payments_applied_once ON payments (order_id) WHERE state = 'applied';
CREATE INDEX payments_of_order ON payments (order_id, id);
CREATE INDEX payments_newest ON payments (received DESC, id DESC);
CREATE INDEX payments_of_state ON payments (state, received DESC, id DESC);

-- What happened to orders, for people who ask. It is only ever added to.
CREATE TABLE journal (
    id           integer PRIMARY KEY AUTOINCREMENT,
    order_id     integer NOT NULL REFERENCES orders (id),
    happened     integer NOT NULL,
    noted        text NOT NULL,
    out_trade_no text NOT NULL,  -- empty: it is about the order
    detail       text NOT NULL
) STRICT;
CREATE INDEX journal_of_order ON journal (order_id, id);
INSERT INTO journal (order_id, happened, noted, out_trade_no, detail)
    SELECT id, created, 'ordered', '', '' FROM orders ORDER BY id;

CREATE TRIGGER journal_stays_as_it_is BEFORE UPDATE ON journal
BEGIN
    SELECT RAISE(ABORT, 'the journal is only ever added to');
END;
CREATE TRIGGER journal_stays BEFORE DELETE ON journal
BEGIN
    SELECT RAISE(ABORT, 'the journal is only ever added to');
END;

-- Keys of requests that have their effect once, and what those were answered with.
CREATE TABLE idempotency_keys (
    user_id     integer NOT NULL REFERENCES users (id),
    name        text NOT NULL,
    fingerprint blob NOT NULL CHECK (length(fingerprint) = 32),
    since       integer NOT NULL,  -- it is kept, or was answered
    busy        integer,  -- until then somebody is about to answer it; NULL: it was answered
    order_id    integer REFERENCES orders (id),
    reply       blob,
    PRIMARY KEY (user_id, name)
) STRICT;
CREATE INDEX idempotency_keys_oldest ON idempotency_keys (since);
