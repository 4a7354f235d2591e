package ports

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/payment"
	"plaza/domain/reentry"
	"plaza/domain/userimage"
)

// call is a method of a port, called with what every world has: the user, the
// event and so on with the number one.
type call struct {
	name string
	make func(ctx context.Context, s Stores) error
}

// Inside is the suite of what all ports of a store promise together: none of
// them may be called from inside a Change of another.
func Inside(t *testing.T, open Open) {
	calls := slices.Concat(
		accountCalls, tokenCalls, throttleCalls, categoryCalls, subscriptionCalls, eventCalls,
		feedCalls, publicationCalls, howToCalls, cacheCalls, imageCalls, ledgerCalls, intakeCalls,
	)
	open.keeps(t, []promise{
		{"no port is called from inside Accounts.Change", func(w *fixtures) {
			id := w.newUser()
			w.refusedInside(calls, func(try func()) error {
				return w.Accounts.Change(w.Context(), id, func(*access.Account) error {
					try()
					return nil
				})
			})
		}},
		{"no port is called from inside Events.Change", func(w *fixtures) {
			id := w.write(w.newUser(), noon).ID()
			w.refusedInside(calls, func(try func()) error {
				_, err := w.Events.Change(w.Context(), id, func(*event.Event) error {
					try()
					return nil
				})
				return err
			})
		}},
		{"no port is called from inside Events.ChangeRead", func(w *fixtures) {
			id := w.write(w.newUser(), noon).ID()
			w.refusedInside(calls, func(try func()) error {
				_, err := w.Events.ChangeRead(w.Context(), w.got(id), func(*event.Event) error {
					try()
					return nil
				})
				return err
			})
		}},
		{"no port is called from inside Images.Change", func(w *fixtures) {
			id := w.picture(w.newUser(), noon).ID
			w.refusedInside(calls, func(try func()) error {
				_, err := w.Images.Change(w.Context(), id, func(*userimage.Image) error {
					try()
					return nil
				})
				return err
			})
		}},
		{"no port is called from inside Ledger.Change", func(w *fixtures) {
			id := w.charge(order(w.newUser(), noon)).ID
			w.refusedInside(calls, func(try func()) error {
				return w.Ledger.Change(w.Context(), id, func(*payment.Trade) error {
					try()
					return nil
				})
			})
		}},
		{"others are served while a Change goes on", othersMeanwhile},
	})
}

// refusedInside asserts that each of the calls fails at once inside the change,
// by itself and not because it ran out of time, and that the change succeeds.
func (w *fixtures) refusedInside(calls []call, change func(try func()) error) {
	w.Helper()
	for _, c := range calls {
		w.promptly(func() {
			ctx, cancel := context.WithTimeout(w.Context(), 10*time.Second)
			defer cancel()
			assert.NoError(w, change(func() {
				assert.ErrorIs(w, c.make(ctx, w.Stores), reentry.ErrInside, c.name)
				assert.NoError(w, ctx.Err(), "%s waits", c.name)
			}))
		})
	}
}

// refusedGone asserts that each of the calls fails for a caller who has gone
// away, or whose time is up, with the error of the context.
func (w *fixtures) refusedGone(calls []call) {
	w.Helper()
	gone, cancel := context.WithCancel(w.Context())
	cancel()
	late, cancel := context.WithDeadline(w.Context(), noon.AddDate(-10, 0, 0))
	defer cancel()
	for _, c := range calls {
		assert.ErrorIs(w, c.make(gone, w.Stores), context.Canceled, c.name)
		assert.ErrorIs(w, c.make(late, w.Stores), context.DeadlineExceeded, c.name)
	}
}

func othersMeanwhile(w *fixtures) {
	author := w.newUser()
	changed, other := w.write(author, noon).ID(), w.write(author, noon).ID()
	changing, calling := make(chan struct{}), make(chan struct{})
	served := make(chan error, 1)
	go func() {
		<-changing
		close(calling)
		_, err := w.Events.Change(w.Context(), other, apply(noon, titled("Another")))
		served <- err
	}()
	var first sync.Once
	_, err := w.Events.Change(w.Context(), changed, func(e *event.Event) error {
		first.Do(func() {
			close(changing)
			<-calling
			for range 1000 {
				runtime.Gosched()
			}
		})
		return e.Apply(change(titled("Changed")), noon)
	})
	require.NoError(w, err)
	require.NoError(w, <-served)
	assert.Equal(w, "Changed", w.entry(changed).Text().Title)
	assert.Equal(w, "Another", w.entry(other).Text().Title)
}
