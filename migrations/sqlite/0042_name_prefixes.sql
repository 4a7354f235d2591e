-- The beginnings of people's names in their folded form, by which people are searched for (USR-08).
CREATE TABLE name_prefixes (
    prefix  text NOT NULL,  -- of at most 8 characters
    user_id integer NOT NULL REFERENCES users (id),
    PRIMARY KEY (prefix, user_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX name_prefixes_of_user ON name_prefixes (user_id);

-- Whether the prefixes are those of the user's names. A program that writes them sets it.
ALTER TABLE users ADD COLUMN names_indexed integer NOT NULL DEFAULT false;

-- A program from before this step changes names without their prefixes.
CREATE TRIGGER users_renamed AFTER UPDATE OF firstname, lastname ON users
    WHEN OLD.names_indexed AND (OLD.firstname, OLD.lastname) IS NOT (NEW.firstname, NEW.lastname)
BEGIN
    UPDATE users SET names_indexed = false WHERE id = NEW.id;
END;
