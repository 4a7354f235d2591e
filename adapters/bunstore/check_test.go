package bunstore_test

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/publication"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// storeOneOfEach stores one record of each kind, of an author and of a reader who discusses the event, both of whom follow each
// other. It returns the author.
func storeOneOfEach(t *testing.T, s *bunstore.Store) (author user.ID) {
	t.Helper()
	ctx := t.Context()
	author = openWithCategories(t, s)
	c := publication.Content{Title: "One", Author: author, Category: 1, Published: true, Created: noon, Updated: noon}
	d := demand.Demand{
		ID: 1, Author: author, Category: 1, Place: &geo.Point{Lat: 30, Lng: 120}, Published: true,
		Closed: noon, Start: noon, End: noon, Created: time.Date(2300, 1, 1, 0, 0, 0, 1000, time.UTC), Updated: noon,
	}
	require.NoError(t, imports(ctx, s, publication.Publication{ID: 1, Content: c}, publication.Node{ID: 1, Content: c}, d))
	id := diaryEntry(t, s, author)
	other, err := s.Accounts.Open(ctx, access.Account{}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(t, err)
	comment, err := event.NewComment(id, other, "Well said", noon)
	require.NoError(t, err)
	_, _, err = s.Discussion.AddComment(ctx, comment)
	require.NoError(t, err)
	require.NoError(t, s.Discussion.Like(ctx, event.Like{Event: id, By: other, IsLiked: true, At: noon}))
	for _, pair := range [][2]user.ID{{other, author}, {author, other}} {
		follow, err := subscription.ToUser(pair[0], pair[1], noon)
		require.NoError(t, err)
		_, _, err = s.Subscriptions.Follow(ctx, follow)
		require.NoError(t, err)
	}
	_, err = s.Images.Add(ctx, userimage.New(author, "public/a", 1, 1, 7, userimage.Tags{}, noon))
	require.NoError(t, err)
	return author
}

func TestAUT03_Check_names_accounts_of_one_telephone(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		member(t, s)
		for i, name := range []string{"+86-13900000001", "+8-613900000001", "+861-3900000001"} {
			phone, err := user.ParsePhone(fmt.Sprint("+86-1370000000", i))
			require.NoError(t, err)
			id, err := s.Accounts.Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
			require.NoError(t, err)
			_, err = rawSQL(t, at).ExecContext(t.Context(), fmt.Sprintf("UPDATE users SET phone = '%s' WHERE id = %d", name, id))
			require.NoError(t, err)
		}
		assert.Equal(t, []bunstore.Finding{{What: "the accounts 2, 3, 4 have login names of one telephone"}}, checked(t, s, true))
	})
}

func diaryEntry(t *testing.T, s *bunstore.Store, author user.ID) event.ID {
	t.Helper()
	e, err := event.New(author, event.Change{Title: new("An event"), Publish: new(true)}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	e, err = s.Events.Add(t.Context(), e)
	require.NoError(t, err)
	return e.ID()
}

func TestCheck_goes_through_all_records(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		c := publication.Content{Title: "One", Author: openWithCategories(t, s), Category: 1, Published: true, Created: noon, Updated: noon}
		var nodes []any
		for id := range publication.NodeID(501) { // more than a batch
			nodes = append(nodes, publication.Node{ID: id + 1, Content: c})
		}
		require.NoError(t, imports(t.Context(), s, nodes...))
		_, err := rawSQL(t, at).Exec("UPDATE feed_listings SET category_id = 2 WHERE id IN (1, 500, 501)")
		require.NoError(t, err)
		repaired := checked(t, s, true)
		for _, id := range []int{1, 500, 501} {
			assert.Contains(t, repaired, bunstore.Finding{What: fmt.Sprintf("listing of node %d is wrong", id), Repaired: true})
		}
		require.Empty(t, checked(t, s, false))
	})
}

// A check of a large database takes longer than a call may: here because it waits.
func TestCheck_goes_on_when_a_statement_takes_longer_than_that_of_a_call(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	s, db := open(t, at+"&statement_timeout=300&lock_timeout=0"), rawSQL(t, at)
	for _, table := range []string{"nodes", "search_entries", "feed_counters", "contacts", "users"} {
		o := aside(t, db, "LOCK TABLE "+table)
		ended := o.delays(func() error { return s.Check(t.Context(), false, func(bunstore.Finding) {}) }, 1)
		o.run("SELECT pg_sleep(0.5)")
		require.NoError(t, o.Rollback())
		require.NoError(t, <-ended, table)
	}
}

func TestSRC01_Fill_makes_the_entries_that_are_missing(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		storeOneOfEach(t, s)
		_, err := rawSQL(t, at).Exec("DELETE FROM search_entries WHERE kind <> 'node'")
		require.NoError(t, err)
		require.Len(t, checked(t, s, false), 3)
		require.NoError(t, s.Search.Fill(t.Context()))
		require.Empty(t, checked(t, s, false))
		ended, end := context.WithCancel(t.Context())
		end()
		require.ErrorIs(t, s.Search.Fill(ended), context.Canceled)
	})
}

