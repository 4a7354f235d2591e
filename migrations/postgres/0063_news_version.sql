-- The version of the news, in one row; without it: 0. Every change of the news raises it. So a server may keep what it
-- has read while the version stays. It follows the clock in microseconds, so that none is used again after a backup was
-- restored.
CREATE TABLE news_version (
    id      integer PRIMARY KEY CHECK (id = 1),
    version bigint NOT NULL
);

CREATE FUNCTION raise_news_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO news_version AS v (id, version) VALUES (1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
        ON CONFLICT (id) DO UPDATE SET version = greatest(v.version + 1, EXCLUDED.version);
    RETURN NULL;
END $$;
CREATE TRIGGER news_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON news
    FOR EACH STATEMENT EXECUTE FUNCTION raise_news_version();
