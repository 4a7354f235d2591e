-- Events that a user likes, for an export or an erasure of the user's data. The primary key begins with the event.
CREATE INDEX likes_of_user ON likes (user_id, event_id);
