package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/bunstore"
	"plaza/domain/feed"
	pages "plaza/domain/page"
)

// How often a read is timed, after a few times that let it warm up.
const (
	insideRuns    = 21
	insideWarmUps = 3
)

// insideRow is how long a read of the store's takes inside the database.
type insideRow struct {
	what         string
	among, found int
	goal         time.Duration // zero: none
	pageOne      time.Duration // what the first page of the same takes; zero: that is nothing to compare with
	times        []time.Duration
}

// Goals of reads, at scale 1.
const (
	deepGoal = 15 * time.Millisecond
	nearGoal = 3 * time.Millisecond
)

// took is as it is printed, so that what is judged is what can be read.
func (r insideRow) took() time.Duration { return median(r.times).Round(10 * time.Microsecond) }

func (r insideRow) aim() string {
	if r.goal == 0 {
		return "–"
	}
	return fmt.Sprintf("≤ %v ms", milliseconds(r.goal))
}

// verdict is given at the size that the goals were set for.
func (r insideRow) verdict(scale float64) string {
	switch {
	case r.goal == 0:
		return "–"
	case scale < 1:
		return "counts at scale 1"
	case r.took() > r.goal:
		return "missed"
	}
	return "met"
}

// benchInside has the store itself make the reads, so that what is timed is the
// statements that the code runs, with their plans.
func benchInside(ctx context.Context, s benchedStore, d *dataset) (rows []insideRow, err error) {
	if err := s.tidy(); err != nil {
		return nil, err
	}
	at, timed := s.full, stopwatch
	if s.log != "" {
		at, timed = explained(s.full), logged(s.log)
	}
	store, err := bunstore.Open(ctx, bunstore.Options{URL: at})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	reads, err := readsInside(ctx, store, d)
	if err != nil {
		return nil, err
	}
	for _, read := range reads {
		fmt.Fprintf(os.Stderr, "%s, inside: %s\n", s.name, read.what)
		times, err := timed(insideWarmUps+insideRuns, func() (shown int, err error) {
			shown, read.found, err = read.run(ctx)
			if err == nil && read.there > 0 && read.found != read.there {
				err = fmt.Errorf("%w: %d things are there, and %d were found", errUnlike, read.there, read.found)
			}
			return shown, err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", read.what, err)
		}
		read.times = slices.Sorted(slices.Values(times[insideWarmUps:]))
		if read.isDeep {
			read.pageOne = rows[0].took()
		}
		fmt.Fprintf(os.Stderr, "  %v\n", read.took())
		rows = append(rows, read.insideRow)
	}
	return rows, nil
}

// insideRead is a read of the store's. It tells how many rows the statement had,
// and how many things there are in all.
type insideRead struct {
	insideRow
	isDeep bool
	there  int // what must be found; zero: the dataset does not tell
	run    func(context.Context) (shown, found int, err error)
}

// readsInside begin with the first page that the deep one is compared with. A circle
// is looked for in one category, as pages of items do, and in all.
func readsInside(ctx context.Context, store *bunstore.Store, d *dataset) ([]insideRead, error) {
	publications, demands := d.shelves["publication"].count(largest), d.shelves["demand"].count(largest)
	first := pageOf(store, feed.Select([]feed.Kind{feed.Publication}, nil), 1)
	_, total, err := first(ctx)
	if err != nil {
		return nil, err
	}
	deep := max(1, min(4000, total/pageSize))
	city, there := d.densest()
	circle := feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Centre: city.centre, Within: 5})
	return []insideRead{
		{insideRow{what: "page 1 of the largest category", among: publications}, false, 0, first},
		{
			insideRow{what: "page " + thousands(deep) + " of it", among: publications, goal: deepGoal}, true, 0,
			pageOf(store, feed.Select([]feed.Kind{feed.Publication}, nil), deep),
		},
		{
			insideRow{what: "demands within 5 km of " + city.name + ", page 1 of the largest category", among: demands, goal: nearGoal}, false, 0,
			pageOf(store, circle, 1),
		},
		{
			insideRow{what: "demands within 5 km of " + city.name + ", counted in every category", among: d.demands, goal: nearGoal}, false, there,
			treeOf(store, circle),
		},
	}, nil
}

func pageOf(store *bunstore.Store, sel feed.Selection, number int) func(context.Context) (int, int, error) {
	return func(ctx context.Context) (shown, found int, err error) {
		r, err := pages.New(number, pageSize)
		if err != nil {
			return 0, 0, err
		}
		p, err := store.Feed().Page(ctx, largest, sel, r)
		return len(p.Items), p.Total, err
	}
}

