-- Orders, what was paid and refunded for them, and what differs from the wallet's bills.

CREATE TABLE orders (
    id             integer PRIMARY KEY AUTOINCREMENT,
    user_id        integer NOT NULL REFERENCES users (id),
    subject        text    NOT NULL,
    amount         integer NOT NULL CHECK (amount > 0),  -- fen
    currency       text    NOT NULL CHECK (currency = 'CNY'),
    state          text    NOT NULL CHECK (state IN ('open', 'paid', 'closed')),
    created        integer NOT NULL,
    expires        integer NOT NULL,
    paid           integer,
    transaction_id text,
    next_check     integer,  -- when to ask the wallet about it; NULL: never
    change         integer NOT NULL DEFAULT 0  -- the number of the change (NTF-04) that made it, or its state
) STRICT;
CREATE INDEX orders_of_user ON orders (user_id, state, created DESC, id DESC);
CREATE INDEX orders_newest ON orders (user_id, created DESC, id DESC);
CREATE INDEX orders_changed ON orders (user_id, change);
CREATE INDEX orders_due ON orders (next_check, id) WHERE next_check IS NOT NULL;
CREATE INDEX orders_of_all ON orders (created DESC, id DESC);
CREATE INDEX orders_of_state ON orders (state, created DESC, id DESC);
CREATE INDEX orders_by_amount ON orders (amount DESC, id DESC);
CREATE INDEX orders_of_state_by_amount ON orders (state, amount DESC, id DESC);

CREATE TRIGGER orders_stay_paid BEFORE UPDATE OF state ON orders WHEN OLD.state = 'paid' AND NEW.state <> 'paid'
BEGIN
    SELECT RAISE(ABORT, 'an order that is paid stays paid');
END;

CREATE TRIGGER orders_are_not_replaced BEFORE INSERT ON orders WHEN EXISTS (SELECT 1 FROM orders WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'an order that is paid stays paid');
END;

CREATE TRIGGER orders_numbered AFTER INSERT ON orders
BEGIN
    INSERT INTO notification_counts (owner_id) VALUES (NEW.user_id) ON CONFLICT (owner_id) DO UPDATE SET total = total;
    UPDATE orders SET change = (SELECT changes FROM notification_counts WHERE owner_id = NEW.user_id) WHERE id = NEW.id;
END;

CREATE TRIGGER orders_renumbered AFTER UPDATE OF state ON orders WHEN OLD.state <> NEW.state
BEGIN
    INSERT INTO notification_counts (owner_id) VALUES (NEW.user_id) ON CONFLICT (owner_id) DO UPDATE SET total = total;
    UPDATE orders SET change = (SELECT changes FROM notification_counts WHERE owner_id = NEW.user_id) WHERE id = NEW.id;
END;

CREATE TABLE prepayments (
    id           integer PRIMARY KEY AUTOINCREMENT,
    order_id     integer NOT NULL REFERENCES orders (id),
    out_trade_no text    NOT NULL UNIQUE,
    end_type     integer NOT NULL CHECK (end_type IN (0, 100, 200, 300)),
    app          text    NOT NULL CHECK (app IN ('official_account', 'svc_ios_app')),
    open_id      text    NOT NULL,
    state        text    NOT NULL CHECK (state IN ('preparing', 'unknown', 'live', 'closing', 'closed', 'paid')),
    request      blob    NOT NULL,
    prepay_id    text    NOT NULL,
    code_url     text    NOT NULL,
    mweb_url     text    NOT NULL,
    created      integer NOT NULL,
    opened       integer,
    expires      integer,  -- when the wallet takes it no longer
    leased_until integer,  -- until then one server asks the wallet about it
    protocol     text    NOT NULL DEFAULT 'v2'
) STRICT;
CREATE INDEX prepayments_of_order ON prepayments (order_id, id);
CREATE UNIQUE INDEX prepayments_one_live ON prepayments (order_id) WHERE state IN ('preparing', 'unknown', 'live', 'closing');
CREATE INDEX prepayments_oldest_live ON prepayments (created) WHERE state IN ('preparing', 'unknown', 'live', 'closing');

-- Payments that the wallet has reported.
CREATE TABLE payments (
    id             integer PRIMARY KEY AUTOINCREMENT,
    order_id       integer REFERENCES orders (id),  -- NULL: nobody knows what it is for
    transaction_id text    NOT NULL UNIQUE,
    out_trade_no   text    NOT NULL,  -- as the wallet says: it may be nobody's
    state          text    NOT NULL CHECK (state IN ('applied', 'refund_due', 'disputed')),
    amount         integer NOT NULL,
    currency       text    NOT NULL,
    received       integer NOT NULL,
    protocol       text    NOT NULL DEFAULT 'v2',
    app            text    NOT NULL DEFAULT '',  -- the application that it was made with; empty: unknown
    -- the sum of its refunds that are not closed
    refunded       integer NOT NULL DEFAULT 0 CHECK (refunded = 0 OR refunded > 0 AND refunded <= amount),
    paid           integer,  -- when it was made, as the wallet says; NULL: the wallet has not said
    user_id        integer REFERENCES users (id),  -- of its order
    CHECK (order_id IS NOT NULL OR state = 'disputed')
) STRICT;
CREATE UNIQUE INDEX payments_applied_once ON payments (order_id) WHERE state = 'applied';
CREATE INDEX payments_of_order ON payments (order_id, id);
CREATE INDEX payments_of_user ON payments (user_id, received DESC, id DESC);
CREATE INDEX payments_newest ON payments (received DESC, id DESC);
CREATE INDEX payments_of_state ON payments (state, received DESC, id DESC);
CREATE INDEX payments_by_amount ON payments (amount DESC, id DESC);
CREATE INDEX payments_of_state_by_amount ON payments (state, amount DESC, id DESC);
CREATE INDEX payments_still_due ON payments (received, id) WHERE state = 'refund_due' AND refunded < amount;
-- Bills have payments by the time when they were made.
CREATE INDEX payments_by_paid ON payments (COALESCE(paid, received), id);

