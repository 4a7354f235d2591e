-- What servers share: keys of requests, rates of writing, chores and secrets.

-- Keys of requests that have their effect once, and what those were answered with (GEN-13).
CREATE TABLE idempotency_keys (
    user_id     bigint           NOT NULL REFERENCES users (id),
    name        text COLLATE "C" NOT NULL,
    fingerprint bytea            NOT NULL CHECK (length(fingerprint) = 32),
    since       timestamptz      NOT NULL,  -- it is kept, or was answered
    busy        timestamptz,  -- until then somebody is about to answer it; NULL: it was answered
    order_id    bigint           REFERENCES orders (id),
    reply       bytea,
    holder      bytea            CHECK (length(holder) = 16),  -- which call reserved it: no other call may release it
    -- what the request made, other than an order
    kind        text COLLATE "C" CHECK (kind IN ('event', 'comment', 'plate', 'image', 'subscription', 'existing_subscription')),
    made_id     bigint           CHECK ((made_id IS NULL) = (kind IS NULL)),
    refund_id   bigint           REFERENCES refunds (id),
    PRIMARY KEY (user_id, name)
);
CREATE INDEX idempotency_keys_oldest ON idempotency_keys (since);

-- Until when an account has paid for what it wrote, in microseconds since 1970, for each limited action. A row in the past
-- means the same as none.
CREATE TABLE rate_limits (
    user_id bigint           NOT NULL REFERENCES users (id),
    action  text COLLATE "C" NOT NULL,
    until   bigint           NOT NULL,
    PRIMARY KEY (user_id, action)
);
CREATE INDEX rate_limits_oldest ON rate_limits (until);

-- What is done once per database, and must not be begun twice.
CREATE TABLE chores (name text NOT NULL PRIMARY KEY, done boolean NOT NULL);

-- Keys that all servers on this database share.
CREATE TABLE secrets (name text NOT NULL PRIMARY KEY, content text NOT NULL);
