-- Postgres alone has replicas, which prove by this number that they have what the user wrote.
ALTER TABLE presence ADD COLUMN writes integer NOT NULL DEFAULT 0;