-- Refunds of payments.
CREATE TABLE refunds (
    id               integer PRIMARY KEY AUTOINCREMENT,
    payment_id       integer NOT NULL REFERENCES payments (id),
    out_refund_no    text    NOT NULL UNIQUE,
    amount           integer NOT NULL CHECK (amount > 0),
    currency         text    NOT NULL,
    reason           text    NOT NULL,
    origin           text    NOT NULL CHECK (origin IN ('staff', 'command', 'automatic')),
    requested_by     integer REFERENCES users (id),
    state            text    NOT NULL CHECK (state IN ('processing', 'succeeded', 'closed', 'abnormal')),
    wallet_refund_id text    NOT NULL,  -- empty: the wallet has not confirmed it
    created          integer NOT NULL,
    updated          integer NOT NULL,
    sent             integer,  -- when the wallet was asked last; NULL: not yet
    next_check       integer,  -- when to continue it; NULL: never
    user_id          integer REFERENCES users (id),  -- of its payment
    CHECK ((origin = 'staff') = (requested_by IS NOT NULL))
) STRICT;
CREATE INDEX refunds_of_payment ON refunds (payment_id, id);
CREATE INDEX refunds_of_user ON refunds (user_id, created DESC, id DESC);
CREATE INDEX refunds_newest ON refunds (created DESC, id DESC);
CREATE INDEX refunds_of_state ON refunds (state, created DESC, id DESC);
CREATE INDEX refunds_by_amount ON refunds (amount DESC, id DESC);
CREATE INDEX refunds_of_state_by_amount ON refunds (state, amount DESC, id DESC);
CREATE INDEX refunds_due ON refunds (next_check, id) WHERE next_check IS NOT NULL;
-- Bills have refunds by the time when they were sent.
CREATE INDEX refunds_by_sent ON refunds (sent, id) WHERE wallet_refund_id <> '';

-- What happened to orders, for people who ask. Rows are only ever added.
CREATE TABLE journal (
    id           integer PRIMARY KEY AUTOINCREMENT,
    order_id     integer NOT NULL REFERENCES orders (id),
    happened     integer NOT NULL,
    noted        text    NOT NULL,
    out_trade_no text    NOT NULL,  -- empty: it is about the order
    detail       text    NOT NULL  -- JSON
) STRICT;
CREATE INDEX journal_of_order ON journal (order_id, id);

CREATE TRIGGER journal_stays_as_it_is BEFORE UPDATE ON journal
BEGIN
    SELECT RAISE(ABORT, 'the journal is only ever added to');
END;

CREATE TRIGGER journal_stays BEFORE DELETE ON journal
BEGIN
    SELECT RAISE(ABORT, 'the journal is only ever added to');
END;

CREATE TRIGGER journal_is_not_replaced BEFORE INSERT ON journal WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the journal is only ever added to');
END;

-- What differs between the wallet's bills and the ledger.
CREATE TABLE findings (
    id             integer PRIMARY KEY AUTOINCREMENT,
    day            text    NOT NULL CHECK (length(day) = 10),  -- of the bill, like 2026-11-20, in Beijing
    kind           text    NOT NULL CHECK (kind IN ('unknown_here', 'unknown_there', 'amount', 'refund')),
    transaction_id text    NOT NULL,
    out_refund_no  text    NOT NULL,  -- empty: it is about a payment
    order_id       integer REFERENCES orders (id),
    expected       text    NOT NULL,  -- JSON: what the ledger has
    found          text    NOT NULL,  -- JSON: what the bill has
    seen           integer NOT NULL,  -- when the last comparison began that has found it
    resolved       integer,  -- NULL: it is open
    -- staff have settled it: it stays resolved when a comparison finds the same again
    settled        integer NOT NULL DEFAULT false,
    UNIQUE (day, kind, transaction_id, out_refund_no)
) STRICT;
CREATE INDEX findings_of_day ON findings (day, id);
CREATE INDEX findings_of_kind ON findings (kind, id);
CREATE INDEX findings_open ON findings (kind, id) WHERE resolved IS NULL;

-- Which bills were compared with the ledger.
CREATE TABLE reconciliations (
    day       text NOT NULL PRIMARY KEY CHECK (length(day) = 10),
    leased    integer,  -- until then one server compares the bill; NULL: none does
    completed integer  -- when it was compared last; NULL: never
) WITHOUT ROWID, STRICT;
