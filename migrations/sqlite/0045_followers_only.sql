-- subscriptions_followers begins with the same column. Former servers use it as well.
DROP INDEX subscriptions_of_followed;
