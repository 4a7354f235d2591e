package bunstore_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/test/postgres"
)

// crowd are people who write about each other's events at once, on one or several servers.
type crowd struct {
	servers []*bunstore.Store
	people  []user.ID
	events  []atomic.Pointer[event.Event]
	said    []atomic.Int64 // a comment on each event, or one that was deleted
}

func newCrowd(t *testing.T, people, events int, servers ...*bunstore.Store) *crowd {
	t.Helper()
	c := &crowd{servers: servers, events: make([]atomic.Pointer[event.Event], events), said: make([]atomic.Int64, events)}
	for n := range people {
		phone, err := user.ParsePhone(fmt.Sprintf("+86-138%08d", n))
		require.NoError(t, err)
		id, err := servers[0].Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(t, err)
		c.people = append(c.people, id)
		_, err = servers[0].Images().Add(t.Context(), userimage.New(id, media.Key(fmt.Sprint("public/", n)), 1, 1, 7, userimage.Tags{}, noon))
		require.NoError(t, err)
	}
	for i := range c.events {
		require.NoError(t, c.write(t, servers[0], i))
	}
	return c
}

// write writes the event of that number anew.
func (c *crowd) write(t *testing.T, s *bunstore.Store, i int) error {
	author := c.people[i%3]
	e, err := s.Events().Add(t.Context(), listedEvent(t, author, "An event"), charge(author))
	if err == nil {
		c.events[i].Store(e)
	}
	return err
}

// charge is one for a change of events that is always admitted.
func charge(account user.ID) ratelimit.Charge {
	often := ratelimit.Limits{ratelimit.Event: {Count: 1_000_000, Period: time.Second}}
	return often.Charge(int64(account), ratelimit.Event, time.Now())
}

// act does something at random as the person.
func (c *crowd) act(t *testing.T, s *bunstore.Store, who user.ID, r *rand.Rand) error {
	i := r.IntN(len(c.events))
	e, ctx, now := c.events[i].Load(), t.Context(), time.Now()
	switch n := r.IntN(46); {
	case n < 10:
		comment, err := event.NewComment(e.ID(), who, "Oh", now)
		if err != nil {
			return err
		}
		if comment, _, err = s.Events().AddComment(ctx, comment); err == nil {
			c.said[i].Store(int64(comment.ID))
		}
		if err == nil && r.IntN(2) == 0 {
			err = s.Events().RemoveComment(ctx, comment.ID)
		}
		return err
	case n < 25:
		return s.Events().Like(ctx, event.NewLike(e.ID(), who, n%2 == 0, now))
	case n < 33:
		sub, err := subscription.ToUser(who, c.people[r.IntN(len(c.people))], now)
		if err != nil {
			return nil
		}
		sub, _, err = s.Subscriptions().Follow(ctx, sub)
		if err == nil && r.IntN(2) == 0 {
			err = s.Subscriptions().Remove(ctx, who, sub.ID)
		}
		return err
	case n < 37:
		list, err := s.Notifications().List(ctx, who, page.CursorRequest{})
		if err != nil || len(list.Items) == 0 {
			return err
		}
		return s.Notifications().MarkRead(ctx, who, list.Items[r.IntN(len(list.Items))].ID)
	case n < 38:
		_, err := s.Sweep(ctx, now.Add(24*time.Hour)) // of withdrawn ones
		return err
	case n < 40:
		b, err := block.New(who, c.people[r.IntN(len(c.people))], now)
		if err != nil {
			return nil
		}
		err = s.Blocks().Add(ctx, b)
		return cmp.Or(err, s.Blocks().Remove(ctx, who, b.Whom))
	case n < 44:
		_, err := s.Events().Change(ctx, e.ID(), func(e *event.Event) error {
			return e.Apply(event.Change{Publish: new(n%2 == 0)}, now)
		}, charge(e.Author()))
		return err
	default:
		if _, err := s.Events().Remove(ctx, e.ID()); err != nil {
			return err
		}
		return c.write(t, s, i)
	}
}

// moderate hides or restores an event, a comment or an image at random.
func (c *crowd) moderate(t *testing.T, s *bunstore.Store, r *rand.Rand) error {
	i := r.IntN(len(c.events))
	of := []moderation.Thing{
		{Kind: moderation.Event, ID: int64(c.events[i].Load().ID())}, {Kind: moderation.Comment, ID: c.said[i].Load()},
		{Kind: moderation.Image, ID: int64(1 + r.IntN(2))},
	}[r.IntN(3)]
	if of.Kind == moderation.Image {
		image, err := s.Images().Get(t.Context(), userimage.ID(of.ID))
		if err != nil {
			return err
		}
		to := media.Viewers
		if image.Hidden {
			to = media.Everyone
		}
		return media.Move(t.Context(), noFiles{}, s.DeletionQueue(), image.Key, to, time.Now(),
			func(to media.Reservation) error { return c.turn(t, s, of, to, !image.Hidden) })
	}
	return c.turn(t, s, of, media.Reservation{}, r.IntN(2) == 0)
}

