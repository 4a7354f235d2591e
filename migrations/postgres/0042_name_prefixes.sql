-- The beginnings of people's names in their folded form, by which people are searched for (USR-08).
CREATE TABLE name_prefixes (
    prefix  text COLLATE "C" NOT NULL,  -- of at most 8 characters
    user_id bigint NOT NULL REFERENCES users (id),
    PRIMARY KEY (prefix, user_id)
);
CREATE INDEX name_prefixes_of_user ON name_prefixes (user_id);

-- Whether the prefixes are those of the user's names. A program that writes them sets it.
ALTER TABLE users ADD COLUMN names_indexed boolean NOT NULL DEFAULT false;

-- A program from before this step changes names without their prefixes.
CREATE FUNCTION forget_names_indexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.names_indexed := false;
    RETURN NEW;
END $$;
CREATE TRIGGER users_renamed BEFORE UPDATE OF firstname, lastname ON users FOR EACH ROW
    WHEN (OLD.names_indexed AND (OLD.firstname, OLD.lastname) IS DISTINCT FROM (NEW.firstname, NEW.lastname))
    EXECUTE FUNCTION forget_names_indexed();
