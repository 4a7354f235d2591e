-- What the crawler brings is known by the ids that it has at its source; NULL: it came
-- from elsewhere. Whoever had an account before they were brought is adopted.

ALTER TABLE users ADD COLUMN source text;
ALTER TABLE users ADD COLUMN adopted integer NOT NULL DEFAULT false;
CREATE UNIQUE INDEX users_by_source ON users (source) WHERE source IS NOT NULL;

ALTER TABLE news ADD COLUMN source text;
CREATE UNIQUE INDEX news_by_source ON news (source) WHERE source IS NOT NULL;

-- None is ever removed, and each comes after those that it names: to look them up again
-- for every row would cost more than all the rest of it.
CREATE TABLE bundles (
    id                integer PRIMARY KEY CHECK (id > 0),
    first_original_id integer,
    original_id       integer
) STRICT;

-- A change of a bundle is one of its publications, hidden ones, too.
CREATE INDEX publications_of_bundle ON publications (bundle_id);
DROP INDEX publications_visible_bundles;

-- How far each file has been imported.
CREATE TABLE imports (
    file     text NOT NULL PRIMARY KEY,
    progress blob
) STRICT;

-- Lines that wait for what their records need, in the order in which they arrived.
CREATE TABLE import_lines (
    id     integer PRIMARY KEY AUTOINCREMENT,
    file   text NOT NULL,
    number integer NOT NULL,
    kind   text NOT NULL,
    source text NOT NULL,
    raw    blob NOT NULL,
    UNIQUE (file, number)
) STRICT;
CREATE INDEX import_lines_of_record ON import_lines (source, kind);

-- Pictures that were kept for records, by the SHA-256 of what they were made from.
CREATE TABLE import_covers (
    digest blob NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
    key    text NOT NULL,
    width  integer NOT NULL,
    height integer NOT NULL
) STRICT;
