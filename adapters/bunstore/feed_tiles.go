package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/geo"
)

// grid is the grid by which listings are found within a circle. An index of strips and
// longitudes finds what lies in a cell without reading what lies east or west of it, and the
// table feed_map has the points and counts of each tile. The SQL expressions below are those of
// geo.Grid; the schema contains the first one, too.
var grid = geo.Grid{Strips: 100, Columns: 512}

const (
	strip = "floor((l.lat + 90) * 100)"
	// tileRows is one more than the strip of the North Pole.
	tileRows = 18001
	// tilesAtOnce is about how many listings a transaction counts into tiles, unless a
	// single strip has more. On SQLite other writers wait meanwhile.
	tilesAtOnce = 5000
)

// tileOf returns the number of a tile. Those of a strip follow each other from west to east.
func tileOf(strip, lng string) string {
	return "CAST(" + strip + " * 524288 + 262144 + floor(" + lng + " * 512) AS bigint)"
}

// demandsVersion increases with every change of a demand in the feed, by whichever program.
const demandsVersion = "(SELECT CAST(COALESCE(SUM(version), 0) AS bigint) FROM feed_totals WHERE kind = 'demand')"

// tilesHold is the condition that the tiles equal the listings. No lock is needed: a
// statement sees the listings, their version and the tiles as of one moment.
const tilesHold = "EXISTS (SELECT 1 FROM feed_map_state WHERE version = " + demandsVersion + ")"

// tileSteps are the statements that count listings into tiles. Rows, which are strips, are from
// $1 to before $2.
type tileSteps struct {
	tilesVersion     string // the version of the demands, and whether the tiles hold
	saveTilesVersion string // $1 version
	nextTileRow      string // $1 row; the row about tilesAtOnce listings further north, if any
	dropTiles        string // those without listings
	putTiles         string // those that are missing or differ from the listings
	compareTiles     string // how many differ although the tiles hold
}

func newTileSteps(d engine.Dialect) tileSteps {
	// Without "+" SQLite would not use the index, which has no type for strips.
	const north = " FROM feed_listings l WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND " + strip + " >= +CAST($1 AS integer)"
	const there = north + " AND " + strip + " < +CAST($2 AS integer)"
	const rows = "tile >= CAST($1 AS bigint) * 524288 AND tile < CAST($2 AS bigint) * 524288"
	tile := tileOf(strip, "l.lng") + " AS tile"
	both := "WITH counted AS MATERIALIZED (SELECT tile, " + packed(d) + " AS counts FROM (SELECT " + tile + `,
			l.category_id, l.lat, l.lng, COUNT(*) AS count, MAX(l.created) AS created, MAX(l.updated) AS updated` + there + `
			GROUP BY l.category_id, l.lat, l.lng) points GROUP BY tile),
		kept AS MATERIALIZED (SELECT tile, counts FROM feed_map WHERE ` + rows + ") "
	const missing = "(SELECT * FROM counted EXCEPT SELECT * FROM kept) missing"
	return tileSteps{
		tilesVersion:     "SELECT " + demandsVersion + ", " + tilesHold,
		saveTilesVersion: "INSERT INTO feed_map_state (id, version) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version",
		nextTileRow: "SELECT CAST(" + strip + " AS integer)" + north + " ORDER BY " + strip +
			fmt.Sprintf(" LIMIT 1 OFFSET %d", tilesAtOnce),
		dropTiles: "DELETE FROM feed_map WHERE tile IN (SELECT tile FROM feed_map WHERE " + rows + " EXCEPT SELECT " + tile + there + ")",
		// Neighbours are stored side by side.
		putTiles: both + "INSERT INTO feed_map (tile, counts) SELECT * FROM " + missing +
			" WHERE TRUE ORDER BY tile ON CONFLICT (tile) DO UPDATE SET counts = EXCLUDED.counts",
		compareTiles: both + "SELECT CASE WHEN " + tilesHold + " THEN (SELECT COUNT(*) FROM (SELECT * FROM " + missing +
			" UNION ALL SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted) wrong) differing) ELSE 0 END",
	}
}

