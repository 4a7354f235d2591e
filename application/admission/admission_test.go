package admission_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/admission"
	"plaza/domain/fault"
)

var errBusy = fault.RetryAfter(fault.Unavailable, time.Second, "busy")

func newQueue(capacity int64, waiting int) *admission.Queue {
	return admission.New(admission.Limits{Capacity: capacity, Waiting: waiting}, errBusy)
}

// worker enters the queue for a second of work, any number of times.
type worker struct {
	queue *admission.Queue
	order *[]string
	mu    *sync.Mutex
}

func (w worker) work(ctx context.Context, name string, weight int64, keys ...string) error {
	leave, err := w.queue.Enter(ctx, weight, keys...)
	if err != nil {
		return err
	}
	w.mu.Lock()
	*w.order = append(*w.order, name)
	w.mu.Unlock()
	<-time.After(time.Second)
	leave()
	leave() // further calls do nothing
	return nil
}

// admitted returns the names of the admitted work in its order.
func (w worker) admitted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(*w.order)
}

func newWorker(q *admission.Queue) worker { return worker{q, new([]string), new(sync.Mutex)} }

func TestEnter_admits_up_to_the_capacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(newQueue(3, 10))
		var all sync.WaitGroup
		began := time.Now()
		for i, weight := range []int64{1, 2, 3, 100} {
			all.Go(func() { assert.NoError(t, w.work(t.Context(), fmt.Sprint(i), weight)) })
			synctest.Wait()
		}
		assert.Equal(t, []string{"0", "1"}, w.admitted())
		all.Wait()
		assert.Equal(t, []string{"0", "1", "2", "3"}, w.admitted(), "heavier work than the capacity has the capacity's weight")
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestEnter_serves_a_newcomer_before_one_who_has_much(t *testing.T) {
	for name, keys := range map[string]func(i int) []string{
		"one account from many addresses": func(i int) []string {
			return []string{"account 1", fmt.Sprint("address ", i)}
		},
		"many accounts from one address": func(i int) []string {
			return []string{fmt.Sprint("account ", i), "address 1"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorker(newQueue(1, 50))
				var all sync.WaitGroup
				for i := range 40 {
					all.Go(func() { assert.NoError(t, w.work(t.Context(), "many", 1, keys(i)...)) })
				}
				<-time.After(3500 * time.Millisecond)
				began := time.Now()
				require.NoError(t, w.work(t.Context(), "one", 1, "account one", "address one"))
				assert.Equal(t, 1500*time.Millisecond, time.Since(began), "half a second for the work that runs, one for its own")
				all.Wait()
			})
		})
	}
}

func TestEnter_shares_between_two_who_both_have_much(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(newQueue(1, 100))
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { assert.NoError(t, w.work(t.Context(), "light", 1, "light")) })
			all.Go(func() { assert.NoError(t, w.work(t.Context(), "heavy", 1, "heavy")) })
		}
		all.Wait()
		count := map[string]int{}
		for i, name := range w.admitted() {
			count[name]++
			assert.LessOrEqual(t, max(count["light"], count["heavy"])-min(count["light"], count["heavy"]), 1, i)
		}
	})
}

func TestEnter_refuses_the_largest_share_when_the_line_is_full(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(newQueue(1, 4))
		var all sync.WaitGroup
		refused := make(chan error, 20)
		enter := func(name string) {
			all.Go(func() {
				if err := w.work(t.Context(), name, 1, name); err != nil {
					refused <- fmt.Errorf("%s: %w", name, err)
				}
			})
			synctest.Wait()
		}
		for range 6 {
			enter("many")
		}
		require.Len(t, refused, 1)
		enter("one")
		require.Len(t, refused, 2)
		all.Wait()
		close(refused)
		for err := range refused {
			assert.ErrorContains(t, err, "many: ")
			assert.ErrorIs(t, err, errBusy)
		}
		assert.Equal(t, []string{"many", "one", "many", "many", "many"}, w.admitted())
	})
}

func TestEnter_ends_with_its_context(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(newQueue(2, 4))
		var all sync.WaitGroup
		all.Go(func() { assert.NoError(t, w.work(t.Context(), "first", 1)) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		all.Go(func() { assert.ErrorIs(t, w.work(ctx, "too heavy yet", 2), context.DeadlineExceeded) })
		synctest.Wait()
		all.Go(func() { assert.NoError(t, w.work(t.Context(), "light", 1)) })
		<-time.After(time.Second / 2)
		synctest.Wait()
		assert.Equal(t, []string{"first", "light"}, w.admitted(), "what waited behind it is admitted when it leaves")
		assert.ErrorIs(t, w.work(ctx, "late", 1), context.DeadlineExceeded)
		all.Wait()
		require.NoError(t, w.work(t.Context(), "next", 2), "nothing is held any more")
	})
}

func TestEnter_bounds_the_wait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorker(admission.New(admission.Limits{Capacity: 2, Waiting: 10, Wait: 500 * time.Millisecond}, errBusy))
		var all sync.WaitGroup
		all.Go(func() { assert.NoError(t, w.work(t.Context(), "first", 1)) })
		synctest.Wait()
		all.Go(func() { assert.ErrorIs(t, w.work(t.Context(), "too heavy yet", 2), errBusy) })
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		all.Go(func() { assert.ErrorIs(t, w.work(ctx, "short of time", 2), context.DeadlineExceeded) })
		began := time.Now()
		all.Wait()
		assert.Equal(t, time.Second, time.Since(began), "admitted work has no limit")
		assert.NoError(t, w.work(t.Context(), "next", 2))
		assert.Equal(t, []string{"first", "next"}, w.admitted())
	})
}
