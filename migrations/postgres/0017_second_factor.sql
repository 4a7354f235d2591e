-- The second factor of staff (OFF-04), and which tokens were issued with it.

ALTER TABLE users
    ADD COLUMN factor_secret  bytea,  -- of an app, encrypted; NULL or empty: none is enrolled
    ADD COLUMN factor_step    bigint NOT NULL DEFAULT 0,     -- of the last accepted code of the app
    ADD COLUMN recovery_codes text[] NOT NULL DEFAULT '{}';  -- hashes of those that were not used
ALTER TABLE tokens ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
