package bunstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// TestGEN14_a_charge_takes_no_further_round_trip counts the round trips of every write that
// takes charges. A comment and a like are one.
func TestGEN14_a_charge_takes_no_further_round_trip(t *testing.T) {
	var counted counter
	s, who := openWithUser(t, Options{URL: migratedPostgres(t), trace: &counted})
	s.sweepDraw = func() int { return 1 } // no sweep: it is a round trip of its own
	events, ctx := s.Events(), t.Context()
	add := func(charges ...ratelimit.Charge) (*event.Event, error) {
		e, err := event.New(who, event.Change{Title: new("An event"), Publish: new(true)}, calendar.DateOf(noon), noon)
		require.NoError(t, err)
		return events.Add(ctx, e, charges...)
	}
	e, err := add()
	require.NoError(t, err)
	attach := func(e *event.Event) error { return e.AddPlate("private/a", 0, noon) }
	other, err := s.Accounts().Open(ctx, access.Account{}, user.Member{Joined: noon})
	require.NoError(t, err)
	tokens, pictures := byte(0), 0
	key := func() media.Key {
		pictures++
		return media.Key(fmt.Sprint("public/", pictures))
	}

	for _, c := range []struct {
		name  string
		trips int64
		call  func(charges ...ratelimit.Charge) error
	}{
		{"AddComment", 1, func(charges ...ratelimit.Charge) error {
			_, err := events.AddComment(ctx, event.Comment{Event: e.ID(), Author: who, Content: "One", Created: noon}, charges...)
			return err
		}},
		{"Like", 1, func(charges ...ratelimit.Charge) error { return events.Like(ctx, e.ID(), who, true, charges...) }},
		{"unlike", 1, func(charges ...ratelimit.Charge) error { return events.Like(ctx, e.ID(), who, false, charges...) }},
		{"Add", 1, func(charges ...ratelimit.Charge) error { _, err := add(charges...); return err }},
		{"Get, ChangeRead", 2, func(charges ...ratelimit.Charge) error {
			read, err := events.Get(ctx, e.ID())
			require.NoError(t, err)
			_, err = events.ChangeRead(ctx, read, attach, charges...)
			return err
		}},
		{"Change: read, BEGIN, write, COMMIT", 4, func(charges ...ratelimit.Charge) error {
			_, err := events.Change(ctx, e.ID(), attach, charges...)
			return err
		}},
		{"Follow again: BEGIN, check, INSERT, read, COMMIT", 5, func(charges ...ratelimit.Charge) error {
			_, _, err := s.Subscriptions().Follow(ctx, subscription.Subscription{User: who, Followed: other, Created: noon, Updated: noon}, charges...)
			return err
		}},
		{"Images.Add: BEGIN and what is written, COMMIT", 2, func(charges ...ratelimit.Charge) error {
			_, err := s.Images().Add(ctx, userimage.New(who, key(), 1, 1, 10, userimage.Tags{}, noon), charges...)
			return err
		}},
		{"SetAvatar: BEGIN and what is written, COMMIT", 2, func(charges ...ratelimit.Charge) error {
			return s.Accounts().SetAvatar(ctx, who, media.Picture{Key: key()}, 10, charges...)
		}},
		{"Issue", 1, func(charges ...ratelimit.Charge) error {
			tokens++
			_, err := s.Tokens().Issue(ctx, access.Token{Hash: access.KeyHash{tokens}, User: who, Created: noon, Used: noon}, charges...)
			return err
		}},
	} {
		generous := ratelimit.Limits{ratelimit.Comment: {Count: 1000, Period: time.Hour}}
		for _, charge := range []ratelimit.Charge{{}, generous.Charge(int64(who), ratelimit.Comment, noon)} {
			require.NoError(t, c.call(charge), "%s: what is prepared once is prepared", c.name)
			before := counted.n.Load()
			require.NoError(t, c.call(charge), c.name)
			assert.Equal(t, c.trips, counted.n.Load()-before, "%s, free: %v", c.name, charge.IsFree())
		}
	}
}