func (c *crowd) turn(t *testing.T, s *bunstore.Store, of moderation.Thing, to media.Reservation, isHidden bool) (err error) {
	if isHidden {
		_, err = s.Moderation().Hide(t.Context(), moderation.Hiding{Thing: of, Reason: "Rude", At: time.Now()}, to)
	} else {
		_, err = s.Moderation().Restore(t.Context(), of, to)
	}
	return err
}

// noFiles is a store that has no picture.
type noFiles struct{ media.Store }

func (noFiles) Open(context.Context, media.Key) (media.File, error) {
	return media.File{}, media.ErrNotFound
}
func (noFiles) Remove(context.Context, media.Key) error { return nil }

// actUntil lets 12 people act until the round is over, while staff hide and restore on each server, and checks what the store
// derives.
func (c *crowd) actUntil(t *testing.T, isOver func(round int) bool) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 0))
			for round := 0; !isOver(round); round++ {
				err := c.act(t, c.servers[i%len(c.servers)], c.people[i%len(c.people)], r)
				if !fault.Is(err, fault.NotFound) {
					assert.NoError(t, err)
				}
			}
		})
	}
	for i, s := range c.servers {
		all.Go(func() {
			r, turned := rand.New(rand.NewPCG(uint64(i), 1)), 0
			for round := 0; !isOver(round); round++ {
				switch err := c.moderate(t, s, r); {
				case err == nil:
					turned++
				case !slices.ContainsFunc([]error{moderation.ErrHidden, moderation.ErrNotHidden, media.ErrMoving},
					func(is error) bool { return errors.Is(err, is) }) &&
					!fault.Is(err, fault.NotFound):
					assert.NoError(t, err)
				}
			}
			assert.NotZero(t, turned)
		})
	}
	all.Wait()
	assertConsistent(t, c.servers[0])
}

func TestNTF01_writers_at_once_on_one_server_leave_nothing_wrong(t *testing.T) {
	t.Parallel()
	newCrowd(t, 12, 6, open(t, bunstore.MigratedSQLite(t))).actUntil(t, notificationRounds(60))
}

func TestNTF01_writers_at_once_on_two_servers_leave_nothing_wrong(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	server := postgres.Start(t, "log_min_messages=warning", "log_min_error_statement=error", "deadlock_timeout=100ms")
	newCrowd(t, 12, 6, open(t, server.URL("postgres")), open(t, server.URL("postgres"))).actUntil(t, notificationRounds(100))
	assert.NotContains(t, server.Log(), "ERROR:")
}

// comment comments on the event as the person.
func (c *crowd) comment(t *testing.T, on *event.Event, who user.ID) error {
	_, _, err := c.servers[0].Events().AddComment(t.Context(), event.Comment{
		Event: on.ID(), Author: who, Content: "Oh", Created: noon,
	})
	return err
}

// aside begins a transaction that runs the statements, in a database of which another call waits for a lock afterwards.
func aside(t *testing.T, db *sql.DB, statements ...string) *sql.Tx {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { tx.Rollback() })
	for _, statement := range statements {
		_, err := tx.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	return tx
}

func awaitWaiting(t *testing.T, db *sql.DB) {
	t.Helper()
	require.Eventually(t, func() bool { return column[int](t, db, bunstore.Waiting)[0] > 0 }, eventually, time.Millisecond)
}

func TestNTF02_a_notification_that_is_committed_later_has_a_greater_number(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	s, db := open(t, at), rawSQL(t, at)
	c := newCrowd(t, 3, 1, s)
	e := c.events[0].Load()
	const follow = "INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires) VALUES (%d, 'follow', %d, 1, now(), " +
		"now())"
	other := aside(t, db, fmt.Sprintf(follow, e.Author(), 101))
	commented := make(chan error, 1)
	go func() { commented <- c.comment(t, e, c.people[1]) }()
	awaitWaiting(t, db)
	_, err := other.ExecContext(t.Context(), fmt.Sprintf(follow, e.Author(), 102))
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	require.NoError(t, <-commented)
	assert.Equal(t, []string{"follow", "follow", "comment"}, column[string](t, db, "SELECT kind FROM notifications ORDER BY id"))
}

func TestNTF01_erased_events_lock_all_their_counts_before_those_of_notifications(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	s, db := open(t, at), rawSQL(t, at)
	c := newCrowd(t, 3, 4, s)
	first, last := c.events[0].Load(), c.events[3].Load() // of one author
	require.NoError(t, c.comment(t, first, c.people[1]))
	other := aside(t, db, fmt.Sprintf("SELECT FROM event_counts WHERE event_id = %d FOR UPDATE", last.ID()))
	erased := make(chan error, 1)
	go func() {
		_, err := s.PersonalData().Erase(t.Context(), first.Author(), personaldata.Events, 10)
		erased <- err
	}()
	awaitWaiting(t, db)
	_, err := other.ExecContext(t.Context(), "SELECT FROM notification_counts FOR UPDATE NOWAIT")
	assert.NoError(t, err, "who comments on the last event needs them next")
	require.NoError(t, other.Rollback())
	require.NoError(t, <-erased)
	assertConsistent(t, s)
}
