-- The second factor of staff (OFF-04), and which tokens were issued with it.

ALTER TABLE users ADD COLUMN factor_secret blob;  -- of an app, encrypted; NULL or empty: none is enrolled
ALTER TABLE users ADD COLUMN factor_step integer NOT NULL DEFAULT 0;  -- of the last accepted code of the app
ALTER TABLE users ADD COLUMN recovery_codes text NOT NULL DEFAULT '[]';  -- hashes of those that were not used
ALTER TABLE tokens ADD COLUMN second_factor integer NOT NULL DEFAULT false;
