-- Comments that staff have hidden (MOD-03). An older program does not know the column: it still shows them, and deleting one
-- takes another one off the count of its event, which plaza check finds.
ALTER TABLE comments ADD COLUMN hidden integer NOT NULL DEFAULT false;

CREATE TRIGGER comments_hidden AFTER DELETE ON comments WHEN OLD.hidden
BEGIN
    DELETE FROM hidden_things WHERE kind = 'comment' AND object_id = OLD.id;
END;
