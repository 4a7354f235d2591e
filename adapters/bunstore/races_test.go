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
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/test/postgres"
)

// TestLostRacesAreNotLogged lets many callers change few events and answer the same
// keys: a lost race must not raise an error in the database, and neither must a quota.
func TestLostRacesAreNotLogged(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const writers, changes, few = 12, 40, 3
	server := postgres.Start(t, "log_min_messages=warning", "log_min_error_statement=error")
	s := openFresh(t, server, bunstore.Options{})
	author := member(t, s)
	var read []event.Entry
	for range few {
		added, err := s.Events().Add(t.Context(), listedEvent(t, author, "Before"))
		require.NoError(t, err)
		e, err := s.Events().Get(t.Context(), added.ID())
		require.NoError(t, err)
		read = append(read, e)
	}
	var again atomic.Int64
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for n := range changes {
				runs := 0
				_, err := s.Events().ChangeRead(t.Context(), read[(i+n)%few], func(e *event.Event) error {
					runs++
					for _, p := range e.State().Plates[min(1, len(e.State().Plates)):] {
						if _, err := e.RemovePlate(p.ID, time.Now()); err != nil {
							return err
						}
					}
					if err := e.AddPlate("private/a", 0, time.Now()); err != nil {
						return err
					}
					publish := n%2 == 0
					return e.Apply(event.Change{Title: new(fmt.Sprint(i, " ", n)), Publish: &publish}, time.Now())
				})
				assert.NoError(t, err)
				again.Add(int64(runs - 1))
			}
		})
	}
	all.Wait()
	assert.Greater(t, again.Load(), int64(writers), "races must have been lost")
	answerTwice(t, s, author)
	exceed(t, s, author, read[0].ID())
	assertConsistent(t, s)
	for line := range strings.Lines(server.Log()) {
		assert.NotContains(t, line, "ERROR:")
	}
}

// exceed lets the author exceed every quota.
func exceed(t *testing.T, s *bunstore.Store, author user.ID, on event.ID) {
	t.Helper()
	events := s.Events().Within(quota.Limits{Drafts: 1, Comments: 1, Pictures: 1})
	var refused int
	for range 2 {
		e, err := event.New(author, event.Change{Title: new("A draft")}, calendar.DateOf(time.Now()), time.Now())
		require.NoError(t, err)
		_, addErr := events.Add(t.Context(), e)
		_, sayErr := events.AddComment(t.Context(), event.Comment{Event: on, Author: author, Content: "One", Created: time.Now()})
		_, attachErr := events.Change(t.Context(), on, func(e *event.Event) error {
			for _, p := range e.State().Plates {
				if _, err := e.RemovePlate(p.ID, time.Now()); err != nil {
					return err
				}
			}
			return e.AddPlate("private/large", 2, time.Now())
		})
		for _, err := range []error{addErr, sayErr, attachErr} {
			if err != nil {
				require.True(t, fault.Is(err, fault.Conflict), "%v", err)
				refused++
			}
		}
	}
	assert.GreaterOrEqual(t, refused, 4)
}

// answerTwice adds an order with a key that is already answered.
func answerTwice(t *testing.T, s *bunstore.Store, author user.ID) {
	t.Helper()
	now := time.Now()
	k := idempotency.Key{User: author, Name: "once", Holder: [16]byte{1}}
	_, err := s.Ledger().Reserve(t.Context(), k, now, now.Add(time.Minute))
	require.NoError(t, err)
	order := payment.Order{
		User: author, Subject: "Tea", Amount: 990, Currency: "CNY", State: payment.Open, Created: now, Expires: now.Add(time.Hour),
	}
	_, err = s.Ledger().AddOrder(t.Context(), order, &k)
	require.NoError(t, err)
	_, err = s.Ledger().AddOrder(t.Context(), order, &k)
	require.ErrorIs(t, err, idempotency.ErrKeyInUse)
	orders, err := s.Ledger().OpenOrders(t.Context(), author)
	require.NoError(t, err)
	require.Len(t, orders, 1)
	err = s.Ledger().Change(t.Context(), orders[0].ID, func(trade *payment.Trade) error {
		trade.Order.State = payment.Closed
		trade.Answer = &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(orders[0].ID), At: now}
		return nil
	})
	require.ErrorIs(t, err, idempotency.ErrKeyInUse)
	found, err := s.Ledger().Order(t.Context(), orders[0].ID)
	require.NoError(t, err)
	assert.Equal(t, payment.Open, found.State, "nothing is written behind a miss")
	image := userimage.New(author, "public/late", 1, 1, 10, userimage.Tags{}, now)
	image.Completes = &k
	_, err = s.Images().Add(t.Context(), image)
	require.ErrorIs(t, err, idempotency.ErrKeyInUse)
}

// TestGEN14_charges_cause_no_deadlock lets a few accounts write everything at once that is
// charged, on the same few events, which are removed meanwhile.
func TestGEN14_charges_cause_no_deadlock(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const writers, rounds, few = 12, 60, 3
	server := postgres.Start(t, "log_min_messages=warning", "log_min_error_statement=error", "deadlock_timeout=100ms")
	s := openFresh(t, server, bunstore.Options{})
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
			_, err := s.Events().AddComment(t.Context(), event.Comment{Event: id, Author: author, Content: "One", Created: now}, charge(ratelimit.Comment))
			return err
		case 1:
			return s.Events().Like(t.Context(), id, author, n%2 == 0, charge(ratelimit.Like))
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
