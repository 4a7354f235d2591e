-- Until when an account has paid for what it wrote, in microseconds since 1970, for each limited
-- action. A row in the past means the same as none.
CREATE TABLE rate_limits (
    user_id bigint NOT NULL REFERENCES users (id),
    action  text COLLATE "C" NOT NULL,
    until   bigint NOT NULL,
    PRIMARY KEY (user_id, action)
);
CREATE INDEX rate_limits_oldest ON rate_limits (until);
