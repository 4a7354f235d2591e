-- The diary: events with their plates, counts, comments and likes, and the news of their days.

CREATE TABLE events (
    id           integer PRIMARY KEY AUTOINCREMENT,
    author_id    integer NOT NULL REFERENCES users (id),
    day          text    NOT NULL,
    title        text    NOT NULL,
    content      text    NOT NULL,
    html         text    NOT NULL,
    category_id  integer REFERENCES categories (id),
    permission   integer NOT NULL CHECK (permission IN (0, 100, 200)),
    status       integer NOT NULL CHECK (status IN (0, 100)),
    province     text    NOT NULL,
    city         text    NOT NULL,
    district     text    NOT NULL,
    created      integer NOT NULL,
    modified     integer NOT NULL,
    hidden       integer NOT NULL DEFAULT false,  -- staff have hidden it (MOD-03)
    revision     integer NOT NULL DEFAULT 0,
    published_at integer  -- when it was first published (EVT-23); NULL: never
) STRICT;
CREATE INDEX events_of_author ON events (author_id, day DESC, created DESC, id, status, permission, hidden);
-- Public events of a day stand apart from all that only some may see: these must cost no other reader.
CREATE INDEX events_of_day_public ON events (day, created DESC, id DESC) WHERE status = 100 AND NOT hidden AND permission = 0;
-- For the quota of drafts: published events of the author must not be read for it.
CREATE INDEX events_drafts ON events (author_id) WHERE status = 0;
CREATE INDEX events_by_created ON events (created);
-- What those who follow the author may see, newest publication first (EVT-23).
CREATE INDEX events_published ON events (author_id, permission, published_at DESC, id DESC) WHERE status = 100 AND NOT hidden;

-- Counts stand apart from the events: a comment is no modification of its event.
CREATE TABLE event_counts (
    event_id  integer PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    author_id integer NOT NULL,
    comments  integer NOT NULL DEFAULT 0 CHECK (comments >= 0),
    likes     integer NOT NULL DEFAULT 0 CHECK (likes >= 0),
    commented integer,  -- the latest comment; NULL: none
    CHECK ((comments = 0) = (commented IS NULL))
) STRICT;
CREATE INDEX event_counts_commented ON event_counts (author_id, commented DESC, event_id DESC) WHERE commented IS NOT NULL;

CREATE TABLE plates (
    id       integer PRIMARY KEY AUTOINCREMENT,
    event_id integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    photo    text    NOT NULL,
    created  integer NOT NULL,
    width    integer NOT NULL DEFAULT 0,  -- pixels (PLA-05)
    height   integer NOT NULL DEFAULT 0,
    hidden   integer NOT NULL DEFAULT false  -- staff have hidden it (MOD-06)
) STRICT;
CREATE INDEX plates_of_event ON plates (event_id, id);

-- Events with their counts, and their plates as JSON: the id, photo, creation, in microseconds since 1970, width and height of each, and
-- whether it is hidden.
CREATE VIEW event_entries AS SELECT
    n.comments,
    n.likes,
    (SELECT json_group_array(json_array(p.id, p.photo, p.created, p.width, p.height, p.hidden) ORDER BY p.id)
        FROM plates p WHERE p.event_id = e.id) AS plates,
    e.*
FROM events e LEFT JOIN event_counts n ON n.event_id = e.id;

CREATE TABLE comments (
    id        integer PRIMARY KEY AUTOINCREMENT,
    event_id  integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    author_id integer NOT NULL REFERENCES users (id),
    content   text    NOT NULL,
    created   integer NOT NULL,
    edited    integer,  -- when its content last changed (EVT-26); NULL: never
    reply_to  integer,  -- a comment on the same event, which may be gone: without a reference, as in Postgres
    hidden    integer NOT NULL DEFAULT false  -- staff have hidden it (MOD-03)
) STRICT;
CREATE INDEX comments_of_event ON comments (event_id, created DESC, id DESC);
-- The author comes first, so that no plan takes this index for the newest comments on an event.
CREATE INDEX comments_of_author ON comments (author_id, event_id);
CREATE INDEX comments_newest_of_author ON comments (author_id, created DESC, id DESC);
CREATE INDEX comments_by_created ON comments (created);
-- What the total of a list leaves out.
CREATE INDEX comments_hidden_of_event ON comments (event_id, author_id) WHERE hidden;

CREATE TABLE likes (
    event_id integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    user_id  integer NOT NULL REFERENCES users (id),
    PRIMARY KEY (event_id, user_id)
) STRICT;
-- For an export or an erasure: the primary key begins with the event.
CREATE INDEX likes_of_user ON likes (user_id, event_id);

CREATE TABLE news (
    id        integer PRIMARY KEY AUTOINCREMENT,
    site_name text    NOT NULL,
    site_logo text    NOT NULL,
    url       text    NOT NULL,
    title     text    NOT NULL,
    released  text    NOT NULL,
    html      text    NOT NULL,
    category  text    NOT NULL,
    city      text    NOT NULL,
    district  text    NOT NULL,
    province  text    NOT NULL,
    country   text    NOT NULL,
    source    text  -- its id at the source
) STRICT;
CREATE INDEX news_of_day ON news (released, city, id);
CREATE INDEX news_of_day_anywhere ON news (released, id);
CREATE UNIQUE INDEX news_by_source ON news (source) WHERE source IS NOT NULL;
