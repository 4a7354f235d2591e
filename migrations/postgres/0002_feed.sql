-- The feed: categories, what is published in them, the listings and counts made of it, and translations.

-- The tree of categories.
CREATE TABLE categories (
    id        bigint PRIMARY KEY CHECK (id > 0),
    parent_id bigint REFERENCES categories (id),
    name      text   NOT NULL,
    slug      text   NOT NULL
);

-- Bundles of translations. The import stores them before the publications that name them, and removes none.
CREATE TABLE bundles (
    id                bigint PRIMARY KEY CHECK (id > 0),
    first_original_id bigint,
    original_id       bigint
);
CREATE INDEX bundles_translations ON bundles (first_original_id) WHERE first_original_id IS NOT NULL;

CREATE TABLE publications (
    id                bigint      PRIMARY KEY CHECK (id > 0),
    bundle_id         bigint,
    first_original_id bigint,
    original_id       bigint,
    node_id           bigint,
    type              smallint    NOT NULL CHECK (type IN (0, 100)),
    title             text        NOT NULL,
    summary           text        NOT NULL,
    cover             jsonb,
    author_id         bigint      NOT NULL REFERENCES users (id),
    language          text        NOT NULL,
    category_id       bigint      REFERENCES categories (id),
    published         boolean     NOT NULL,
    deleted           boolean     NOT NULL,
    hidden            boolean     NOT NULL DEFAULT false,  -- staff have hidden it (MOD-06); imports keep the mark
    created           timestamptz NOT NULL,
    updated           timestamptz NOT NULL
);
CREATE INDEX publications_translations ON publications (first_original_id) WHERE published AND NOT deleted;
CREATE INDEX publications_of_bundle ON publications (bundle_id);
CREATE INDEX publications_of_author ON publications (author_id, id);

-- The texts of publications and nodes stand apart from them, so that lists do not read them (FED-11).
CREATE TABLE publication_texts (
    id   bigint PRIMARY KEY REFERENCES publications (id) ON DELETE CASCADE,
    html text   NOT NULL CHECK (html <> '')  -- sanitised
);

CREATE TABLE nodes (
    id          bigint      PRIMARY KEY CHECK (id > 0),
    bundle_id   bigint,
    title       text        NOT NULL,
    summary     text        NOT NULL,
    cover       jsonb,
    author_id   bigint      NOT NULL REFERENCES users (id),
    language    text        NOT NULL,
    category_id bigint      REFERENCES categories (id),
    published   boolean     NOT NULL,
    deleted     boolean     NOT NULL,
    hidden      boolean     NOT NULL DEFAULT false,  -- staff have hidden it (MOD-06); imports keep the mark
    created     timestamptz NOT NULL,
    updated     timestamptz NOT NULL
);
CREATE INDEX nodes_of_author ON nodes (author_id, id);
CREATE INDEX nodes_of_bundle ON nodes (bundle_id);

CREATE TABLE node_texts (id bigint PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE, html text NOT NULL CHECK (html <> ''));

CREATE TABLE demands (
    id          bigint           PRIMARY KEY CHECK (id > 0),
    title       text             NOT NULL,
    description text             NOT NULL,
    tags        text[]           NOT NULL,
    cover       jsonb,
    images      text[]           NOT NULL,
    author_id   bigint           NOT NULL REFERENCES users (id),
    address     text             NOT NULL,
    category_id bigint           REFERENCES categories (id),
    lat         double precision CHECK (lat BETWEEN -90 AND 90),
    lng         double precision CHECK (lng BETWEEN -180 AND 180),
    closed      timestamptz      NOT NULL,
    starts      timestamptz      NOT NULL,
    ends        timestamptz      NOT NULL,
    published   boolean          NOT NULL,
    deleted     boolean          NOT NULL,
    hidden      boolean          NOT NULL DEFAULT false,  -- staff have hidden it (MOD-06); imports keep the mark
    created     timestamptz      NOT NULL,
    updated     timestamptz      NOT NULL,
    CHECK ((lat IS NULL) = (lng IS NULL))
);
CREATE INDEX demands_of_author ON demands (author_id, id);

