-- transaction: none
-- Users whose data is being erased (USR-07).
CREATE INDEX CONCURRENTLY users_erasing ON users (id) WHERE erasing;
