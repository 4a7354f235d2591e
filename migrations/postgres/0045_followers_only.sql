-- transaction: none
-- subscriptions_followers begins with the same column. Former servers use it as well.
DROP INDEX CONCURRENTLY IF EXISTS subscriptions_of_followed;