// TestGEN14_charges_that_are_paid_off_are_removed: by the sweep of logins.
func TestGEN14_charges_that_are_paid_off_are_removed(t *testing.T) {
	for name, open := range map[string]func(t testing.TB) string{
		"SQLite": func(t testing.TB) string { return "sqlite:" + t.TempDir() + "/plaza.db" }, "Postgres": migratedPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			s, who := openWithUser(t, Options{URL: open(t)})
			s.sweepDraw = func() int { return 0 }
			limits := ratelimit.Limits{ratelimit.Upload: {Count: 1, Period: time.Hour}, ratelimit.UploadBytes: {Count: 2, Period: time.Hour}}
			avatar := func(now time.Time) error {
				return s.Accounts().SetAvatar(t.Context(), who, media.Picture{Key: "public/a"}, 0, limits.Upload(int64(who), 1, now)...)
			}
			require.NoError(t, avatar(noon))
			stored := func() (n int) {
				require.NoError(t, s.db.NewRaw("SELECT count(*) FROM rate_limits").Scan(t.Context(), &n))
				return n
			}
			require.Equal(t, 2, stored())
			login := func(now time.Time) { require.NoError(t, s.Throttle().Begin(t.Context(), access.Attempt{}, now)) }
			login(noon.Add(30*time.Minute - time.Microsecond))
			assert.Equal(t, 2, stored())
			login(noon.Add(30 * time.Minute))
			assert.Equal(t, 1, stored())
			assert.True(t, fault.Is(avatar(noon.Add(30*time.Minute)), fault.Throttled), "what is not paid off stays")
			login(noon.Add(time.Hour))
			assert.Zero(t, stored())
		})
	}
}

// TestGEN14_what_a_charge_pays_for_stays_until_it_is_written: another transaction takes away
// what the write needs, while the write waits for it.
func TestGEN14_what_a_charge_pays_for_stays_until_it_is_written(t *testing.T) {
	s, who := openWithUser(t, Options{URL: migratedPostgres(t)})
	events, ctx := s.Events(), t.Context()
	limits := ratelimit.Limits{ratelimit.Comment: {Count: 10, Period: time.Hour}}
	charge := limits.Charge(int64(who), ratelimit.Comment, noon)
	for _, c := range []struct {
		name  string
		taken string
		call  func(e event.Entry) error
		want  error
		paid  time.Duration
	}{
		{"a comment", "DELETE FROM event_counts WHERE event_id = ?", func(e event.Entry) error {
			_, err := events.AddComment(ctx, event.Comment{Event: e.ID(), Author: who, Content: "One", Created: noon}, charge)
			return err
		}, event.ErrNotFound, 0},
		{"a like", "DELETE FROM event_counts WHERE event_id = ?", func(e event.Entry) error {
			return events.Like(ctx, e.ID(), who, true, charge)
		}, event.ErrNotFound, 0},
		{"an edit", "UPDATE events SET revision = revision + 1 WHERE id = ?", func(e event.Entry) error {
			_, err := events.ChangeRead(ctx, e, func(e *event.Event) error { return e.Apply(event.Change{Title: new("After")}, noon) }, charge)
			return err
		}, nil, charge.Price()},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.db.ExecContext(ctx, "DELETE FROM rate_limits")
			require.NoError(t, err)
			added, err := event.New(who, event.Change{Title: new("Before")}, calendar.DateOf(noon), noon)
			require.NoError(t, err)
			added, err = events.Add(ctx, added)
			require.NoError(t, err)
			read, err := events.Get(ctx, added.ID())
			require.NoError(t, err)

			other, err := s.db.BeginTx(ctx, nil)
			require.NoError(t, err)
			defer other.Rollback()
			_, err = other.ExecContext(ctx, c.taken, int64(added.ID()))
			require.NoError(t, err)
			written := make(chan error, 1)
			go func() { written <- c.call(read) }()
			require.Eventually(t, func() bool {
				var waiting int
				err := s.db.NewRaw("SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(ctx, &waiting)
				return err == nil && waiting > 0
			}, time.Minute, time.Millisecond)
			require.NoError(t, other.Commit())
			assert.ErrorIs(t, <-written, c.want)

			paid := noon.UnixMicro()
			require.NoError(t, s.db.NewRaw("SELECT COALESCE(max(until), ?) FROM rate_limits", paid).Scan(ctx, &paid))
			assert.Equal(t, noon.Add(c.paid), time.UnixMicro(paid).UTC())
			if c.want == nil {
				stored, err := events.Get(ctx, added.ID())
				require.NoError(t, err)
				assert.Equal(t, "After", stored.Text().Title)
			}
		})
	}
}

