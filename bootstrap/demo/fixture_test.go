package demo_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/gazetteer"
	"plaza/adapters/imaging"
	"plaza/adapters/jsonlines"
	"plaza/adapters/sanitiser"
	"plaza/adapters/zxcvbn"
	"plaza/application/diary"
	"plaza/application/importing"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/test/memory"
)

// fixture is a store in memory with the use cases that the tests read it through.
type fixture struct {
	t     *testing.T
	store *memory.Store
	ports demo.Ports
	diary *diary.Diary
}

func emptyFixture() fixture {
	s := memory.New()
	pictures, clean, processor := memory.NewMedia("http://plaza.test", []byte("key")), sanitiser.New(), imaging.NewProcessor(1)
	p := demo.Ports{
		Ports: s.Ports, Hasher: argon2id.New(argon2id.Cheap, 4, 32), Strength: zxcvbn.Estimator{},
		Importer: importing.NewImporter(importing.Ports{
			Store: s.Imports, Decoder: jsonlines.Decoder{}, Feed: s.Feed, Sanitiser: clean,
			Processor: processor, Pictures: pictures, Now: time.Now,
		}),
		Diary: diary.Ports{
			Events: s.Events, Reader: s.EventReader, Discussion: s.Discussion, Related: s.Related,
			Categories: s.Categories, Directory: s.Directory,
			Places: gazetteer.New(), Sanitiser: clean, Pictures: pictures, Addresses: pictures.Addresses,
			Deletions: s.Deletions, Processor: processor, Room: s.Room,
			Keys: s.Keys,
		},
	}
	return fixture{store: s, ports: p, diary: diary.New(p.Diary, nil, today)}
}

func load() (fixture, error) {
	w := emptyFixture()
	return w, demo.Load(context.Background(), w.ports)
}

// loadOnce loads what all tests share and none changes.
var loadOnce = sync.OnceValues(load)

// loaded returns the fixture with the demo data of load, or of loadOnce.
func loaded(t *testing.T, load func() (fixture, error)) fixture {
	t.Helper()
	w, err := load()
	require.NoError(t, err)
	w.t = t
	return w
}

// today is after everything in the demo data.
func today() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }

// whole returns the only page of a list.
func whole[T any](t *testing.T, list func(page.Request) (page.Page[T], error)) []T {
	t.Helper()
	all, err := page.New(1, page.MaxSize)
	require.NoError(t, err)
	p, err := list(all)
	require.NoError(t, err)
	require.Equal(t, 1, p.Request.Pages(p.Total))
	return p.Items
}

func (w fixture) accounts() []access.Account {
	w.t.Helper()
	all, err := w.ports.Accounts.List(w.t.Context(), 0, page.MaxSize)
	require.NoError(w.t, err)
	return all
}

// of returns the author's events, as the author sees them.
func (w fixture) of(author user.ID) []diary.View {
	w.t.Helper()
	return whole(w.t, func(p page.Request) (page.Page[diary.View], error) {
		return w.diary.Of(w.t.Context(), access.Actor{ID: author, Zone: time.UTC}, event.Query{Author: author, Page: p}, diary.AllParts)
	})
}

func (w fixture) subscriptions(id user.ID) []subscription.Subscription {
	w.t.Helper()
	return whole(w.t, func(p page.Request) (page.Page[subscription.Subscription], error) {
		return w.ports.Subscriptions.List(w.t.Context(), subscription.Query{User: id, Page: p})
	})
}

// items returns the listed things of the kind by category.
func (w fixture) items(kind feed.Kind) map[feed.CategoryID][]feed.Item {
	w.t.Helper()
	selection := feed.Select([]feed.Kind{kind}, nil)
	_, metas, err := w.store.Feed.Metas(w.t.Context(), selection)
	require.NoError(w.t, err)
	all := map[feed.CategoryID][]feed.Item{}
	for id := range metas {
		all[id] = whole(w.t, func(p page.Request) (page.Page[feed.Item], error) {
			return w.store.Feed.Page(w.t.Context(), id, selection, p)
		})
	}
	return all
}
