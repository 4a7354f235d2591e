-- The texts of publications and nodes, apart from them, so that lists do not read them (FED-11).
CREATE TABLE publication_texts (
    id   bigint PRIMARY KEY REFERENCES publications (id) ON DELETE CASCADE,
    html text NOT NULL CHECK (html <> '')  -- sanitised
);
CREATE TABLE node_texts (
    id   bigint PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
    html text NOT NULL CHECK (html <> '')
);
