-- Who is translating what, and what that has cost.

-- A text that is being translated: by nobody else until then.
CREATE TABLE translation_claims (
    key    bytea NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    holder bytea NOT NULL CHECK (length(holder) = 16),
    until  timestamptz NOT NULL
);

CREATE TABLE translation_days (
    translator text COLLATE "C" NOT NULL,
    day        timestamptz NOT NULL,  -- its first instant, in UTC
    characters bigint NOT NULL CHECK (characters >= 0),
    PRIMARY KEY (translator, day)
);