func TestCheck_reports_an_event_that_cannot_be_read(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		diaryEntry(t, s, member(t, s))
		_, err := rawSQL(t, at).Exec("UPDATE events SET title = ''")
		require.NoError(t, err)
		for _, repair := range []bool{true, false} {
			assert.Equal(t, []bunstore.Finding{{What: "xfile 1 can't be read: event 1 is published and empty"}}, checked(t, s, repair))
		}
	})
}

func TestCheck_gives_an_event_its_counts_before_it_is_discussed(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s := open(t, at)
		id := diaryEntry(t, s, member(t, s))
		execute(t, rawSQL(t, at), "DELETE FROM event_counts")
		_, err := s.Events.Remove(t.Context(), id)
		require.ErrorIs(t, err, event.ErrNotFound)
		require.Equal(t, []bunstore.Finding{{What: "event 1 has no counts", Repaired: true}}, checked(t, s, true))
		_, err = s.Events.Remove(t.Context(), id)
		require.NoError(t, err)
	})
}

//go:embed testdata/disagreements.sql
var disagreements string

func TestMOD02_MOD03_EVT08_Check_finds_and_mends_what_disagrees(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		storeOneOfEach(t, s)
		require.Empty(t, checked(t, s, false), "all is well")
		version := func() feed.Version {
			v, err := s.Feed.Version(t.Context(), feed.ItemKinds())
			require.NoError(t, err)
			return v
		}
		for spoil := range strings.SplitSeq(strings.TrimSuffix(disagreements, ";\n"), ";\n") {
			before := version()
			done, err := db.Exec(spoil)
			require.NoError(t, err, spoil)
			rows, err := done.RowsAffected()
			require.NoError(t, err)
			require.NotZero(t, rows, spoil)
			found := checked(t, s, false)
			require.NotEmpty(t, found, spoil)
			for _, f := range found {
				assert.False(t, f.Repaired)
			}
			assert.Equal(t, found, checked(t, s, false), "looking changes nothing: %s", spoil)
			repaired := checked(t, s, true)
			require.NotEmpty(t, repaired)
			for _, f := range repaired {
				assert.True(t, f.Repaired, "%s: %s", spoil, f.What)
			}
			require.Empty(t, checked(t, s, false), spoil)
			if strings.Contains(spoil, "feed_") {
				assert.NotEqual(t, before, version(), "clients that keep the tree must read it again: %s", spoil)
			}
		}
		err := s.Moderation.Restore(t.Context(), moderation.Thing{Kind: moderation.Comment, ID: 1}, media.Moves{})
		assert.NoError(t, err, "staff can restore what is hidden, although its reason is lost")
	})
}

// checkedWhileWriting checks and repairs on both servers while the first publishes and unpublishes, and returns how often each
// thing was found.
func checkedWhileWriting(t *testing.T, author user.ID, servers ...*bunstore.Store) map[string]int {
	t.Helper()
	var writing, checking sync.WaitGroup
	stop := make(chan struct{})
	for id := range publication.ID(3) {
		writing.Go(func() {
			pace := time.NewTicker(time.Millisecond) // SQLite's locks are not fair
			defer pace.Stop()
			c := publication.Content{Title: "One", Author: author, Category: 1, Created: noon, Updated: noon}
			for {
				select {
				case <-stop:
					return
				case <-pace.C:
					c.Published = !c.Published
					assert.NoError(t, imports(t.Context(), servers[0], publication.Publication{ID: 100 + id, Content: c}))
				}
			}
		})
	}
	var mu sync.Mutex
	found := map[string]int{}
	for _, server := range servers {
		checking.Go(func() {
			assert.NoError(t, server.Check(t.Context(), true, func(f bunstore.Finding) {
				mu.Lock()
				defer mu.Unlock()
				found[f.What]++
			}))
		})
	}
	checking.Wait()
	close(stop)
	writing.Wait()
	return found
}

func TestChecks_at_once_mend_a_thing_once_and_find_nothing_in_what_is_being_written(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, other, db := open(t, at), open(t, at), rawSQL(t, at)
		author := storeOneOfEach(t, s)
		require.Empty(t, checkedWhileWriting(t, author, s, other))
		for _, spoil := range []string{
			"UPDATE feed_totals SET count = count + 1 WHERE kind = 'node'", "DELETE FROM feed_totals",
			"UPDATE feed_counters SET count = count + 1 WHERE kind = 'node'", "DELETE FROM feed_counters",
		} {
			execute(t, db, spoil)
			found := checkedWhileWriting(t, author, s, other)
			assert.NotEmpty(t, found, spoil)
			for what, n := range found {
				assert.Equal(t, 1, n, "%s: %s", spoil, what)
			}
			require.Empty(t, checked(t, s, false), spoil)
		}
	})
}
