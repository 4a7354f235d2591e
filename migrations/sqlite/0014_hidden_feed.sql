-- What the import shows can be hidden by staff (MOD-06). No import shows it again: it keeps the mark, and the marked is not listed.

ALTER TABLE publications ADD COLUMN hidden integer NOT NULL DEFAULT false;
ALTER TABLE nodes ADD COLUMN hidden integer NOT NULL DEFAULT false;
ALTER TABLE demands ADD COLUMN hidden integer NOT NULL DEFAULT false;

-- The hiding goes with what is erased, and with the author of what is imported anew.
CREATE TRIGGER publications_hidden AFTER DELETE ON publications WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'publication' AND object_id = OLD.id;
END;

CREATE TRIGGER publications_hidden_follow AFTER UPDATE OF author_id ON publications WHEN NEW.hidden AND OLD.author_id <> NEW.author_id
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = 'publication' AND object_id = NEW.id;
END;

CREATE TRIGGER nodes_hidden AFTER DELETE ON nodes WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'node' AND object_id = OLD.id;
END;

CREATE TRIGGER nodes_hidden_follow AFTER UPDATE OF author_id ON nodes WHEN NEW.hidden AND OLD.author_id <> NEW.author_id
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = 'node' AND object_id = NEW.id;
END;

CREATE TRIGGER demands_hidden AFTER DELETE ON demands WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'demand' AND object_id = OLD.id;
END;

CREATE TRIGGER demands_hidden_follow AFTER UPDATE OF author_id ON demands WHEN NEW.hidden AND OLD.author_id <> NEW.author_id
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = 'demand' AND object_id = NEW.id;
END;
