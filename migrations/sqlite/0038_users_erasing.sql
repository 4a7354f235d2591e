-- Users whose data is being erased (USR-07).
CREATE INDEX users_erasing ON users (id) WHERE erasing;
