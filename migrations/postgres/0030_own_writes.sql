-- How many writes of the user's own the servers have counted. A replica whose row has the number
-- that the primary has shows all of them.
ALTER TABLE presence ADD COLUMN writes bigint NOT NULL DEFAULT 0;
