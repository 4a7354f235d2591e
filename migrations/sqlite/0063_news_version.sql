-- The version of the news, in one row; without it: 0. Every change of the news raises it. So a server may keep what it
-- has read while the version stays. It follows the clock in microseconds, so that none is used again after a backup was
-- restored.
CREATE TABLE news_version (
    id      integer PRIMARY KEY CHECK (id = 1),
    version integer NOT NULL
) STRICT;

CREATE TRIGGER news_added AFTER INSERT ON news BEGIN
    INSERT INTO news_version (id, version) VALUES (1, CAST(unixepoch('subsec') * 1000000 AS integer))
        ON CONFLICT (id) DO UPDATE SET version = max(version + 1, excluded.version);
END;
CREATE TRIGGER news_changed AFTER UPDATE ON news BEGIN
    INSERT INTO news_version (id, version) VALUES (1, CAST(unixepoch('subsec') * 1000000 AS integer))
        ON CONFLICT (id) DO UPDATE SET version = max(version + 1, excluded.version);
END;
CREATE TRIGGER news_removed AFTER DELETE ON news BEGIN
    INSERT INTO news_version (id, version) VALUES (1, CAST(unixepoch('subsec') * 1000000 AS integer))
        ON CONFLICT (id) DO UPDATE SET version = max(version + 1, excluded.version);
END;
