-- Accounts by their telephones: login names without the dash (AUT-03).
CREATE INDEX users_by_telephone ON users (replace(phone, '-', ''));
