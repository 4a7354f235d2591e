-- Comments that staff have hidden (MOD-03). An older program does not know the column: it still shows them, and deleting one
-- takes another one off the count of its event, which plaza check finds.
ALTER TABLE comments ADD COLUMN hidden boolean NOT NULL DEFAULT false;

CREATE FUNCTION remove_hidden_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM hidden_things WHERE kind = 'comment' AND object_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER comments_hidden AFTER DELETE ON comments FOR EACH ROW WHEN (OLD.hidden) EXECUTE FUNCTION remove_hidden_comment();
