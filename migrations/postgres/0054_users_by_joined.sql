-- transaction: none
-- The people who joined on a day, for the overview of the back office.
CREATE INDEX CONCURRENTLY users_by_joined ON users (joined);
