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

func errorOf[T any](_ T, err error) error { return err }

func errorOfTwo[A, B any](_ A, _ B, err error) error { return err }

// testLists asserts that a read of many records of the crowd takes one round trip, however many there are.
func testLists(t *testing.T, url string) {
	var counted counter
	s, ctx := Opened(t, engine.Options{URL: url, Trace: &counted}), t.Context()
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
	r, err := page.New(1, page.MaxSize)
	require.NoError(t, err)
	first := page.Behind(page.Cursor{}, many)
	all, near := feed.Selection{Kinds: feed.ItemKinds()}, feed.Select([]feed.Kind{feed.Demand}, &feed.Area{
		Centre: geo.Point{Lat: 30.5, Lng: 120.5}, Within: 5,
	})
	for name, list := range map[string]func() error{
		"members": func() error { return errorOf(s.Directory.Members(ctx, people)) },
		"search": func() error {
			return errorOf(s.Directory.Search(ctx, user.Search{Name: "bo", By: eager, CursorRequest: first}))
		},
		"relations": func() error { return errorOf(s.Subscriptions.Relations(ctx, eager, people)) },
		"events": func() error {
			return errorOf(s.EventReader.List(ctx, event.Query{Author: idol, Viewer: idol, Page: r}))
		},
		"likes":         func() error { return errorOf(s.Discussion.Likings(ctx, events, idol)) },
		"timeline":      func() error { return errorOf(s.EventReader.Timeline(ctx, eager, first)) },
		"notifications": func() error { return errorOf(s.Notifications.List(ctx, noticed, first)) },
		"commented":     func() error { return errorOf(s.EventReader.Commented(ctx, idol, many)) },
		"comments":      func() error { return errorOfTwo(s.Discussion.Comments(ctx, 1, stranger, r)) },
		"around": func() error {
			return errorOf(s.Related.Load(ctx, event.RelatedQuery{
				Viewer: eager, Dates: dates, Events: 10, DaysInCities: daysInCities, News: 10, CommentsFor: events, Comments: 10, People: people,
			}))
		},
		"publications":  func() error { return errorOf(s.Publications.List(ctx, publication.Query{Page: r})) },
		"origins":       func() error { return errorOf(s.Publications.List(ctx, publication.Query{OriginOnly: true, Page: r})) },
		"images":        func() error { return errorOf(s.Images.List(ctx, userimage.Query{Owner: 7}, page.Request{})) },
		"the tree":      func() error { return errorOfTwo(s.Feed.Metas(ctx, all)) },
		"the tree near": func() error { return errorOfTwo(s.Feed.Metas(ctx, near)) },
		"items":         func() error { return errorOf(s.Feed.Page(ctx, 1, all, r)) },
		"items near":    func() error { return errorOf(s.Feed.Page(ctx, 1, near, r)) },
		"an item":       func() error { return errorOf(s.Feed.Card(ctx, feed.Publication, 78)) },
	} {
		before := counted.n.Load()
		require.NoError(t, list(), name)
		assert.EqualValues(t, 1, counted.n.Load()-before, name)
	}
}
