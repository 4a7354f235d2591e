package bunstore_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/ratelimit"
	"plaza/domain/userimage"
	"plaza/test/postgres"
)

// TestGEN14_charges_cause_no_deadlock lets a few accounts write everything at once that is
// charged, on the same few events, which are removed meanwhile.
func TestGEN14_charges_cause_no_deadlock(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const writers, rounds, few = 12, 60, 3
	server := postgres.Start(t, "log_min_messages=warning", "log_min_error_statement=error", "deadlock_timeout=100ms")
	s := open(t, server.URL("postgres"))
	author, now := member(t, s), time.Now()
	tight := ratelimit.Limit{Count: writers * rounds / 12, Period: time.Hour} // some are refused
	limits := ratelimit.Limits{
		ratelimit.Comment: tight, ratelimit.Like: tight, ratelimit.Upload: tight, ratelimit.UploadBytes: tight,
		ratelimit.Event: {Count: writers * rounds, Period: time.Hour},
	}
	charge := func(a ratelimit.Action) ratelimit.Charge { return limits.Charge(int64(author), a, now) }
	upload := func() []ratelimit.Charge { return limits.Upload(int64(author), 1, now) }
	var ids [few]atomic.Int64
	add := func(i int) error {
		e, err := s.Events().Add(t.Context(), listedEvent(t, author, "Before"), charge(ratelimit.Event))
		if err == nil {
			ids[i].Store(int64(e.ID()))
		}
		return err
	}
	for i := range few {
		require.NoError(t, add(i))
	}
	old, err := s.Events().Get(t.Context(), event.ID(ids[0].Load()))
	require.NoError(t, err)
	var titles atomic.Int64
	rename := func(e *event.Event) error {
		n := titles.Add(1)
		return e.Apply(event.Change{Title: new(fmt.Sprint(n)), Publish: new(n%2 == 0)}, time.Now())
	}
	write := func(kind, n int) error {
		id := event.ID(ids[n%few].Load())
		switch kind % 8 {
		case 0:
			_, _, err := s.Events().AddComment(t.Context(), event.Comment{Event: id, Author: author, Content: "One", Created: now},
				charge(ratelimit.Comment))
			return err
		case 1:
			return s.Events().Like(t.Context(), event.Like{Event: id, By: author, IsLiked: n%2 == 0, At: now}, charge(ratelimit.Like))
		case 2, 3:
			read, err := s.Events().Get(t.Context(), id)
			if err != nil {
				return err
			}
			if kind%8 == 3 {
				read = old // changed since then, so that Change follows
			}
			_, err = s.Events().ChangeRead(t.Context(), read, rename, charge(ratelimit.Event))
			return err
		case 4:
			_, err := s.Events().Change(t.Context(), id, func(e *event.Event) error {
				for _, p := range e.State().Plates[min(1, len(e.State().Plates)):] {
					if _, err := e.RemovePlate(p.ID, time.Now()); err != nil {
						return err
					}
				}
				return e.AddPlate("private/a", 0, time.Now())
			}, upload()...)
			return err
		case 5:
			_, err := s.Images().Add(t.Context(), userimage.New(author, "public/a", 1, 1, 0, userimage.Tags{}, now), upload()...)
			return err
		case 6:
			return s.Accounts().SetAvatar(t.Context(), author, media.Picture{Key: "public/a"}, 0, upload()...)
		}
		if n%10 == 0 {
			if _, err := s.Events().Remove(t.Context(), id); err != nil {
				return err
			}
		}
		return add(n % few)
	}
	var refused atomic.Int64
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := range rounds {
				err := write(i+n, n)
				switch {
				case fault.Is(err, fault.Throttled):
					refused.Add(1)
				case !errors.Is(err, event.ErrNotFound):
					assert.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	assert.Positive(t, refused.Load())
	assertConsistent(t, s)
	for line := range strings.Lines(server.Log()) {
		assert.NotContains(t, line, "ERROR:")
	}
}

func TestMOD03_a_key_is_not_reserved_while_another_caller_moves_a_picture_there(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	s, db := open(t, at), rawSQL(t, at)
	image, err := s.Images().Add(t.Context(), userimage.New(member(t, s), "private/a", 1, 1, 7, userimage.Tags{}, time.Now()))
	require.NoError(t, err)
	to := media.Reservation{Key: "public/a", Until: time.Now().Add(time.Minute).Truncate(time.Microsecond)}
	require.NoError(t, s.DeletionQueue().Reserve(t.Context(), to))
	other := aside(t, db, fmt.Sprintf("SELECT FROM users WHERE id = %d FOR UPDATE", image.Owner))
	hidden, reserved := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Moderation().Hide(t.Context(), moderation.Hiding{
			Thing: moderation.Thing{Kind: moderation.Image, ID: int64(image.ID)}, Reason: "Rude", At: time.Now(),
		}, to)
		hidden <- err
	}()
	awaitWaiting(t, db)
	go func() { reserved <- s.DeletionQueue().Reserve(t.Context(), to) }()
	require.Eventually(t, func() bool { return column[int](t, db, bunstore.Waiting)[0] > 1 }, eventually, time.Millisecond)
	require.NoError(t, other.Rollback())
	require.NoError(t, <-hidden)
	assert.ErrorIs(t, <-reserved, media.ErrMoving)
}
