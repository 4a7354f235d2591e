-- Runs of imports that have ended, for the back office. Older programs serve beside this one: their runs leave none.

CREATE TABLE import_runs (
    id      integer PRIMARY KEY AUTOINCREMENT,
    state   text NOT NULL CHECK (state IN ('completed', 'interrupted', 'failed')),
    began   integer NOT NULL,
    ended   integer NOT NULL,
    counts  text NOT NULL,  -- JSON: the names of the files, and how many lines and records
    rejects text NOT NULL   -- JSON: the first lines that were rejected, with reasons and without their content
) STRICT;
