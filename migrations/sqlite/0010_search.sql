-- What is found by the words of its text, made in the transaction of the thing. The place of an entry is its creation in 32nds of
-- a microsecond, or behind others of that moment: an index of words is read in the order of places.
CREATE TABLE search_entries (
    place     integer PRIMARY KEY,
    kind      text    NOT NULL CHECK (kind IN ('demand', 'node', 'publication', 'xfile')),
    id        integer NOT NULL,
    created   integer NOT NULL,
    author_id integer NOT NULL,  -- of an event; 0: another kind
    private   integer NOT NULL,  -- 1: its author alone finds it
    words     text    NOT NULL,
    UNIQUE (kind, id)
) STRICT;

CREATE VIRTUAL TABLE search_words USING fts5(
    words, content = 'search_entries', content_rowid = 'place', tokenize = 'ascii', detail = 'none', columnsize = 0);
INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1);  -- erased words leave the file

CREATE TRIGGER search_entries_added AFTER INSERT ON search_entries
BEGIN
    INSERT INTO search_words (rowid, words) VALUES (NEW.place, NEW.words);
END;

CREATE TRIGGER search_entries_removed AFTER DELETE ON search_entries
BEGIN
    INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.place, OLD.words);
END;

CREATE TRIGGER search_entries_changed AFTER UPDATE OF place, words ON search_entries
BEGIN
    INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.place, OLD.words);
    INSERT INTO search_words (rowid, words) VALUES (NEW.place, NEW.words);
END;
