-- How far imports have come, and what they keep for later lines and runs.

-- How far each file has been imported.
CREATE TABLE imports (file text NOT NULL PRIMARY KEY, progress blob) STRICT;

-- Runs of imports, for the back office.
CREATE TABLE import_runs (
    id         integer PRIMARY KEY AUTOINCREMENT,
    state      text    NOT NULL CHECK (state IN ('completed', 'interrupted', 'failed')),
    began      integer NOT NULL,
    ended      integer NOT NULL,
    counts     text    NOT NULL,  -- JSON: the names of the files, and how many lines and records
    rejects    text    NOT NULL,  -- JSON: the first lines that were rejected, with reasons and without their content
    unfinished integer NOT NULL DEFAULT false
) STRICT;

-- Pictures that were kept for records, by the SHA-256 of what they were made from.
CREATE TABLE import_covers (digest blob NOT NULL PRIMARY KEY CHECK (length(digest) = 32), picture text NOT NULL) STRICT;

-- When the last import that read all of its files began and ended.
CREATE TABLE import_completion (
    id    integer PRIMARY KEY CHECK (id = 1),
    began integer NOT NULL,
    ended integer NOT NULL
) STRICT;
