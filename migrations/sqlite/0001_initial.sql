-- The same tables as on Postgres. Instants are microseconds since 1970 in UTC, days
-- are YYYY-MM-DD, lists are JSON, truth values 0 or 1.

-- People, and what login knows of them.

CREATE TABLE users (
    id            integer PRIMARY KEY AUTOINCREMENT,
    phone         text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    scopes        text NOT NULL,
    staff         integer NOT NULL,
    disabled      integer NOT NULL,
    generation    integer NOT NULL,
    firstname     text NOT NULL,
    lastname      text NOT NULL,
    expertise     text NOT NULL,
    location      text NOT NULL,
    timezone      text NOT NULL,
    joined        integer NOT NULL,
    revision      integer NOT NULL DEFAULT 0
) STRICT;

-- Being seen is written often, and must touch nothing else.
CREATE TABLE presence (
    user_id integer PRIMARY KEY REFERENCES users (id),
    seen    integer NOT NULL
) STRICT;

CREATE TABLE tokens (
    id         integer PRIMARY KEY AUTOINCREMENT,
    hash       blob NOT NULL UNIQUE CHECK (length(hash) = 32),
    user_id    integer NOT NULL REFERENCES users (id),
    scopes     text NOT NULL,
    generation integer NOT NULL,
    ttl        integer NOT NULL,  -- nanoseconds
    created    integer NOT NULL
) STRICT;
CREATE INDEX tokens_of_user ON tokens (user_id, created DESC, id DESC);

CREATE TABLE token_uses (
    token_id integer PRIMARY KEY REFERENCES tokens (id) ON DELETE CASCADE,
    used     integer NOT NULL
) STRICT;

-- Failed logins, and in which groupings each of them counts (AUT-11).
CREATE TABLE login_failures (
    id         integer PRIMARY KEY AUTOINCREMENT,
    phone      text NOT NULL,
    source     text NOT NULL,
    failed     integer NOT NULL,
    in_pair    integer NOT NULL,
    in_unusual integer NOT NULL
) STRICT;
CREATE INDEX login_failures_by_phone ON login_failures (phone, failed);
CREATE INDEX login_failures_by_source ON login_failures (source, failed);
CREATE INDEX login_failures_by_age ON login_failures (failed);

CREATE TABLE usual_sources (
    phone      text NOT NULL,
    source     text NOT NULL,
    last_login integer NOT NULL,
    PRIMARY KEY (phone, source)
) STRICT;
CREATE INDEX usual_sources_by_age ON usual_sources (last_login);

-- The tree of categories. A category's own version moves with its name.