// tilesLock is the name of the lock under which tiles are written.
const tilesLock = "feed tiles"

// errTilesLater reports that tiles are not written now: the demands change meanwhile, or
// another server does it.
var errTilesLater = errors.New("the tiles can't be counted now")

// RefreshTiles counts the demands in the feed into tiles again if they have changed since.
// Until it is done, and after any further change, reads count the listings instead. It
// returns early, without an error, if the demands change meanwhile.
func (s *Store) RefreshTiles(ctx context.Context) error {
	var version int64
	var hold bool
	err := s.ReadRow(ctx, s.steps.tilesVersion, nil, &version, &hold)
	if err != nil || hold || version == 0 {
		return err
	}
	for row := int64(0); row < tileRows; {
		if row, err = s.refreshTileRows(ctx, version, row); err != nil {
			if errors.Is(err, errTilesLater) {
				return nil
			}
			return err
		}
	}
	// The tiles are those of this version only if it still is the current one, and a later
	// version is never this one again. Reads that begin to use them must not keep the plan of
	// when there were few or none.
	return s.writeAll(ctx, append(s.Dialect.Analyse("feed_map"), engine.Step{Statement: s.steps.saveTilesVersion, Args: []any{version}}))
}

// refreshTileRows counts some rows of tiles, and returns the next row. It returns
// errTilesLater if the version is no longer that of the demands.
func (s *Store) refreshTileRows(ctx context.Context, version, from int64) (until int64, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		if locked, err := s.Dialect.TryLock(ctx, tx, tilesLock); err != nil || !locked {
			return cmp.Or(err, errTilesLater)
		}
		var current int64
		var hold bool
		until = tileRows
		err := tx.Run(ctx, engine.Step{Statement: s.steps.tilesVersion, Row: engine.Into(&current, &hold)},
			engine.Step{Statement: s.steps.nextTileRow, Args: []any{from}, Row: engine.Into(&until)})
		if err == nil && current != version {
			err = errTilesLater
		}
		if err != nil {
			return err
		}
		until = max(until, from+1)
		return tx.Run(ctx, s.steps.countTiles(from, until)...)
	})
	return until, err
}

// countTiles returns the steps that make the rows of tiles equal to the listings.
func (t tileSteps) countTiles(from, until int64) []engine.Step {
	return []engine.Step{{Statement: t.dropTiles, Args: []any{from, until}}, {Statement: t.putTiles, Args: []any{from, until}}}
}

// tiles compares the tiles with the listings, if reads use them. It compares the rows of tiles that
// differ again while no other server writes them.
func (c check) tiles(ctx context.Context) error {
	for from := int64(0); from < tileRows; {
		until, differing := int64(tileRows), 0
		err := c.ReadRow(ctx, c.steps.nextTileRow, []any{from}, &until)
		until = max(until, from+1)
		compare := engine.Step{Statement: c.steps.compareTiles, Args: []any{from, until}, Row: engine.Into(&differing)}
		if err == nil {
			err = c.ReadRows(ctx, compare, func() {})
		}
		if err == nil && differing > 0 {
			err = c.inspect(ctx, func(ctx context.Context, tx *listedTransaction) (string, error) {
				if err := c.Dialect.Lock(ctx, tx, tilesLock); err != nil {
					return "", err
				}
				if err := tx.Run(ctx, compare); err != nil || differing == 0 {
					return "", err
				}
				what := fmt.Sprintf("%d counts of tiles in rows %d to %d differ from the demands there", differing, from, until-1)
				return what, tx.Run(ctx, c.steps.countTiles(from, until)...)
			})
		}
		if err != nil {
			return err
		}
		from = until
	}
	return nil
}
