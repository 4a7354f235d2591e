-- transaction: none
-- Accounts by their telephones: login names without the dash (AUT-03).
CREATE INDEX CONCURRENTLY users_by_telephone ON users (replace(phone, '-', ''));
