-- Who follows a user, for an erasure of the user's data.
CREATE INDEX subscriptions_of_followed ON subscriptions (followed_id);