// TestGEN14_what_a_write_holds_while_it_waits_for_its_charge: the order of locks prevents
// deadlocks, and comments do not hold up those of others.
func TestGEN14_what_a_write_holds_while_it_waits_for_its_charge(t *testing.T) {
	s, who := openWithUser(t, Options{URL: migratedPostgres(t)})
	events, ctx := s.Events(), t.Context()
	e, err := event.New(who, event.Change{Title: new("Before")}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	e, err = events.Add(ctx, e)
	require.NoError(t, err)
	limits := ratelimit.Limits{ratelimit.Event: {Count: 10, Period: time.Hour}}
	charge := limits.Charge(int64(who), ratelimit.Event, noon)
	rename := func(e *event.Event) error {
		return e.Apply(event.Change{Title: new(e.Text().Title + "x")}, noon)
	}
	require.NoError(t, events.Like(ctx, e.ID(), who, true, charge), "the charge has a row")
	for _, c := range []struct {
		name  string
		call  func() error
		probe string // succeeds at once unless a row is held
		holds bool
	}{
		{"a change has its event", func() error {
			_, err := events.Change(ctx, e.ID(), rename, charge)
			return err
		}, "SELECT id FROM events FOR NO KEY UPDATE NOWAIT", true},
		{"an edit has its event", func() error {
			read, err := events.Get(ctx, e.ID())
			require.NoError(t, err)
			_, err = events.ChangeRead(ctx, read, rename, charge)
			return err
		}, "SELECT id FROM events FOR NO KEY UPDATE NOWAIT", true},
		{"a comment lets others comment", func() error {
			_, err := events.AddComment(ctx, event.Comment{Event: e.ID(), Author: who, Content: "One", Created: noon}, charge)
			return err
		}, "SELECT event_id FROM event_counts FOR NO KEY UPDATE NOWAIT", false},
		{"a like lets others like", func() error { return events.Like(ctx, e.ID(), who, false, charge) },
			"SELECT event_id FROM event_counts FOR NO KEY UPDATE NOWAIT", false},
		{"an image has no count", func() error {
			_, err := s.Images().Add(ctx, userimage.New(who, "public/a", 1, 1, 0, userimage.Tags{}, noon), charge)
			return err
		}, "SELECT owner_id FROM image_counts FOR UPDATE NOWAIT", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			other, err := s.db.BeginTx(ctx, nil)
			require.NoError(t, err)
			defer other.Rollback()
			_, err = other.ExecContext(ctx, "UPDATE rate_limits SET until = until")
			require.NoError(t, err)
			written := make(chan error, 1)
			go func() { written <- c.call() }()
			require.Eventually(t, func() bool {
				var waiting int
				err := s.db.NewRaw("SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(ctx, &waiting)
				return err == nil && waiting > 0
			}, time.Minute, time.Millisecond)
			_, err = s.db.ExecContext(ctx, c.probe)
			assert.Equal(t, c.holds, err != nil, "%v", err)
			require.NoError(t, other.Commit())
			require.NoError(t, <-written)
		})
	}
}
