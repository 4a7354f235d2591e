-- Where demands are, for the tree within a circle: a row for each tile of the map that has any. The
-- tiles hold while their version is that of the demands in feed_totals, as those of feed_tiles do,
-- which only programs from before this step read and write.
CREATE TABLE feed_map (
    -- A strip is 1/100 of a degree of latitude, a column 1/512 of a degree of longitude.
    tile   bigint  PRIMARY KEY, -- 524288 * strip + 262144 + column
    -- Numbers of eight bytes, for each category at a point: the category, how many, latitude and
    -- longitude in 1/2^55 of a degree, the latest created and updated in microseconds since 1970.
    counts bytea   NOT NULL
) WITH (toast_tuple_target = 8160); -- of a page, so that only the largest values are compressed or kept elsewhere

CREATE TABLE feed_map_state (
    id      integer PRIMARY KEY CHECK (id = 1),
    version bigint NOT NULL
);
