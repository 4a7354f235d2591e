package bunstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// profiles are people of whom the first three have written four events in turn.
type profiles struct {
	people []user.ID
	events []*event.Event
}

func newProfiles(t *testing.T, s *bunstore.Store, people int) (all profiles) {
	t.Helper()
	for n := range people {
		phone, err := user.ParsePhone(fmt.Sprintf("+86-138%08d", n))
		require.NoError(t, err)
		id, err := s.Accounts.Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(t, err)
		all.people = append(all.people, id)
	}
	for i := range 4 {
		e, err := s.Events.Add(t.Context(), listedEvent(t, all.people[i%3], "An event"), charge(all.people[i%3]))
		require.NoError(t, err)
		all.events = append(all.events, e)
	}
	return all
}

func (profiles) comment(t *testing.T, s *bunstore.Store, on *event.Event, by user.ID) error {
	t.Helper()
	_, _, err := s.Discussion.AddComment(t.Context(), event.Comment{Event: on.ID(), Author: by, Content: "Oh", Created: noon})
	return err
}

// charge is one for a change of events that is always admitted.
func charge(account user.ID) ratelimit.Charge {
	often := ratelimit.Limits{ratelimit.Event: {Count: 1_000_000, Period: time.Second}}
	return often.Charge(int64(account), ratelimit.Event, time.Now())
}

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
			all := newProfiles(t, s, 3)
			author, other := all.people[0], all.people[1]
			first, last := all.events[0], all.events[3] // the events 1 and 4, of the author
			require.NoError(t, all.comment(t, s, first, other))
			follows := func() subscription.Subscription {
				sub, err := subscription.ToUser(other, author, noon)
				require.NoError(t, err)
				return sub
			}()
			var err error
			if c.writer != "follow" {
				follows, _, err = s.Subscriptions.Follow(t.Context(), follows)
				require.NoError(t, err)
			}
			holder := aside(t, db, fmt.Sprintf("SELECT FROM %s FOR UPDATE", c.awaited))
			written := holder.delays(map[string]func() error{
				"add": func() error {
					_, err := s.Events.Add(t.Context(), listedEvent(t, author, "An event"), charge(author))
					return err
				},
				"publish": func() error {
					_, err := s.Events.ChangeRead(t.Context(), event.Entry{Event: last}, func(e *event.Event) error {
						return e.Apply(event.Change{Publish: new(false)}, noon)
					}, charge(author))
					return err
				},
				"erase": func() error {
					_, err := s.PersonalData.Erase(t.Context(), author, personaldata.Events, 10)
					return err
				},
				"remove": func() error {
					_, err := s.Events.Remove(t.Context(), first.ID())
					return err
				},
				"follow": func() error {
					_, _, err := s.Subscriptions.Follow(t.Context(), follows)
					return err
				},
				"unfollow": func() error { return s.Subscriptions.Remove(t.Context(), other, follows.ID) },
				"block":    func() error { return s.Blocks.Add(t.Context(), block.Block{By: author, Whom: other, Created: noon}) },
			}[c.writer], 1)
			_, err = db.ExecContext(t.Context(), fmt.Sprintf("SELECT FROM profile_counts WHERE owner_id = %d FOR UPDATE NOWAIT", author))
			if c.isBefore {
				assert.Equal(t, "55P03", refusalOf(err))
			} else {
				assert.NoError(t, err)
			}
			require.NoError(t, holder.Rollback())
			require.NoError(t, <-written)
			assertConsistent(t, s)
		})
	}
}
