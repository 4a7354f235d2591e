-- People: accounts, their sessions, failed logins, and codes by SMS.

CREATE TABLE users (
    id            integer PRIMARY KEY AUTOINCREMENT,
    phone         text    NOT NULL UNIQUE,
    password_hash text    NOT NULL,
    scopes        text    NOT NULL,
    roles         text    NOT NULL DEFAULT '[]',  -- in the back office (OFF-03); none: not of staff
    disabled      integer NOT NULL,
    generation    integer NOT NULL,  -- tokens of a former generation are revoked
    firstname     text    NOT NULL,
    lastname      text    NOT NULL,
    expertise     text    NOT NULL,
    location      text    NOT NULL,
    bio           text    NOT NULL DEFAULT '',  -- of several lines; empty: nothing (USR-06)
    timezone      text    NOT NULL,
    joined        integer NOT NULL,
    revision      integer NOT NULL DEFAULT 0,
    source        text,  -- the id at the source that the account was imported from; NULL: none
    adopted       integer NOT NULL DEFAULT false,  -- the account was there before it was imported
    avatar        text,
    -- what belongs to the user is being erased; it is resumed after an interruption (USR-07)
    erasing       integer NOT NULL DEFAULT false,
    -- the second factor of staff (OFF-04)
    factor_secret  blob,  -- of an app, encrypted; NULL or empty: none is enrolled
    factor_step    integer NOT NULL DEFAULT 0,     -- of the last accepted code of the app
    recovery_codes text    NOT NULL DEFAULT '[]'   -- hashes of those that were not used
) STRICT;
CREATE UNIQUE INDEX users_by_source ON users (source) WHERE source IS NOT NULL;
-- Accounts by their telephones: login names without the dash (AUT-03).
CREATE INDEX users_by_telephone ON users (replace(phone, '-', ''));
CREATE INDEX users_erasing ON users (id) WHERE erasing;
CREATE INDEX users_by_joined ON users (joined DESC, id DESC);
CREATE INDEX users_disabled ON users (joined DESC, id DESC) WHERE disabled;
CREATE INDEX users_of_staff ON users (joined DESC, id DESC) WHERE roles <> '[]';

-- The beginnings of each word of a name, and of both names written together, in the form in which names are compared (USR-08).
CREATE TABLE name_prefixes (
    prefix  text    NOT NULL,  -- of at most 8 characters
    user_id integer NOT NULL REFERENCES users (id),
    PRIMARY KEY (prefix, user_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX name_prefixes_of_user ON name_prefixes (user_id);

-- When people were seen. It is written often, and must touch nothing else.
CREATE TABLE presence (user_id integer PRIMARY KEY REFERENCES users (id), seen integer NOT NULL) STRICT;

CREATE TABLE tokens (
    id         integer PRIMARY KEY AUTOINCREMENT,
    hash       blob    NOT NULL UNIQUE CHECK (length(hash) = 32),
    user_id    integer NOT NULL REFERENCES users (id),
    scopes     text    NOT NULL,
    generation integer NOT NULL,
    ttl        integer NOT NULL,  -- nanoseconds
    created    integer NOT NULL,
    narrowed   integer NOT NULL,  -- its login named scopes
    second_factor integer NOT NULL DEFAULT false  -- it was issued with one
) STRICT;
CREATE INDEX tokens_of_user ON tokens (user_id, created DESC, id DESC);

CREATE TABLE token_uses (token_id integer PRIMARY KEY REFERENCES tokens (id) ON DELETE CASCADE, used integer NOT NULL) STRICT;

-- Failed logins, and in which groupings each of them counts (AUT-11).
CREATE TABLE login_failures (
    id         integer PRIMARY KEY AUTOINCREMENT,
    phone      text    NOT NULL,
    source     text    NOT NULL,
    failed     integer NOT NULL,
    in_pair    integer NOT NULL,
    in_unusual integer NOT NULL
) STRICT;
CREATE INDEX login_failures_by_phone ON login_failures (phone, failed);
CREATE INDEX login_failures_by_source ON login_failures (source, failed);
CREATE INDEX login_failures_by_age ON login_failures (failed);

CREATE TABLE usual_sources (
    phone      text    NOT NULL,
    source     text    NOT NULL,
    last_login integer NOT NULL,
    PRIMARY KEY (phone, source)
) STRICT;
CREATE INDEX usual_sources_by_age ON usual_sources (last_login);

-- Codes by SMS (AUT-15). They are removed after a day.
CREATE TABLE codes (
    id      text    NOT NULL PRIMARY KEY,
    purpose text    NOT NULL,
    number  text    NOT NULL,  -- of the telephone, digits alone
    hash    blob    NOT NULL CHECK (length(hash) = 32),
    key     text    NOT NULL,  -- the name of the key of the hash
    made    integer NOT NULL,
    expires integer NOT NULL,
    tries   integer NOT NULL,
    status  text    NOT NULL CHECK (status IN ('live', 'spent', 'replaced'))
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX codes_live ON codes (number, purpose) WHERE status = 'live';
CREATE INDEX codes_of_number ON codes (number);
CREATE INDEX codes_by_age ON codes (made);

-- Requests for codes, and tries of codes, for their limits (AUT-15).
CREATE TABLE code_uses (
    id     integer PRIMARY KEY AUTOINCREMENT,
    use    text    NOT NULL CHECK (use IN ('requested', 'tried')),
    number text    NOT NULL,
    prefix text    NOT NULL,
    source text    NOT NULL,
    at     integer NOT NULL
) STRICT;
CREATE INDEX code_uses_by_number ON code_uses (number, use, at);
CREATE INDEX code_uses_by_prefix ON code_uses (prefix, use, at);
CREATE INDEX code_uses_by_source ON code_uses (source, use, at);
CREATE INDEX code_uses_by_age ON code_uses (at);

-- How many messages were taken of the budget of a day.
CREATE TABLE code_days (
    day           integer NOT NULL,
    dialling_code text    NOT NULL,  -- empty: all
    messages      integer NOT NULL,
    PRIMARY KEY (day, dialling_code)
) WITHOUT ROWID, STRICT;
