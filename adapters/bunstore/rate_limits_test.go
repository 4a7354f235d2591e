package bunstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/ratelimit"
)

func TestGEN14_charges_that_are_paid_off_are_removed(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, who := openWithUser(t, engine.Options{URL: url})
		limits := ratelimit.Limits{ratelimit.Upload: {Count: 1, Period: time.Hour}, ratelimit.UploadBytes: {Count: 2, Period: time.Hour}}
		avatar := func(now time.Time) error {
			return s.Accounts().SetAvatar(t.Context(), who, media.Picture{Key: "public/a"}, 0, limits.Upload(int64(who), 1, now)...)
		}
		require.NoError(t, avatar(noon))
		stored := func() (n int) {
			require.NoError(t, s.Writer.NewRaw("SELECT count(*) FROM rate_limits").Scan(t.Context(), &n))
			return n
		}
		require.Equal(t, 2, stored())
		swept(t, s, noon.Add(30*time.Minute-time.Microsecond))
		assert.Equal(t, 2, stored())
		swept(t, s, noon.Add(30*time.Minute))
		assert.Equal(t, 1, stored())
		assert.True(t, fault.Is(avatar(noon.Add(30*time.Minute)), fault.Throttled), "what is not paid off stays")
		swept(t, s, noon.Add(time.Hour))
		assert.Zero(t, stored())
	})
}

// TestGEN14_what_a_charge_pays_for_stays_until_it_is_written: another transaction takes away
// what the write needs, while the write waits for it.
func TestGEN14_what_a_charge_pays_for_stays_until_it_is_written(t *testing.T) {
	t.Parallel()
	s, who := openWithUser(t, engine.Options{URL: MigratedPostgres(t)})
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
			_, _, err := events.AddComment(ctx, event.Comment{Event: e.ID(), Author: who, Content: "One", Created: noon}, charge)
			return err
		}, event.ErrNotFound, 0},
		{"a like", "DELETE FROM event_counts WHERE event_id = ?", func(e event.Entry) error {
			return events.Like(ctx, event.NewLike(e.ID(), who, true, noon), charge)
		}, event.ErrNotFound, 0},
		{"an edit", "UPDATE events SET revision = revision + 1 WHERE id = ?", func(e event.Entry) error {
			_, err := events.ChangeRead(ctx, e, func(e *event.Event) error { return e.Apply(event.Change{Title: new("After")}, noon) }, charge)
			return err
		}, nil, charge.Cost()},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Writer.ExecContext(ctx, "DELETE FROM rate_limits")
			require.NoError(t, err)
			added, err := event.New(who, event.Change{Title: new("Before")}, calendar.DateOf(noon), noon)
			require.NoError(t, err)
			added, err = events.Add(ctx, added)
			require.NoError(t, err)
			read, err := events.Get(ctx, added.ID())
			require.NoError(t, err)

			other, err := s.Writer.BeginTx(ctx, nil)
			require.NoError(t, err)
			defer other.Rollback()
			_, err = other.ExecContext(ctx, c.taken, int64(added.ID()))
			require.NoError(t, err)
			written := make(chan error, 1)
			go func() { written <- c.call(read) }()
			require.Eventually(t, func() bool {
				var waiting int
				err := s.Writer.NewRaw(Waiting).Scan(ctx, &waiting)
				return err == nil && waiting > 0
			}, time.Minute, time.Millisecond)
			require.NoError(t, other.Commit())
			assert.ErrorIs(t, <-written, c.want)

			paid := noon.UnixMicro()
			require.NoError(t, s.Writer.NewRaw("SELECT COALESCE(max(until), ?) FROM rate_limits", paid).Scan(ctx, &paid))
			assert.Equal(t, noon.Add(c.paid), time.UnixMicro(paid).UTC())
			if c.want == nil {
				stored, err := events.Get(ctx, added.ID())
				require.NoError(t, err)
				assert.Equal(t, "After", stored.Text().Title)
			}
		})
	}
}
