package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"plaza/adapters/bunstore"
	"plaza/domain/feed"
)

// circled is the part of a run that times one statement, as -scenarios calls it.
const circled = "circle"

// circleRow is how long the store takes to count the demands of each category within 5 km of the centre of a city.
type circleRow struct {
	within int // demands
	took   time.Duration
}

// Goal of a circle, and how many demands are within it.
const (
	circleGoal   = 10 * time.Millisecond
	circleWithin = 20_000
)

// benchCircle comes after what compares Plaza with others: it adds listings of demands that do not exist.
func benchCircle(ctx context.Context, s benchedStore) (row circleRow, err error) {
	fmt.Fprintf(os.Stderr, "%s, circle\n", s.name)
	store, err := bunstore.Open(ctx, bunstore.Options{URL: s.full})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	city := cities[0]
	demands := feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Centre: city.centre, Within: 5})
	count := func() error {
		_, metas, err := store.Feed().Metas(ctx, demands)
		row.within = 0
		for _, m := range metas {
			row.within += m.Count
		}
		return err
	}
	if err := count(); err != nil {
		return row, err
	}
	const side = 0.03 // in degrees: a square within the circle
	err = execute(ctx, s.full, fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
		INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
		SELECT l.kind, l.id + 10000000 * n.i, l.category_id, l.created, l.updated,
			l.lat + ((37 * n.i + l.id) %% 1001 - 500) * 0.000004, l.lng + ((53 * n.i + l.id) %% 997 - 500) * 0.000004 FROM feed_listings l, n
			WHERE l.kind = 'demand' AND abs(l.lat - %f) < %[3]f AND abs(l.lng - %[2]f) < %[3]f ORDER BY n.i LIMIT %[4]d;
		UPDATE feed_totals SET version = version + 1 WHERE kind = 'demand'`,
		city.centre.Lat, city.centre.Lng, side, max(0, circleWithin-row.within)))
	if err == nil {
		err = s.tidy()
	}
	var times []time.Duration
	for range 21 {
		began := time.Now()
		err = errors.Join(err, count())
		times = append(times, time.Since(began))
	}
	row.took = median(times)
	fmt.Fprintf(os.Stderr, "  %d within: %v\n", row.within, row.took)
	return row, err
}
