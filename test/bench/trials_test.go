package bench

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/test/postgres"
)

// tinyStores make databases with the tiny dataset.
func tinyStores() map[string]func(*testing.T) string {
	return map[string]func(*testing.T) string{
		"postgres": func(t *testing.T) string { return postgres.New(t, tinyPostgres) },
		"sqlite":   tinySQLite,
	}
}

func tinySQLite(t *testing.T) string {
	url := "sqlite:" + filepath.Join(t.TempDir(), "plaza.db")
	require.NoError(t, fill(t.Context(), url, newDataset(tiny)))
	return url
}

func untidy() error { return nil }

// briefly is a round that is long enough to add something, even where much else is
// going on.
func briefly() rounds { return rounds{count: 1, load: load{time: 250 * time.Millisecond}} }

func tinyContest(t *testing.T, url string) *contest {
	c, err := openContest(t.Context(), url, newDataset(tiny))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.close()) })
	return c
}

func TestWriters_are_counted_exactly(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, make := range tinyStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, counted, err := benchWriters(t.Context(), benchedStore{name: name, full: make(t), tidy: untidy}, newDataset(tiny), briefly())
			require.NoError(t, err)
			assert.Len(t, rows, len(crowds))
			assert.Positive(t, counted)
			for _, row := range rows {
				assert.Positive(t, row.ratios[0], row.name)
			}
		})
	}
}

// miscounts are what may go wrong while the crowds write: 1 is the store's category,
// 4 the bare insert's, and no test writes in 3.
var miscounts = map[string]string{
	"one too many is counted":            `UPDATE feed_counters SET count = count + 1 WHERE ` + aCounter("1"),
	"one too few is counted":             `UPDATE feed_counters SET count = count - 1 WHERE ` + aCounter("1"),
	"what is bare is counted":            `UPDATE feed_counters SET count = count + 1 WHERE ` + aCounter("4"),
	"one is counted where nobody writes": `UPDATE feed_counters SET count = count + 1 WHERE ` + aCounter("3"),
	"one is counted in another category": `UPDATE feed_counters SET count = count + CASE category_id WHEN 1 THEN -1 ELSE 1 END
		WHERE ` + aCounter("1") + ` OR ` + aCounter("3"),
	"what was stored is not there": `DELETE FROM feed_listings WHERE ` + aListing("1"),
	"what is bare is not there":    `DELETE FROM feed_listings WHERE ` + aListing("4"),
}

// aCounter is the fullest shard of a category.
func aCounter(category string) string {
	of := "kind = 'xfile' AND category_id = " + category
	return "(" + of + " AND shard = (SELECT shard FROM feed_counters WHERE " + of + " ORDER BY count DESC, shard LIMIT 1))"
}

func aListing(category string) string {
	of := "kind = 'xfile' AND category_id = " + category
	return of + " AND id = (SELECT MAX(id) FROM feed_listings WHERE " + of + ")"
}

func TestA_miscount_is_found_out(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, make := range tinyStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tinyContest(t, make(t))
			_, counted, err := c.hold(t.Context(), crowds[0], briefly())
			require.NoError(t, err)
			assert.Positive(t, counted)
			for what, statement := range miscounts {
				r := briefly()
				r.tidy = func() error {
					done, err := c.rows.ExecContext(t.Context(), statement)
					require.NoError(t, err, what)
					changed, err := done.RowsAffected()
					assert.Positive(t, changed, what)
					return err
				}
				_, _, err := c.hold(t.Context(), crowds[0], r)
				assert.ErrorIs(t, err, errMiscounted, what)
			}
			_, _, err = c.hold(t.Context(), crowds[0], briefly())
			assert.NoError(t, err, "it was not what had been done that was found")
		})
	}
}

// careless is an inserter that stores something else than it is told.
type careless struct {
	inserter
	spoil func(*event.State)
}

func (c careless) insert(ctx context.Context, e event.State) (event.ID, error) {
	c.spoil(&e)
	return c.inserter.insert(ctx, e)
}

