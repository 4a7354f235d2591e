package bunstore

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/news"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/test/content"
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

// storeMany stores many records of everything.
func storeMany(t *testing.T, s *Store, many int) {
	t.Helper()
	ctx := t.Context()
	things := []any{feed.Category{ID: 1, Name: "A shelf"}, news.Item{Released: calendar.DateOf(noon), City: "杭州市"}}
	for i := range many {
		phone, err := user.ParsePhone(fmt.Sprintf("+86-138%08d", i+1))
		require.NoError(t, err)
		id, err := s.Accounts().Open(ctx, access.Account{Phone: phone}, user.Member{Joined: noon})
		require.NoError(t, err)
		if id > 1 {
			follow, err := subscription.ToUser(1, id, noon)
			require.NoError(t, err)
			_, _, err = s.Subscriptions().Follow(ctx, follow)
			require.NoError(t, err)
		}
		text := publication.Content{Author: 1, Category: 1, Published: true, Created: noon, Updated: noon}
		things = append(things,
			publication.Publication{ID: publication.ID(id), Content: text}, publication.Node{ID: publication.NodeID(id), Content: text},
			demand.Demand{
				ID: demand.ID(id), Author: id, Category: 1, Place: &geo.Point{Lat: 30, Lng: 120}, Published: true,
				Closed: noon, Start: noon, End: noon, Created: noon, Updated: noon,
			},
			publication.HowTo{Category: fmt.Sprint(i), Robot: 1, Created: noon, Updated: noon},
		)
		_, err = s.Images().Add(ctx, userimage.New(1, "public/a", 1, 1, 0, userimage.Tags{}, noon))
		require.NoError(t, err)
		storeDiscussed(t, s)
	}
	stores := content.Stores{Accounts: s.Accounts(), Directory: s.Accounts(), Imports: s.Imports()}
	require.NoError(t, content.Import(ctx, stores, things...))
}

// storeDiscussed stores an event with a plate and a comment.
func storeDiscussed(t *testing.T, s *Store) {
	t.Helper()
	e, err := event.New(1, event.Change{Title: new("An event"), Publish: new(true)}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	require.NoError(t, e.AddPlate("private/a", 0, noon))
	e, err = s.Events().Add(t.Context(), e)
	require.NoError(t, err)
	comment, err := event.NewComment(e.ID(), 1, "Well said", noon)
	require.NoError(t, err)
	_, err = s.Events().AddComment(t.Context(), comment)
	require.NoError(t, err)
}

// lists returns the reads of many records at once.
func lists(ctx context.Context, s *Store, many int) map[string]func() error {
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
	near := &feed.Area{Centre: geo.Point{Lat: 30, Lng: 120}, Within: 5}
	all := map[string]func() error{
		"Members":       func() error { _, err := s.Accounts().Members(ctx, people); return err },
		"Relations":     func() error { _, err := s.Subscriptions().Relations(ctx, 1, people); return err },
		"Subscriptions": func() error { _, err := s.Subscriptions().List(ctx, subscription.Query{User: 1, Page: r}); return err },
		"Events": func() error {
			_, err := s.Events().List(ctx, event.Query{Author: 1, States: event.VisibleStates(subscription.Self), Page: r})
			return err
		},
		"Commented": func() error { _, err := s.Events().Commented(ctx, 1, many); return err },
		"Comments":  func() error { _, _, err := s.Events().Comments(ctx, 1, r); return err },
		"Around": func() error {
			_, err := s.Events().Load(ctx, event.RelatedQuery{
				Viewer: 1, Dates: dates, Events: 10, DaysInCities: daysInCities, News: 10, CommentsFor: events, Comments: 10, People: people,
			})
			return err
		},
		"Publications": func() error { _, err := s.Publications().List(ctx, publication.Query{Page: r}); return err },
		"origins": func() error {
			_, err := s.Publications().List(ctx, publication.Query{OriginOnly: true, Page: r})
			return err
		},
		"HowTos": func() error { _, err := s.HowTos().List(ctx, nil, r); return err },
		"Images": func() error { _, err := s.Images().List(ctx, userimage.Query{Owner: 1}, page.Request{}); return err },
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
		all["items of "+string(kind)] = func() error {
			_, err := s.Feed().Page(ctx, 1, feed.Selection{Kinds: []feed.Kind{kind}}, r)
			return err
		}
	}
	return all
}

func TestEVT08_every_list_is_one_statement_however_long(t *testing.T) {
	t.Parallel()
	var counted counter
	s, err := Open(t.Context(), Options{URL: MigratedPostgres(t), trace: &counted})
	require.NoError(t, err)
	s.sweepDraw = func() int { return 1 } // no sweep: it is a round trip of its own
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	const many = 30
	storeMany(t, s, many)
	_, _, err = s.Feed().Metas(t.Context(), feed.Selection{Kinds: feed.ItemKinds()})
	require.NoError(t, err, "the tree is kept from here on: of what has not changed only the version is read")
	for name, list := range lists(t.Context(), s, many) {
		before := counted.n.Load()
		require.NoError(t, list(), name)
		assert.EqualValues(t, 1, counted.n.Load()-before, name)
	}
}