func treeOf(store *bunstore.Store, sel feed.Selection) func(context.Context) (int, int, error) {
	return func(ctx context.Context) (shown, found int, err error) {
		all, metas, err := store.Feed().Metas(ctx, sel)
		shown = len(all)
		for category, meta := range metas {
			found += meta.Count
			if category == uncategorised {
				shown++
			}
		}
		return shown, found, err
	}
}

// densest is the city with the most demands to be seen within 5 km of its centre, and
// how many that are.
func (d *dataset) densest() (spot, int) {
	around := make([]int, len(cities))
	for i := range d.demands {
		_, point := d.place(i)
		if _, visible := d.published("demand", i); !visible || point == nil {
			continue
		}
		for n, city := range cities {
			if city.centre.To(*point) <= 5 {
				around[n]++
			}
		}
	}
	most := slices.Max(around)
	return cities[slices.Index(around, most)], most
}

// stopwatch times reads of a database that is within the process.
func stopwatch(runs int, read func() (shown int, err error)) ([]time.Duration, error) {
	var times []time.Duration
	for range runs {
		began := time.Now()
		if _, err := read(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

// explained is the database by a connection for which Postgres logs how long every
// statement takes to run, and how it is run, just as EXPLAIN (ANALYZE, TIMING OFF)
// tells it.
func explained(at string) string {
	return at + "&" + url.Values{
		"pool_max_conns": {"1"}, "session_preload_libraries": {"auto_explain"},
		"auto_explain.log_min_duration": {"0"}, "auto_explain.log_analyze": {"on"},
		"auto_explain.log_timing": {"off"}, "auto_explain.log_format": {"json"},
	}.Encode()
}

// logOf is the log of a server that test/postgres has started, which stands beside
// its socket.
func logOf(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		panic(err) // test/postgres has made it
	}
	return filepath.Join(u.Query().Get("host"), "log")
}

// logged times reads by the server's log. Every read must be one statement there,
// always the same, with as many rows as the store has shown.
func logged(log string) func(int, func() (int, error)) ([]time.Duration, error) {
	return func(runs int, read func() (int, error)) ([]time.Duration, error) {
		before, err := os.ReadFile(log)
		if err != nil {
			return nil, err
		}
		var shown []int
		for range runs {
			rows, err := read()
			if err != nil {
				return nil, err
			}
			shown = append(shown, rows)
		}
		after, err := os.ReadFile(log)
		if err != nil {
			return nil, err
		}
		ran, err := executions(string(after[min(len(before), len(after)):]))
		if err != nil {
			return nil, err
		}
		return timesOf(ran, shown)
	}
}

// execution is what auto_explain logs of a statement.
type execution struct {
	took time.Duration
	Text string `json:"Query Text"`
	Plan struct {
		Rows int `json:"Actual Rows"`
	}
}

var executed = regexp.MustCompile(`(?s)duration: ([0-9.]+) ms  plan:\n(\{\n.*?\n\})`)

// executions are those in a log, which begins all lines of a message but the first
// with a tab.
func executions(log string) (all []execution, err error) {
	for _, parts := range executed.FindAllStringSubmatch(strings.ReplaceAll(log, "\n\t", "\n"), -1) {
		var e execution
		took, errTook := strconv.ParseFloat(parts[1], 64)
		if err := cmp.Or(errTook, json.Unmarshal([]byte(parts[2]), &e)); err != nil {
			return nil, fmt.Errorf("%w: %s", err, parts[0])
		}
		e.took = time.Duration(took * float64(time.Millisecond))
		all = append(all, e)
	}
	return all, nil
}

var errUntimed = errors.New("the log does not tell how long the reads took")

// timesOf fails unless the executions are those of the reads that showed so many
// rows.
func timesOf(ran []execution, shown []int) ([]time.Duration, error) {
	if len(ran) != len(shown) {
		return nil, fmt.Errorf("%w: of %d, it has %d", errUntimed, len(shown), len(ran))
	}
	var times []time.Duration
	for i, e := range ran {
		if e.Text != ran[0].Text || e.Plan.Rows != shown[i] {
			return nil, fmt.Errorf("%w: read %d showed %d rows, and it has %d rows of %s", errUntimed, i+1, shown[i], e.Plan.Rows, e.Text)
		}
		times = append(times, e.took)
	}
	return times, nil
}
