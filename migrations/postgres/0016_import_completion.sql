-- When the last import that read all of its files began and ended, in the row with id 1.
CREATE TABLE import_completion (
    id    integer PRIMARY KEY CHECK (id = 1),
    began timestamptz NOT NULL,
    ended timestamptz NOT NULL
);
