-- Who is translating what, and what that has cost.

-- A text that is being translated: by nobody else until then.
CREATE TABLE translation_claims (
    key    blob NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    holder blob NOT NULL CHECK (length(holder) = 16),
    until  integer NOT NULL
) STRICT;

CREATE TABLE translation_days (
    translator text NOT NULL,
    day        integer NOT NULL,  -- its first instant, in UTC
    characters integer NOT NULL CHECK (characters >= 0),
    PRIMARY KEY (translator, day)
) STRICT;
