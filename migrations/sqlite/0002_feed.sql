-- The feed: categories, what is published in them, the listings and counts made of it, and translations.

-- The tree of categories.
CREATE TABLE categories (
    id        integer PRIMARY KEY CHECK (id > 0),
    parent_id integer REFERENCES categories (id),
    name      text    NOT NULL,
    slug      text    NOT NULL
) STRICT;

-- Bundles of translations. The import stores them before the publications that name them, and removes none.
CREATE TABLE bundles (
    id                integer PRIMARY KEY CHECK (id > 0),
    first_original_id integer,
    original_id       integer
) STRICT;
CREATE INDEX bundles_translations ON bundles (first_original_id) WHERE first_original_id IS NOT NULL;

CREATE TABLE publications (
    id                integer PRIMARY KEY CHECK (id > 0),
    bundle_id         integer,
    first_original_id integer,
    original_id       integer,
    node_id           integer,
    type              integer NOT NULL CHECK (type IN (0, 100)),
    title             text    NOT NULL,
    summary           text    NOT NULL,
    cover             text,
    author_id         integer NOT NULL REFERENCES users (id),
    language          text    NOT NULL,
    category_id       integer REFERENCES categories (id),
    published         integer NOT NULL,
    deleted           integer NOT NULL,
    hidden            integer NOT NULL DEFAULT false,  -- staff have hidden it (MOD-06); imports keep the mark
    created           integer NOT NULL,
    updated           integer NOT NULL
) STRICT;
CREATE INDEX publications_translations ON publications (first_original_id) WHERE published AND NOT deleted;
CREATE INDEX publications_of_bundle ON publications (bundle_id);
CREATE INDEX publications_of_author ON publications (author_id, id);

-- The texts of publications and nodes stand apart from them, so that lists do not read them (FED-11).
CREATE TABLE publication_texts (
    id   integer PRIMARY KEY REFERENCES publications (id) ON DELETE CASCADE,
    html text    NOT NULL CHECK (html <> '')  -- sanitised
) STRICT;

CREATE TABLE nodes (
    id          integer PRIMARY KEY CHECK (id > 0),
    bundle_id   integer,
    title       text    NOT NULL,
    summary     text    NOT NULL,
    cover       text,
    author_id   integer NOT NULL REFERENCES users (id),
    language    text    NOT NULL,
    category_id integer REFERENCES categories (id),
    published   integer NOT NULL,
    deleted     integer NOT NULL,
    hidden      integer NOT NULL DEFAULT false,  -- staff have hidden it (MOD-06); imports keep the mark
    created     integer NOT NULL,
    updated     integer NOT NULL
) STRICT;
CREATE INDEX nodes_of_author ON nodes (author_id, id);
CREATE INDEX nodes_of_bundle ON nodes (bundle_id);

CREATE TABLE node_texts (id integer PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE, html text NOT NULL CHECK (html <> '')) STRICT;

CREATE TABLE demands (
    id          integer PRIMARY KEY CHECK (id > 0),
    title       text    NOT NULL,
    description text    NOT NULL,
    tags        text    NOT NULL,
    cover       text,
    images      text    NOT NULL,
    author_id   integer NOT NULL REFERENCES users (id),
    address     text    NOT NULL,
    category_id integer REFERENCES categories (id),
    lat         real    CHECK (lat BETWEEN -90 AND 90),
    lng         real    CHECK (lng BETWEEN -180 AND 180),
    closed      integer NOT NULL,
    starts      integer NOT NULL,
    ends        integer NOT NULL,
    published   integer NOT NULL,
    deleted     integer NOT NULL,
    hidden      integer NOT NULL DEFAULT false,  -- staff have hidden it (MOD-06); imports keep the mark
    created     integer NOT NULL,
    updated     integer NOT NULL,
    CHECK ((lat IS NULL) = (lng IS NULL))
) STRICT;
CREATE INDEX demands_of_author ON demands (author_id, id);

CREATE TABLE howtos (
    category text    NOT NULL,
    robot_id integer NOT NULL REFERENCES users (id),
    bundles  text    NOT NULL,
    created  integer NOT NULL,
    updated  integer NOT NULL,
    PRIMARY KEY (category, robot_id)
) STRICT;
CREATE INDEX howtos_newest ON howtos (created DESC, category, robot_id);
CREATE INDEX howtos_of_robot ON howtos (robot_id, category);

-- One listing for each thing that the feed shows, made in the transaction of the thing. Category 0 is that of things without one.
-- The kind origin has the publications again, without translations whose original is shown (PUB-03).
CREATE TABLE feed_listings (
    kind        text    NOT NULL CHECK (kind IN ('demand', 'node', 'origin', 'publication', 'xfile')),
    id          integer NOT NULL,
    category_id integer NOT NULL,
    created     integer NOT NULL,
    updated     integer NOT NULL,
    lat         real,
    lng         real,
    PRIMARY KEY (kind, id),
    CHECK ((lat IS NULL) = (lng IS NULL)),
    CHECK (lat IS NULL OR kind = 'demand')
) STRICT;
CREATE INDEX feed_listings_newest ON feed_listings (category_id, kind, created DESC, id);
CREATE INDEX feed_listings_merged ON feed_listings (category_id, created DESC, kind, id) WHERE kind IN ('demand', 'node', 'publication');
CREATE INDEX feed_listings_updated ON feed_listings (category_id, kind, updated DESC, id);
CREATE INDEX feed_listings_latest ON feed_listings (kind, updated DESC, id) WHERE kind IN ('origin', 'publication');
CREATE INDEX feed_listings_near ON feed_listings (lat, lng, category_id, created, updated, id) WHERE lat IS NOT NULL;
CREATE INDEX feed_listings_near_of_category ON feed_listings (category_id, lat, lng, created, id) WHERE lat IS NOT NULL;

-- Counts of the listings, sharded by writer so that few writers in a category wait for one row. The sum of the counts and the
-- latest of the instants mean something, where there is any.
CREATE TABLE feed_counters (
    category_id integer NOT NULL,
    kind        text    NOT NULL CHECK (kind IN ('demand', 'node', 'origin', 'publication', 'xfile')),
    shard       integer NOT NULL CHECK (shard BETWEEN 0 AND 15),
    count       integer NOT NULL,
    created     integer,
    updated     integer,
    PRIMARY KEY (category_id, kind, shard)
) STRICT;

-- Counts of all listings of the kinds that pages show. The version moves with every change of the kind; that of 'category'
-- with every change of the tree.
CREATE TABLE feed_totals (
    kind    text    NOT NULL CHECK (kind IN ('category', 'demand', 'node', 'origin', 'publication')),
    shard   integer NOT NULL CHECK (shard BETWEEN 0 AND 15),
    count   integer NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (kind, shard)
) STRICT;

CREATE TABLE translations (
    key     blob    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    content text    NOT NULL,
    expires integer NOT NULL
) STRICT;
CREATE INDEX translations_by_age ON translations (expires);

-- Texts that a server is translating: no other server translates them until then.
CREATE TABLE translation_claims (
    key    blob    NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    holder blob    NOT NULL CHECK (length(holder) = 16),
    until  integer NOT NULL
) STRICT;

-- What translations of a day have cost.
CREATE TABLE translation_days (
    translator text    NOT NULL,
    day        integer NOT NULL,  -- its first instant, in UTC
    characters integer NOT NULL CHECK (characters >= 0),
    PRIMARY KEY (translator, day)
) STRICT;