func TestA_bare_insert_that_does_less_is_found_out(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, make := range tinyStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tinyContest(t, make(t))
			require.NoError(t, c.compareRows(t.Context()))
			proper := c.bare
			for _, spoil := range []func(*event.State){
				func(e *event.State) { e.Content = "" },
				func(e *event.State) { e.Category = largest },
				func(e *event.State) { e.Modified = e.Modified.Add(time.Microsecond) },
			} {
				c.bare = careless{proper, spoil}
				_, _, err := c.holdAll(t.Context(), name, briefly())
				assert.ErrorIs(t, err, errUnlike)
			}
			e, err := c.draft(largest)
			require.NoError(t, err)
			id, err := proper.insert(t.Context(), e.State())
			require.NoError(t, err)
			_, err = c.rowsOf(t.Context(), id)
			require.NoError(t, err)
			_, err = c.rows.ExecContext(t.Context(), "DELETE FROM event_counts WHERE event_id = $1", int64(id))
			require.NoError(t, err)
			_, err = c.rowsOf(t.Context(), id)
			assert.ErrorContains(t, err, "not stored whole")
		})
	}
}

// ownPostgres is a server with a log of its own.
func ownPostgres(t *testing.T) benchedStore {
	url := postgres.Start(t).URL("postgres")
	require.NoError(t, tinyPostgres(t.Context(), url))
	return benchedStore{name: "Postgres", full: url, log: logOf(url), tidy: untidy}
}

func TestReads_are_timed_inside_the_database(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, make := range map[string]func(*testing.T) benchedStore{
		"postgres": ownPostgres,
		"sqlite": func(t *testing.T) benchedStore {
			return benchedStore{name: "SQLite", full: tinySQLite(t), tidy: untidy}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := make(t)
			rows, err := benchInside(t.Context(), s, newDataset(tiny))
			require.NoError(t, err)
			require.Len(t, rows, 4)
			for _, row := range rows {
				assert.Len(t, row.times, insideRuns, row.what)
				assert.Positive(t, row.times[0], row.what)
				assert.Positive(t, row.among, row.what)
			}
			assert.Equal(t, rows[0].took(), rows[1].pageOne)
			_, most := newDataset(tiny).densest()
			assert.Equal(t, most, rows[3].found)
			const alsoCounted = "INSERT INTO feed_tiles_state (id, version) VALUES (1, 0)"
			if path, is := strings.CutPrefix(s.full, "sqlite:"); is {
				assert.ErrorContains(t, executeSQLite(t.Context(), path, alsoCounted), "UNIQUE", "the tiles are counted already")
			} else {
				assert.ErrorContains(t, execute(t.Context(), s.full, alsoCounted), "feed_tiles_state_pkey", "the tiles are counted already")
			}
		})
	}
}

func TestReads_that_the_log_does_not_tell_of_have_no_times(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s := ownPostgres(t)
	timed := func(url string, spoil int) error {
		store, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
		require.NoError(t, err)
		defer store.Close()
		read := pageOf(store, feed.Select([]feed.Kind{feed.Publication}, nil), 1)
		_, err = logged(s.log)(3, func() (int, error) {
			shown, _, err := read(t.Context())
			return shown + spoil, err
		})
		return err
	}
	require.NoError(t, timed(explained(s.full), 0))
	assert.ErrorIs(t, timed(s.full, 0), errUntimed, "nothing is logged")
	assert.ErrorIs(t, timed(explained(s.full), 1), errUntimed, "other rows than were shown")
}

func TestReports_show_writers_and_what_is_inside(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	o := outcome{ratios: []float64{0.7, 0.75, 0.9}}
	times := []time.Duration{14 * time.Millisecond, 15 * time.Millisecond, 16 * time.Millisecond}
	r := report{scale: 1, dataset: newDataset(tiny), stores: []results{{
		benchedStore: benchedStore{name: "Postgres"}, writers: []row{{scenario: crowds[0].scenario, outcome: o}}, lasting: "fsync=on", counted: 1234,
		sizes:  []sizeRow{{what: "a deep page", outcome: outcome{ratios: []float64{0.4}}}},
		inside: []insideRow{{what: "page 4,000", goal: deepGoal, pageOne: 500 * time.Microsecond, times: times}},
	}}}
	text := r.text()
	assert.Contains(t, text, "| W | 16 writers add events to one category | 0 | 0 | 0.75 | 0.70–0.90 | ≥ 0.90 | missed |")
	assert.Contains(t, text, "fsync=on")
	assert.Contains(t, text, "All 1,234 events")
	assert.Contains(t, text, "| 0.40 | 0.40–0.40 | – | – |")
	assert.Contains(t, text, "| 15.00 ms | 14.00–16.00 | × 30.0 | ≤ 15 ms | met |")
	assert.Equal(t, map[string]float64{"Postgres/W": 0.75}, ratiosIn(text))
	slow := insideRow{goal: deepGoal, times: []time.Duration{15010 * time.Microsecond}}
	assert.Equal(t, "missed", slow.verdict(1))
	assert.Equal(t, "counts at scale 1", slow.verdict(0.1))
}
