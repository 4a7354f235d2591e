-- How many demands of a category are in a tile of the map, for the tree within a circle. The
-- tiles are counted in the background. They hold while their version is that of the demands
-- in feed_totals, which every change of a demand increases, so that programs from before this
-- step need not know them.
CREATE TABLE feed_tiles (
    tile_row    integer NOT NULL,  -- two strips of 1/100 of a degree of latitude
    tile_column integer NOT NULL,  -- 1/64 of a degree of longitude
    category_id integer NOT NULL,
    count       integer NOT NULL,
    created     integer NOT NULL,  -- the latest
    updated     integer NOT NULL,
    PRIMARY KEY (tile_row, tile_column, category_id)
) WITHOUT ROWID, STRICT;

CREATE TABLE feed_tiles_state (
    id      integer PRIMARY KEY CHECK (id = 1),
    version integer NOT NULL
) STRICT;
