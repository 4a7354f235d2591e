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
// table feed_tiles has the counts of each tile. The SQL expressions below are those of
// geo.Grid; the schema contains the first one, too.
var grid = geo.Grid{Strips: 100, Height: 2, Columns: 64}

const (
	strip      = "floor((l.lat + 90) * 100)"
	tileRow    = "floor(" + strip + " / 2)"
	tileColumn = "floor(l.lng * 64)"
	// tileRows is one more than the row of the North Pole.
	tileRows = 9001
	// tilesAtOnce is about how many listings a transaction counts into tiles, unless a
	// single row of tiles has more. On SQLite other writers wait meanwhile.
	tilesAtOnce = 5000
)

// demandsVersion increases with every change of a demand in the feed, by whichever program.
const demandsVersion = "(SELECT CAST(COALESCE(SUM(version), 0) AS bigint) FROM feed_totals WHERE kind = 'demand')"

// tilesHold is the condition that the tiles equal the listings. No lock is needed: a
// statement sees the listings, their version and the tiles as of one moment.
const tilesHold = "EXISTS (SELECT 1 FROM feed_tiles_state WHERE version = " + demandsVersion + ")"

// tileSteps are the statements that count listings into tiles. Rows are from $1 to before
// $2.
type tileSteps struct {
	tilesVersion     string // the version of the demands, and whether the tiles hold
	saveTilesVersion string // $1 version
	nextTileRow      string // $1 row; the row about tilesAtOnce listings further north, if any
	dropTiles        string // those that differ from the listings
	addTiles         string // those that are missing
	compareTiles     string // how many differ although the tiles hold
}

func newTileSteps() tileSteps {
	const where = " FROM feed_listings l WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND " + strip + " >= 2 * CAST($1 AS integer)"
	const rows = "tile_row >= CAST($1 AS integer) AND tile_row < CAST($2 AS integer)"
	const both = `WITH counted AS MATERIALIZED (
			SELECT CAST(` + tileRow + ` AS integer) AS tile_row, CAST(` + tileColumn + ` AS integer) AS tile_column, l.category_id,
				CAST(COUNT(*) AS integer) AS count, MAX(l.created) AS created, MAX(l.updated) AS updated` + where +
		` AND ` + strip + ` < 2 * CAST($2 AS integer) GROUP BY 1, 2, 3),
		kept AS MATERIALIZED (SELECT tile_row, tile_column, category_id, count, created, updated FROM feed_tiles WHERE ` + rows + `) `
	const wrong = "(SELECT * FROM kept EXCEPT SELECT * FROM counted) wrong"
	const missing = "(SELECT * FROM counted EXCEPT SELECT * FROM kept) missing"
	return tileSteps{
		tilesVersion:     "SELECT " + demandsVersion + ", " + tilesHold,
		saveTilesVersion: "INSERT INTO feed_tiles_state (id, version) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET version = EXCLUDED.version",
		nextTileRow: "SELECT CAST(" + tileRow + " AS integer)" + where + " ORDER BY " + strip +
			fmt.Sprintf(" LIMIT 1 OFFSET %d", tilesAtOnce),
		dropTiles: both + "DELETE FROM feed_tiles WHERE " + rows +
			" AND (tile_row, tile_column, category_id) IN (SELECT tile_row, tile_column, category_id FROM " + wrong + ")",
		// Neighbours are stored side by side. On Postgres listings may have changed since
		// dropTiles.
		addTiles: both + "INSERT INTO feed_tiles (tile_row, tile_column, category_id, count, created, updated)" +
			" SELECT * FROM " + missing + " WHERE TRUE ORDER BY 1, 2, 3 ON CONFLICT (tile_row, tile_column, category_id)" +
			" DO UPDATE SET count = EXCLUDED.count, created = EXCLUDED.created, updated = EXCLUDED.updated",
		compareTiles: both + "SELECT CASE WHEN " + tilesHold + " THEN (SELECT COUNT(*) FROM (SELECT * FROM " + wrong +
			" UNION ALL SELECT * FROM " + missing + ") differing) ELSE 0 END",
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
	return s.writeAll(ctx, append(s.Dialect.Analyse("feed_tiles"), engine.Step{Statement: s.steps.saveTilesVersion, Args: []any{version}}))
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
	return []engine.Step{{Statement: t.dropTiles, Args: []any{from, until}}, {Statement: t.addTiles, Args: []any{from, until}}}
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
