-- name_prefixes has the beginnings of each word of a name, and of both names written together, without accents and
-- characters that draw nothing (USR-08). The background job names_index stores those of the users of before.
UPDATE users SET names_indexed = false WHERE names_indexed;
