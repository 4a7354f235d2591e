-- What the import shows can be hidden by staff (MOD-06). No import shows it again: it keeps the mark, and the marked is not listed.

ALTER TABLE publications ADD COLUMN hidden boolean NOT NULL DEFAULT false;
ALTER TABLE nodes ADD COLUMN hidden boolean NOT NULL DEFAULT false;
ALTER TABLE demands ADD COLUMN hidden boolean NOT NULL DEFAULT false;

-- The hiding goes with what is erased, and with the author of what is imported anew. The argument is the kind.
CREATE FUNCTION follow_hiding() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE hidden_things SET owner_id = NEW.author_id WHERE kind = TG_ARGV[0] AND object_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER publications_hidden AFTER DELETE ON publications FOR EACH ROW WHEN (OLD.hidden) EXECUTE FUNCTION remove_hiding('publication');
CREATE TRIGGER publications_hidden_follow AFTER UPDATE OF author_id ON publications FOR EACH ROW
    WHEN (NEW.hidden AND OLD.author_id <> NEW.author_id) EXECUTE FUNCTION follow_hiding('publication');
CREATE TRIGGER nodes_hidden AFTER DELETE ON nodes FOR EACH ROW WHEN (OLD.hidden) EXECUTE FUNCTION remove_hiding('node');
CREATE TRIGGER nodes_hidden_follow AFTER UPDATE OF author_id ON nodes FOR EACH ROW
    WHEN (NEW.hidden AND OLD.author_id <> NEW.author_id) EXECUTE FUNCTION follow_hiding('node');
CREATE TRIGGER demands_hidden AFTER DELETE ON demands FOR EACH ROW WHEN (OLD.hidden) EXECUTE FUNCTION remove_hiding('demand');
CREATE TRIGGER demands_hidden_follow AFTER UPDATE OF author_id ON demands FOR EACH ROW
    WHEN (NEW.hidden AND OLD.author_id <> NEW.author_id) EXECUTE FUNCTION follow_hiding('demand');
