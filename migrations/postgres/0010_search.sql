-- What is found by the words of its text, made in the transaction of the thing. The words of a long text stand apart from the rows, so
-- that many rows can be put in order without them.
CREATE TABLE search_entries (
    kind      text        NOT NULL CHECK (kind IN ('demand', 'node', 'publication', 'xfile')),
    id        bigint      NOT NULL,
    created   timestamptz NOT NULL,
    author_id bigint      NOT NULL,  -- of an event; 0: another kind
    private   boolean     NOT NULL,  -- its author alone finds it
    words     tsvector    NOT NULL,
    PRIMARY KEY (kind, id)
) WITH (toast_tuple_target = 128);
CREATE INDEX search_entries_newest ON search_entries (created DESC, kind, id);
CREATE INDEX search_entries_words ON search_entries USING gin (words)
    WITH (gin_pending_list_limit = 128);  -- KiB, which every search reads
