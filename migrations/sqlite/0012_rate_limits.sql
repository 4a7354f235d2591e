-- Until when an account has paid for what it wrote, in microseconds since 1970, for each limited
-- action. A row in the past means the same as none.
CREATE TABLE rate_limits (
    user_id integer NOT NULL REFERENCES users (id),
    action  text NOT NULL,
    until   integer NOT NULL,
    PRIMARY KEY (user_id, action)
) STRICT;
CREATE INDEX rate_limits_oldest ON rate_limits (until);
