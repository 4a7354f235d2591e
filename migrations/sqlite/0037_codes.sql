-- One-time codes by SMS, what their limits count, and the budget of messages (AUT-15). All of it is removed after a day.

CREATE TABLE codes (
    id      text NOT NULL PRIMARY KEY,
    purpose text NOT NULL,
    number  text NOT NULL,  -- of the telephone, digits alone
    hash    blob NOT NULL CHECK (length(hash) = 32),
    key     text NOT NULL,  -- the name of the key of the hash
    made    integer NOT NULL,
    expires integer NOT NULL,
    tries   integer NOT NULL,
    status  text NOT NULL CHECK (status IN ('live', 'spent', 'replaced'))
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX codes_live ON codes (number, purpose) WHERE status = 'live';
CREATE INDEX codes_of_number ON codes (number);
CREATE INDEX codes_by_age ON codes (made);

-- Requests for codes, and tries of codes.
CREATE TABLE code_uses (
    id     integer PRIMARY KEY AUTOINCREMENT,
    use    text NOT NULL CHECK (use IN ('requested', 'tried')),
    number text NOT NULL,
    prefix text NOT NULL,
    source text NOT NULL,
    at     integer NOT NULL
) STRICT;
CREATE INDEX code_uses_by_number ON code_uses (number, use, at);
CREATE INDEX code_uses_by_prefix ON code_uses (prefix, use, at);
CREATE INDEX code_uses_by_source ON code_uses (source, use, at);
CREATE INDEX code_uses_by_age ON code_uses (at);

-- How many messages were taken of the budget of a day.
CREATE TABLE code_days (
    day           integer NOT NULL,
    dialling_code text NOT NULL,  -- empty: all
    messages      integer NOT NULL,
    PRIMARY KEY (day, dialling_code)
) WITHOUT ROWID, STRICT;

-- Whether what belongs to the user is being erased: an erasure that was interrupted is resumed (USR-07).
ALTER TABLE users ADD COLUMN erasing integer NOT NULL DEFAULT false;
