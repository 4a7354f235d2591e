-- Notifications go with what they tell of, whichever program or cascade deletes it. A like that is taken back leaves its
-- withdrawn notification behind, so that the next like makes no other one.
CREATE FUNCTION remove_notifications_of_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM notifications n USING gone g WHERE n.actor_id = g.author_id AND n.kind = 'comment' AND n.object_id = g.id;
    RETURN NULL;
END $$;
CREATE TRIGGER notifications_of_comments AFTER DELETE ON comments REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION remove_notifications_of_comments();

CREATE FUNCTION remove_notifications_of_likes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM notifications n USING gone g
        WHERE n.actor_id = g.user_id AND n.kind = 'like' AND n.object_id = g.event_id AND NOT n.withdrawn;
    RETURN NULL;
END $$;
CREATE TRIGGER notifications_of_likes AFTER DELETE ON likes REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION remove_notifications_of_likes();

CREATE FUNCTION remove_notifications_of_subscriptions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM notifications n USING gone g WHERE n.actor_id = g.user_id AND n.kind = 'follow' AND n.object_id = g.followed_id;
    RETURN NULL;
END $$;
CREATE TRIGGER notifications_of_subscriptions AFTER DELETE ON subscriptions REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION remove_notifications_of_subscriptions();
