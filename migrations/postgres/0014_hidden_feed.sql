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

-- The covers that Plaza keeps. Records share them. A record without one has no key.
CREATE VIEW kept_covers AS
    SELECT 'publication' AS kind, id, hidden, published AND NOT deleted AND NOT hidden AS is_shown, cover ->> 'key' AS key FROM publications
    UNION ALL SELECT 'node', id, hidden, published AND NOT deleted AND NOT hidden, cover ->> 'key' FROM nodes
    UNION ALL SELECT 'demand', id, hidden, published AND NOT deleted AND NOT hidden, cover ->> 'key' FROM demands;

CREATE FUNCTION rename_cover() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE publications SET cover = replace(cover::text, OLD.key, NEW.key)::jsonb WHERE OLD.kind = 'publication' AND id = OLD.id;
    UPDATE nodes SET cover = replace(cover::text, OLD.key, NEW.key)::jsonb WHERE OLD.kind = 'node' AND id = OLD.id;
    UPDATE demands SET cover = replace(cover::text, OLD.key, NEW.key)::jsonb WHERE OLD.kind = 'demand' AND id = OLD.id;
    RETURN NEW;
END $$;
CREATE TRIGGER covers_renamed INSTEAD OF UPDATE ON kept_covers FOR EACH ROW EXECUTE FUNCTION rename_cover();

-- The covers that move when a record is hidden or restored: to where none was given out unless another record shows it, and back.
CREATE VIEW moving_covers AS
    SELECT kind, id, hidden, CASE
        WHEN hidden THEN CASE WHEN key LIKE 'private/%' THEN key END
        WHEN key IS NULL THEN NULL
        WHEN NOT EXISTS (SELECT 1 FROM kept_covers o WHERE o.key = c.key AND o.is_shown AND (o.kind, o.id) <> (c.kind, c.id)) THEN key
        END AS key
    FROM kept_covers c;
