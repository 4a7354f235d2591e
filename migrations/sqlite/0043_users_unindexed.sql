-- Users whose names are still to be indexed (USR-08).
CREATE INDEX users_unindexed ON users (id) WHERE NOT names_indexed;
