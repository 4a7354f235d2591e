-- What an account does in the back office (OFF-03). Accounts that were of staff before are admins.
-- minimum: 0016

ALTER TABLE users ADD COLUMN roles text NOT NULL DEFAULT '[]';
UPDATE users SET roles = '["admin"]' WHERE staff;
ALTER TABLE users DROP COLUMN staff;
