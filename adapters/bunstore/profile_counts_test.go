package bunstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/personaldata"
	"plaza/domain/subscription"
)

// TestUSR09_counts_of_profiles_are_locked_in_one_order lets each writer wait for a lock that others hold, and looks whether it has
// locked what profiles count.
func TestUSR09_counts_of_profiles_are_locked_in_one_order(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const limits, lastEvent, notices = "rate_limits", "events WHERE id = 4", "notification_counts"
	for _, c := range []struct {
		writer, awaited string
		isBefore        bool // it locks the counts before what it waits for
	}{
		{"add", limits, false}, {"publish", limits, false}, {"erase", lastEvent, false},
		{"remove", notices, true}, {"follow", notices, true}, {"unfollow", notices, true}, {"block", notices, true},
	} {
		t.Run(c.writer, func(t *testing.T) {
			t.Parallel()
			at := bunstore.MigratedPostgres(t)
			s, db := open(t, at), rawSQL(t, at)
			crowd := newCrowd(t, 3, 4, s)
			author, other := crowd.people[0], crowd.people[1]
			first, last := crowd.events[0].Load(), crowd.events[3].Load() // the events 1 and 4, of the author
			require.NoError(t, crowd.comment(t, first, other))
			follows := func() subscription.Subscription {
				sub, err := subscription.ToUser(other, author, noon)
				require.NoError(t, err)
				return sub
			}()
			var err error
			if c.writer != "follow" {
				follows, _, err = s.Subscriptions().Follow(t.Context(), follows)
				require.NoError(t, err)
			}
			holder := aside(t, db, fmt.Sprintf("SELECT FROM %s FOR UPDATE", c.awaited))
			written := make(chan error, 1)
			go func() {
				written <- map[string]func() error{
					"add": func() error { return crowd.write(t, s, 0) },
					"publish": func() error {
						_, err := s.Events().ChangeRead(t.Context(), event.Entry{Event: last}, func(e *event.Event) error {
							return e.Apply(event.Change{Publish: new(false)}, noon)
						}, charge(author))
						return err
					},
					"erase": func() error {
						_, err := s.PersonalData().Erase(t.Context(), author, personaldata.Events, 10)
						return err
					},
					"remove": func() error {
						_, err := s.Events().Remove(t.Context(), first.ID())
						return err
					},
					"follow": func() error {
						_, _, err := s.Subscriptions().Follow(t.Context(), follows)
						return err
					},
					"unfollow": func() error { return s.Subscriptions().Remove(t.Context(), other, follows.ID) },
					"block":    func() error { return s.Blocks().Add(t.Context(), block.Block{By: author, Whom: other, Created: noon}) },
				}[c.writer]()
			}()
			awaitWaiting(t, db)
			_, err = db.ExecContext(t.Context(), fmt.Sprintf("SELECT FROM profile_counts WHERE owner_id = %d FOR UPDATE NOWAIT", author))
			if c.isBefore {
				assert.Equal(t, lockNotAvailable, refusalOf(err))
			} else {
				assert.NoError(t, err)
			}
			require.NoError(t, holder.Rollback())
			require.NoError(t, <-written)
			assertConsistent(t, s)
		})
	}
}

func TestUSR09_the_step_that_adds_the_counts_counts_what_is_stored(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		crowd := newCrowd(t, 4, 4, s)
		follows, err := subscription.ToUser(crowd.people[3], crowd.people[0], noon)
		require.NoError(t, err)
		_, _, err = s.Subscriptions().Follow(t.Context(), follows)
		require.NoError(t, err)
		_, err = s.Events().Change(t.Context(), crowd.events[1].Load().ID(), func(e *event.Event) error {
			return e.Apply(event.Change{Permission: new(event.Private)}, noon)
		})
		require.NoError(t, err)
		counts := func() []string {
			return column[string](t, db, `
				SELECT owner_id || ' ' || events || ' ' || followers || ' ' || followed FROM profile_counts
				WHERE events + followers + followed > 0 ORDER BY 1`)
		}
		before := counts()
		require.Equal(t, []string{"1 2 1 0", "3 1 0 0", "4 0 0 1"}, before)
		undo := []string{"DROP FUNCTION count_follows CASCADE", "DROP FUNCTION count_events CASCADE", "DROP FUNCTION count_changed_event CASCADE"}
		if strings.HasPrefix(at, "sqlite:") {
			undo = []string{"DROP TRIGGER follows_counted", "DROP TRIGGER follows_discounted", "DROP TRIGGER events_counted",
				"DROP TRIGGER events_recounted", "DROP TRIGGER events_discounted"}
		}
		for _, statement := range append(undo, "DROP TABLE profile_counts", "ALTER TABLE users DROP COLUMN bio",
			"DELETE FROM schema_migrations WHERE name = '0010_profiles'") {
			_, err := db.ExecContext(t.Context(), statement)
			require.NoError(t, err, statement)
		}
		_, err = s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Equal(t, before, counts())
	})
}