CREATE TABLE categories (
    id        integer PRIMARY KEY CHECK (id > 0),
    parent_id integer REFERENCES categories (id),
    name      text NOT NULL,
    slug      text NOT NULL,
    version   integer NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE subscriptions (
    id          integer PRIMARY KEY AUTOINCREMENT,
    user_id     integer NOT NULL REFERENCES users (id),
    followed_id integer REFERENCES users (id),
    category_id integer REFERENCES categories (id),
    created     integer NOT NULL,
    updated     integer NOT NULL,
    CHECK ((followed_id IS NULL) <> (category_id IS NULL)),
    UNIQUE (user_id, followed_id),
    UNIQUE (user_id, category_id)
) STRICT;
CREATE INDEX subscriptions_of_user ON subscriptions (user_id, created DESC, id DESC);

-- Diary events, and what hangs on them.

CREATE TABLE events (
    id          integer PRIMARY KEY AUTOINCREMENT,
    author_id   integer NOT NULL REFERENCES users (id),
    day         text NOT NULL,
    title       text NOT NULL,
    content     text NOT NULL,
    html        text NOT NULL,
    category_id integer REFERENCES categories (id),
    permission  integer NOT NULL CHECK (permission IN (0, 100, 200)),
    status      integer NOT NULL CHECK (status IN (0, 100)),
    province    text NOT NULL,
    city        text NOT NULL,
    district    text NOT NULL,
    created     integer NOT NULL,
    modified    integer NOT NULL,
    revision    integer NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX events_of_author ON events (author_id, day DESC, created DESC, id, status, permission);
CREATE INDEX events_of_day ON events (day, created DESC, id DESC) WHERE status = 100;

CREATE TABLE plates (
    id       integer PRIMARY KEY AUTOINCREMENT,
    event_id integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    photo    text NOT NULL,
    created  integer NOT NULL
) STRICT;
CREATE INDEX plates_of_event ON plates (event_id, id);

CREATE TABLE comments (
    id        integer PRIMARY KEY AUTOINCREMENT,
    event_id  integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    author_id integer NOT NULL REFERENCES users (id),
    content   text NOT NULL,
    created   integer NOT NULL
) STRICT;
CREATE INDEX comments_of_event ON comments (event_id, created DESC, id DESC);

CREATE TABLE likes (
    event_id integer NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    user_id  integer NOT NULL REFERENCES users (id),
    PRIMARY KEY (event_id, user_id)
) STRICT;

-- Counts stand apart from the events: they are no modification of them.
CREATE TABLE event_counts (
    event_id  integer PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE,
    author_id integer NOT NULL,
    comments  integer NOT NULL DEFAULT 0 CHECK (comments >= 0),
    likes     integer NOT NULL DEFAULT 0 CHECK (likes >= 0),
    commented integer,  -- the latest comment; NULL: none
    CHECK ((comments = 0) = (commented IS NULL))
) STRICT;
CREATE INDEX event_counts_commented ON event_counts (author_id, commented DESC, event_id DESC)
    WHERE commented IS NOT NULL;

CREATE TABLE news (
    id        integer PRIMARY KEY AUTOINCREMENT,
    site_name text NOT NULL,
    site_logo text NOT NULL,
    url       text NOT NULL,
    title     text NOT NULL,
    released  text NOT NULL,
    html      text NOT NULL,
    category  text NOT NULL,
    city      text NOT NULL,
    district  text NOT NULL,
    province  text NOT NULL,
    country   text NOT NULL
) STRICT;
CREATE INDEX news_of_day ON news (released, city, id);
CREATE INDEX news_of_day_anywhere ON news (released, id);

-- What is published.

CREATE TABLE publications (
    id                integer PRIMARY KEY CHECK (id > 0),
    bundle_id         integer,
    first_original_id integer,
    original_id       integer,
    node_id           integer,
    type              integer NOT NULL CHECK (type IN (0, 100)),
    title             text NOT NULL,
    summary           text NOT NULL,
    cover             text,
    author_id         integer NOT NULL REFERENCES users (id),
    language          text NOT NULL,
    category_id       integer REFERENCES categories (id),
    published         integer NOT NULL,
    deleted           integer NOT NULL,
    created           integer NOT NULL,
    updated           integer NOT NULL
) STRICT;
CREATE INDEX publications_translations ON publications (first_original_id) WHERE published AND NOT deleted;
CREATE INDEX publications_visible_bundles ON publications (bundle_id) WHERE published AND NOT deleted;

CREATE TABLE nodes (
    id          integer PRIMARY KEY CHECK (id > 0),
    bundle_id   integer,
    title       text NOT NULL,
    summary     text NOT NULL,
    cover       text,
    author_id   integer NOT NULL REFERENCES users (id),
    language    text NOT NULL,
    category_id integer REFERENCES categories (id),
    published   integer NOT NULL,
    deleted     integer NOT NULL,
    created     integer NOT NULL,
    updated     integer NOT NULL
) STRICT;

CREATE TABLE demands (
    id          integer PRIMARY KEY CHECK (id > 0),
    title       text NOT NULL,
    description text NOT NULL,
    tags        text NOT NULL,
    cover       text,
    images      text NOT NULL,
    author_id   integer NOT NULL REFERENCES users (id),
    address     text NOT NULL,
    category_id integer REFERENCES categories (id),
    lat         real CHECK (lat BETWEEN -90 AND 90),
    lng         real CHECK (lng BETWEEN -180 AND 180),
    closed      integer NOT NULL,
    starts      integer NOT NULL,
    ends        integer NOT NULL,
    published   integer NOT NULL,
    deleted     integer NOT NULL,
    created     integer NOT NULL,
    updated     integer NOT NULL,
    CHECK ((lat IS NULL) = (lng IS NULL))
) STRICT;

CREATE TABLE howtos (
    category text NOT NULL,
    robot_id integer NOT NULL REFERENCES users (id),
    bundles  text NOT NULL,
    created  integer NOT NULL,
    updated  integer NOT NULL,
    PRIMARY KEY (category, robot_id)
) STRICT;
CREATE INDEX howtos_newest ON howtos (created DESC, category, robot_id);

CREATE TABLE translations (
    key     blob NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    content text NOT NULL,
    expires integer NOT NULL
) STRICT;
CREATE INDEX translations_by_age ON translations (expires);

-- The feed: one listing for each visible thing, and counters that equal them.
-- Both are made from the things, in the things' own transactions; category 0 is
-- the bucket of what has none. The kind origin is the publications again, without
-- translations whose original can be seen (PUB-03); nothing else asks for it.

CREATE TABLE feed_listings (
    kind        text NOT NULL CHECK (kind IN ('demand', 'node', 'origin', 'publication', 'xfile')),
    id          integer NOT NULL,
    category_id integer NOT NULL,
    created     integer NOT NULL,
    updated     integer NOT NULL,
    lat         real,
    lng         real,
    PRIMARY KEY (kind, id),
    CHECK ((lat IS NULL) = (lng IS NULL))
) STRICT;
CREATE INDEX feed_listings_newest ON feed_listings (category_id, kind, created DESC, id);
CREATE INDEX feed_listings_merged ON feed_listings (category_id, created DESC, kind, id)
    WHERE kind IN ('demand', 'node', 'publication');
CREATE INDEX feed_listings_updated ON feed_listings (category_id, kind, updated DESC, id);
CREATE INDEX feed_listings_latest ON feed_listings (kind, updated DESC, id) WHERE kind IN ('origin', 'publication');
CREATE INDEX feed_listings_near ON feed_listings (category_id, lat, lng, created, updated, id)
    WHERE kind = 'demand' AND lat IS NOT NULL;
-- Without statistics SQLite reads no index from its middle, and holds a kind for rarer
-- than a range: the kind must come first.
CREATE INDEX feed_listings_near_anywhere ON feed_listings (kind, lat, lng, category_id, created, updated)
    WHERE kind = 'demand' AND lat IS NOT NULL;

-- Sharded by writer, so that few in one category wait for one row: only the sum of the
-- counts and the latest of the instants mean something, and only where there is any.
CREATE TABLE feed_counters (
    category_id integer NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('demand', 'node', 'origin', 'publication', 'xfile')),
    shard       integer NOT NULL CHECK (shard BETWEEN 0 AND 15),
    count       integer NOT NULL,
    created     integer,
    updated     integer,
    version     integer NOT NULL,
    PRIMARY KEY (category_id, kind, shard)
) STRICT;

-- All that is listed of the kinds that pages show, wherever. The version moves with
-- every change of it; that of 'category', of which nothing is counted, with every
-- change of the tree.
CREATE TABLE feed_totals (
    kind    text NOT NULL CHECK (kind IN ('category', 'demand', 'node', 'origin', 'publication')),
    shard    integer NOT NULL CHECK (shard BETWEEN 0 AND 15),
    count   integer NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (kind, shard)
) STRICT;

-- Members' own pictures.

CREATE TABLE images (
    id       integer PRIMARY KEY AUTOINCREMENT,
    owner_id integer NOT NULL REFERENCES users (id),
    key      text NOT NULL,
    width    integer NOT NULL,
    height   integer NOT NULL,
    tags     text NOT NULL,
    created  integer NOT NULL,
    deleted  integer,
    revision integer NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX images_of_owner ON images (owner_id, created DESC, id DESC) WHERE deleted IS NULL;

CREATE TABLE image_counts (
    owner_id integer PRIMARY KEY REFERENCES users (id),
    kept     integer NOT NULL CHECK (kept >= 0)
) STRICT;

-- Money.

CREATE TABLE orders (
    id             integer PRIMARY KEY AUTOINCREMENT,
    user_id        integer NOT NULL REFERENCES users (id),
    subject        text NOT NULL,
    amount         integer NOT NULL CHECK (amount > 0),  -- fen
    currency       text NOT NULL CHECK (currency = 'CNY'),
    state          text NOT NULL CHECK (state IN ('open', 'paid', 'closed')),
    created        integer NOT NULL,
    expires        integer NOT NULL,
    paid           integer,
    transaction_id text
) STRICT;
CREATE INDEX orders_of_user ON orders (user_id, state, created DESC, id DESC);

CREATE TABLE prepayments (
    id           integer PRIMARY KEY AUTOINCREMENT,
    order_id     integer NOT NULL REFERENCES orders (id),
    out_trade_no text NOT NULL UNIQUE,
    state        text NOT NULL CHECK (state IN ('preparing', 'unknown', 'live', 'closing', 'closed', 'paid')),
    created      integer NOT NULL
) STRICT;
CREATE UNIQUE INDEX prepayments_one_live ON prepayments (order_id)
    WHERE state IN ('preparing', 'unknown', 'live', 'closing');

CREATE TABLE payments (
    id             integer PRIMARY KEY AUTOINCREMENT,
    order_id       integer REFERENCES orders (id),
    transaction_id text NOT NULL UNIQUE,
    state          text NOT NULL CHECK (state IN ('applied', 'refund_due', 'disputed')),
    amount         integer NOT NULL,
    currency       text NOT NULL,
    received       integer NOT NULL
) STRICT;
CREATE UNIQUE INDEX payments_applied_once ON payments (order_id) WHERE state = 'applied';

-- Keys that all servers on this database share.
CREATE TABLE secrets (
    name    text NOT NULL PRIMARY KEY,
    content text NOT NULL
) STRICT;

-- What is done once per database, and must not be begun twice.
CREATE TABLE chores (
    name text NOT NULL PRIMARY KEY,
    done integer NOT NULL
) STRICT;
