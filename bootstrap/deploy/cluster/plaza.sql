-- The role and the database of Plaza: once, on the primary, as postgres.
CREATE ROLE plaza LOGIN PASSWORD '${DATABASE_PASSWORD}';
-- Behind a pooler these limits belong to the role.
ALTER ROLE plaza SET statement_timeout = '10s';
ALTER ROLE plaza SET lock_timeout = '5s';
ALTER ROLE plaza SET idle_in_transaction_session_timeout = '30s';
ALTER ROLE plaza SET plan_cache_mode = force_generic_plan;
ALTER ROLE plaza SET jit = off;
ALTER ROLE plaza SET random_page_cost = 1.1;
CREATE DATABASE plaza OWNER plaza;
