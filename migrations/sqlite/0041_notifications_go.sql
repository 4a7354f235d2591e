-- Notifications go with what they tell of, whichever program or cascade deletes it. A like that is taken back leaves its
-- withdrawn notification behind, so that the next like makes no other one.
CREATE TRIGGER notifications_of_comments AFTER DELETE ON comments
BEGIN
    DELETE FROM notifications WHERE actor_id = OLD.author_id AND kind = 'comment' AND object_id = OLD.id;
END;
CREATE TRIGGER notifications_of_likes AFTER DELETE ON likes
BEGIN
    DELETE FROM notifications WHERE actor_id = OLD.user_id AND kind = 'like' AND object_id = OLD.event_id AND NOT withdrawn;
END;
CREATE TRIGGER notifications_of_subscriptions AFTER DELETE ON subscriptions
BEGIN
    DELETE FROM notifications WHERE actor_id = OLD.user_id AND kind = 'follow' AND object_id = OLD.followed_id;
END;
