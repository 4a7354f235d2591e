package bunstore

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// counter counts round trips: statements, including BEGIN and COMMIT; a batch counts as
// one.
type counter struct{ n atomic.Int64 }

func (c *counter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*counter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (*counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// lists returns the reads of many records at once. Their database is populousPostgres.
func lists(ctx context.Context, s *Store) map[string]func() error {
	const many = 30
	var people []user.ID
	var events []event.ID
	var dates []calendar.Date
	var daysInCities []event.DayInCity
	for i := range many {
		people, events = append(people, user.ID(i+1)), append(events, event.ID(i+1))
		dates = append(dates, calendar.DateOf(noon.AddDate(0, 0, -i)))
		daysInCities = append(daysInCities, event.DayInCity{Date: dates[i], City: "杭州市"})
	}
	r, _ := page.New(1, page.MaxSize)
	near := &feed.Area{Centre: geo.Point{Lat: 30.5, Lng: 120.5}, Within: 5}
	all := map[string]func() error{
		"Members": func() error { _, err := s.Accounts().Members(ctx, people); return err },
		"Search": func() error {
			_, err := s.Accounts().Search(ctx, user.Search{Name: "an", By: 1001, CursorRequest: page.Behind(page.Cursor{}, many)})
			return err
		},
		"Relations": func() error { _, err := s.Subscriptions().Relations(ctx, 1001, people); return err },
		"Subscriptions": func() error {
			_, err := s.Subscriptions().List(ctx, subscription.Query{User: 1001, Page: r})
			return err
		},
		"Events": func() error {
			_, err := s.Events().List(ctx, event.Query{Author: 7, Viewer: 7, Page: r})
			return err
		},
		"Likings": func() error { _, err := s.Events().Likings(ctx, events, 7); return err },
		"Timeline": func() error {
			_, err := s.Events().Timeline(ctx, 1007, page.Behind(page.Cursor{}, many))
			return err
		},
		"Notifications": func() error {
			_, err := s.Notifications().List(ctx, 7, page.Behind(page.Cursor{}, many))
			return err
		},
		"Commented": func() error { _, err := s.Events().Commented(ctx, 7, many); return err },
		"Comments":  func() error { _, _, err := s.Events().Comments(ctx, 77, 7, r); return err },
		"Around": func() error {
			_, err := s.Events().Load(ctx, event.RelatedQuery{
				Viewer: 7, Dates: dates, Events: 10, DaysInCities: daysInCities, News: 10, CommentsFor: events, Comments: 10, People: people,
			})
			return err
		},
		"Publications": func() error { _, err := s.Publications().List(ctx, publication.Query{Page: r}); return err },
		"origins": func() error {
			_, err := s.Publications().List(ctx, publication.Query{OriginOnly: true, Page: r})
			return err
		},
		"Images": func() error { _, err := s.Images().List(ctx, userimage.Query{Owner: 7}, page.Request{}); return err },
		"the tree near": func() error {
			_, _, err := s.Feed().Metas(ctx, feed.Selection{Kinds: []feed.Kind{feed.Demand}, Near: near})
			return err
		},
		"the tree": func() error { _, _, err := s.Feed().Metas(ctx, feed.Selection{Kinds: feed.ItemKinds()}); return err },
		"items":    func() error { _, err := s.Feed().Page(ctx, 1, feed.Selection{Kinds: feed.ItemKinds()}, r); return err },
		"items near": func() error {
			_, err := s.Feed().Page(ctx, 1, feed.Selection{Kinds: []feed.Kind{feed.Demand}, Near: near}, r)
			return err
		},
	}
	for _, kind := range feed.ItemKinds() {
		all["an opened "+string(kind)] = func() error { _, err := s.Feed().Card(ctx, kind, 78); return err }
		all["items of "+string(kind)] = func() error {
			_, err := s.Feed().Page(ctx, 1, feed.Selection{Kinds: []feed.Kind{kind}}, r)
			return err
		}
	}
	return all
}

// assertListsAreOneStatement asserts that every list takes one round trip, however long it is.
func assertListsAreOneStatement(t *testing.T, url string) {
	t.Helper()
	var counted counter
	s, err := Open(t.Context(), engine.Options{URL: url, Trace: &counted})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, _, err = s.Feed().Metas(t.Context(), feed.Selection{Kinds: feed.ItemKinds()})
	require.NoError(t, err, "the tree is kept from here on: of what has not changed only the version is read")
	for name, list := range lists(t.Context(), s) {
		before := counted.n.Load()
		require.NoError(t, list(), name)
		assert.EqualValues(t, 1, counted.n.Load()-before, name)
	}
}