CREATE TABLE howtos (
    category text COLLATE "C" NOT NULL,
    robot_id bigint           NOT NULL REFERENCES users (id),
    bundles  bigint[]    NOT NULL,
    created  timestamptz      NOT NULL,
    updated  timestamptz      NOT NULL,
    PRIMARY KEY (category, robot_id)
);
CREATE INDEX howtos_newest ON howtos (created DESC, category, robot_id);
CREATE INDEX howtos_of_robot ON howtos (robot_id, category);

-- One listing for each thing that the feed shows, made in the transaction of the thing. Category 0 is that of things without one.
-- The kind origin has the publications again, without translations whose original is shown (PUB-03).
CREATE TABLE feed_listings (
    kind        text COLLATE "C" NOT NULL CHECK (kind IN ('demand', 'node', 'origin', 'publication', 'xfile')),
    id          bigint           NOT NULL,
    category_id bigint           NOT NULL,
    created     timestamptz      NOT NULL,
    updated     timestamptz      NOT NULL,
    lat         double precision,
    lng         double precision,
    PRIMARY KEY (kind, id),
    CHECK ((lat IS NULL) = (lng IS NULL)),
    CHECK (lat IS NULL OR kind = 'demand')
);
CREATE INDEX feed_listings_newest ON feed_listings (category_id, kind, created DESC, id);
CREATE INDEX feed_listings_merged ON feed_listings (category_id, created DESC, kind, id) WHERE kind IN ('demand', 'node', 'publication');
CREATE INDEX feed_listings_updated ON feed_listings (category_id, kind, updated DESC, id);
CREATE INDEX feed_listings_latest ON feed_listings (kind, updated DESC, id) WHERE kind IN ('origin', 'publication');
CREATE INDEX feed_listings_near ON feed_listings (lat, lng) INCLUDE (category_id, created, updated, id) WHERE lat IS NOT NULL;
CREATE INDEX feed_listings_near_of_category ON feed_listings (category_id, lat, lng) INCLUDE (created, id) WHERE lat IS NOT NULL;

-- Counts of the listings, sharded by writer so that few writers in a category wait for one row. The sum of the counts and the
-- latest of the instants mean something, where there is any.
CREATE TABLE feed_counters (
    category_id bigint           NOT NULL,
    kind        text COLLATE "C" NOT NULL CHECK (kind IN ('demand', 'node', 'origin', 'publication', 'xfile')),
    shard       smallint         NOT NULL CHECK (shard BETWEEN 0 AND 15),
    count       bigint           NOT NULL,
    created     timestamptz,
    updated     timestamptz,
    PRIMARY KEY (category_id, kind, shard)
) WITH (fillfactor = 50);

-- Counts of all listings of the kinds that pages show. The version moves with every change of the kind; that of 'category'
-- with every change of the tree.
CREATE TABLE feed_totals (
    kind    text COLLATE "C" NOT NULL CHECK (kind IN ('category', 'demand', 'node', 'origin', 'publication')),
    shard   smallint         NOT NULL CHECK (shard BETWEEN 0 AND 15),
    count   bigint           NOT NULL,
    version bigint           NOT NULL,
    PRIMARY KEY (kind, shard)
) WITH (fillfactor = 50);

CREATE TABLE translations (
    key     bytea       NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    content text        NOT NULL,
    expires timestamptz NOT NULL
);
CREATE INDEX translations_by_age ON translations (expires);

-- Texts that a server is translating: no other server translates them until then.
CREATE TABLE translation_claims (
    key    bytea       NOT NULL PRIMARY KEY CHECK (length(key) = 32),
    holder bytea       NOT NULL CHECK (length(holder) = 16),
    until  timestamptz NOT NULL
);

-- What translations of a day have cost.
CREATE TABLE translation_days (
    translator text COLLATE "C" NOT NULL,
    day        timestamptz      NOT NULL,  -- its first instant, in UTC
    characters bigint           NOT NULL CHECK (characters >= 0),
    PRIMARY KEY (translator, day)
);
