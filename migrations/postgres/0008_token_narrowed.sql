-- Whether a token's login named scopes. Narrowed tokens open the back office only if they
-- named it. Tokens that an older program issues have NULL.
ALTER TABLE tokens ADD COLUMN narrowed boolean;
