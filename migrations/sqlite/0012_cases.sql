-- Reports of one thing are a case, which is decided once and keeps the thing as it was reported (MOD-05).
-- minimum: 0012

CREATE TABLE report_cases (
    id              integer PRIMARY KEY AUTOINCREMENT,
    kind            text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id       integer NOT NULL,
    owner_id        integer NOT NULL REFERENCES users (id),  -- whose thing it is
    first_reported  integer NOT NULL,
    last_reported   integer NOT NULL,
    spam            integer NOT NULL DEFAULT 0,  -- how many people report it for each reason
    abuse           integer NOT NULL DEFAULT 0,
    illegal         integer NOT NULL DEFAULT 0,
    other           integer NOT NULL DEFAULT 0,
    decided         integer,  -- NULL: it is open
    outcome         text    CHECK (outcome IN ('hidden', 'dismissed', 'account_disabled')),
    decided_by      integer REFERENCES users (id),
    decided_person  text    CHECK (decided_person <> ''),  -- at the command line
    decision_reason text    NOT NULL DEFAULT '',
    CHECK ((decided IS NULL) = (outcome IS NULL))
) STRICT;
CREATE UNIQUE INDEX report_cases_open_of_thing ON report_cases (kind, object_id) WHERE decided IS NULL;
CREATE INDEX report_cases_open ON report_cases (first_reported, id) WHERE decided IS NULL;
CREATE INDEX report_cases_open_of_kind ON report_cases (kind, first_reported, id) WHERE decided IS NULL;
CREATE INDEX report_cases_open_illegal ON report_cases (first_reported, id) WHERE decided IS NULL AND illegal > 0;
CREATE INDEX report_cases_decided ON report_cases (decided DESC, id DESC) WHERE decided IS NOT NULL;
CREATE INDEX report_cases_of_owner ON report_cases (owner_id, id);
CREATE INDEX report_cases_of_thing ON report_cases (kind, object_id);

-- The different forms in which the thing of a case was reported.
CREATE TABLE kept_versions (
    id      integer PRIMARY KEY AUTOINCREMENT,
    case_id integer NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    digest  blob    NOT NULL CHECK (length(digest) = 32),
    content text    NOT NULL,  -- JSON of the texts, and of the names of the pictures
    created integer NOT NULL,
    expires integer,  -- NULL: the case is open
    UNIQUE (case_id, digest)
) STRICT;
CREATE INDEX kept_versions_in_order ON kept_versions (case_id, id);
CREATE INDEX kept_versions_expired ON kept_versions (expires) WHERE expires IS NOT NULL;

-- Copies of the pictures of these forms, which staff alone see.
CREATE TABLE kept_pictures (
    id      integer PRIMARY KEY AUTOINCREMENT,
    case_id integer NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    name    text    NOT NULL,  -- tells it from other pictures of the thing
    key     text    NOT NULL UNIQUE,
    expires integer,
    UNIQUE (case_id, name)
) STRICT;
CREATE INDEX kept_pictures_expired ON kept_pictures (expires) WHERE expires IS NOT NULL;

CREATE TRIGGER kept_pictures_discarded AFTER DELETE ON kept_pictures
BEGIN
    INSERT INTO discards (key, due) VALUES (OLD.key, 0) ON CONFLICT (key) DO NOTHING;
END;

DROP TRIGGER events_hidden;
DROP TRIGGER comments_hidden;
DROP TRIGGER images_hidden;
CREATE TABLE new_hidden_things (
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id integer NOT NULL,
    owner_id  integer NOT NULL REFERENCES users (id),
    reason    text    NOT NULL,
    hidden_at integer NOT NULL,
    PRIMARY KEY (kind, object_id)
) STRICT;
INSERT INTO new_hidden_things SELECT kind, object_id, owner_id, reason, hidden_at FROM hidden_things;
DROP TABLE hidden_things;
ALTER TABLE new_hidden_things RENAME TO hidden_things;
CREATE INDEX hidden_things_of_owner ON hidden_things (owner_id, hidden_at DESC, kind, object_id);

CREATE TRIGGER events_hidden AFTER DELETE ON events WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'event' AND object_id = OLD.id;
END;

CREATE TRIGGER comments_hidden AFTER DELETE ON comments WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'comment' AND object_id = OLD.id;
END;

CREATE TRIGGER images_hidden AFTER UPDATE ON images WHEN OLD.hidden AND OLD.deleted IS NULL AND NEW.deleted IS NOT NULL
BEGIN
    DELETE FROM hidden_things WHERE kind = 'image' AND object_id = OLD.id;
END;

-- Each person reports a thing once.
DROP TABLE reports;
CREATE TABLE reports (
    id        integer PRIMARY KEY AUTOINCREMENT,
    author_id integer NOT NULL REFERENCES users (id),
    kind      text    NOT NULL CHECK (kind IN ('event', 'comment', 'image', 'user', 'plate', 'profile', 'publication', 'node', 'demand')),
    object_id integer NOT NULL,
    case_id   integer NOT NULL REFERENCES report_cases (id) ON DELETE CASCADE,
    reason    text    NOT NULL CHECK (reason IN ('spam', 'abuse', 'illegal', 'other')),
    content   text    NOT NULL,
    created   integer NOT NULL,
    UNIQUE (author_id, kind, object_id)
) STRICT;
CREATE INDEX reports_of_author ON reports (author_id, id DESC);
CREATE INDEX reports_of_case ON reports (case_id, id);
CREATE INDEX reports_with_text ON reports (case_id, id) WHERE content <> '';
