package bunstore_test

import (
	"context"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/test/content"
)

// raw opens the database without the store, for data that no port shows.
func raw(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, at := "pgx", url
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		driver, at = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(on)"
	}
	db, err := sql.Open(driver, at)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func versions(t *testing.T, db *sql.DB, in feed.CategoryID, kind feed.Kind) (sum int) {
	t.Helper()
	require.NoError(t, db.QueryRow("SELECT COALESCE(SUM(version), 0) FROM feed_counters WHERE category_id = $1 AND kind = $2",
		int64(in), string(kind)).Scan(&sum))
	return sum
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// openWithCategories opens an account and adds two categories.
func openWithCategories(t *testing.T, s *bunstore.Store) user.ID {
	t.Helper()
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	id, err := s.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(t, err)
	require.NoError(t, imports(t.Context(), s, feed.Category{ID: 1, Name: "A shelf"}, feed.Category{ID: 2, Name: "A shelf"}))
	return id
}

// imports stores the things through the import store.
func imports(ctx context.Context, s *bunstore.Store, things ...any) error {
	return content.Import(ctx, content.Stores{Accounts: s.Accounts(), Directory: s.Accounts(), Imports: s.Imports()}, things...)
}

func TestFED10_the_version_moves_with_every_visible_change(t *testing.T) {
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			s, db := open(t, at), raw(t, at)
			author := openWithCategories(t, s)
			put := func(change func(*publication.Publication)) {
				p := publication.Publication{ID: 9, Content: publication.Content{
					Title: "One", Author: author, Category: 1, Published: true, Created: noon, Updated: noon,
				}}
				change(&p)
				require.NoError(t, imports(t.Context(), s, p))
			}
			for _, step := range []struct {
				what   string
				change func(*publication.Publication)
				moves  []feed.CategoryID
			}{
				{"hidden", func(p *publication.Publication) { p.Published = false }, nil},
				{"still hidden", func(p *publication.Publication) { p.Published, p.Title = false, "Other" }, nil},
				{"shown", func(*publication.Publication) {}, []feed.CategoryID{1}},
				{"another title alone", func(p *publication.Publication) { p.Title = "Two" }, []feed.CategoryID{1}},
				{"elsewhere", func(p *publication.Publication) { p.Category = 2 }, []feed.CategoryID{1, 2}},
				{"updated", func(p *publication.Publication) { p.Category, p.Updated = 2, noon.Add(1) }, []feed.CategoryID{2}},
				{"out of its category", func(p *publication.Publication) { p.Category = 0 }, []feed.CategoryID{0, 2}},
				{"deleted", func(p *publication.Publication) { p.Category, p.Deleted = 0, true }, []feed.CategoryID{0}},
			} {
				before := map[feed.CategoryID]int{}
				for in := range feed.CategoryID(3) {
					before[in] = versions(t, db, in, feed.Publication)
				}
				put(step.change)
				for _, in := range step.moves {
					before[in]++
				}
				for in := range feed.CategoryID(3) {
					assert.Equal(t, before[in], versions(t, db, in, feed.Publication), "%s: category %d", step.what, in)
				}
			}
		})
	}
}

func TestFED10_no_version_is_lost_when_many_write_at_once(t *testing.T) {
	const writers, turns = 16, 12
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			s, db := open(t, at), raw(t, at)
			author := openWithCategories(t, s)
			var all sync.WaitGroup
			for range writers {
				all.Go(func() { assert.NoError(t, republish(t.Context(), s, author, turns)) })
			}
			all.Wait()
			assert.Equal(t, writers*turns, versions(t, db, 1, feed.Xfile)+versions(t, db, 2, feed.Xfile)-writers*(turns-1))
			assert.Empty(t, checked(t, s, false))
		})
	}
}

// republish writes an event and moves it to the other category in each turn, so that
// each turn but the first changes both.
func republish(ctx context.Context, s *bunstore.Store, author user.ID, turns int) error {
	draft := event.Change{Title: new("An event"), Publish: new(true), Category: new(feed.CategoryID(1))}
	e, err := event.New(author, draft, calendar.DateOf(noon), noon)
	if err != nil {
		return err
	}
	if e, err = s.Events().Add(ctx, e); err != nil {
		return err
	}
	for turn := 1; turn < turns; turn++ {
		_, err := s.Events().Change(ctx, e.ID(), func(e *event.Event) error {
			return e.Apply(event.Change{Category: new(feed.CategoryID(1 + turn%2))}, noon.Add(time.Duration(turn)*time.Second))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func checked(t *testing.T, s *bunstore.Store, repair bool) (found []bunstore.Finding) {
	t.Helper()
	require.NoError(t, s.Check(t.Context(), repair, func(f bunstore.Finding) { found = append(found, f) }))
	return found
}
