// Package admission bounds work that needs much memory or processor time, like hashing a
// password or decoding a picture, and shares it fairly.
//
// A queue admits work up to its capacity. Further work waits. The work of the account or
// address that has used the queue least is admitted next. So one that sends many requests
// delays itself, not others. The number of waiting requests is bounded, and so is the time that they wait.
package admission

import (
	"context"
	"slices"
	"sync"
	"time"

	"plaza/domain/fault"
)

// Queue admits work. It is a start-time fair queue: each key, like an account or an address, has a virtual time, which
// advances by the weight of the work that the key has had admitted.
type Queue struct {
	limits  Limits
	refusal *fault.Error

	mu    sync.Mutex
	used  int64            // weight of the work that is admitted
	now   int64            // virtual time: the tag of the work admitted last
	spent map[string]int64 // virtual time up to which the key has used its share, if later than now
	line  []*waiter        // ordered by tag
}

// waiter is work that waits.
type waiter struct {
	keys   []string
	weight int64
	tag    int64
	admit  chan error // receives nil, or the refusal; has room for one
}

// Limits are the limits of a queue.
type Limits struct {
	Capacity int64         // weight of the work that is admitted at once
	Waiting  int           // requests that wait; beyond it, the one with the largest share is refused
	Wait     time.Duration // how long a request waits before it is refused; zero: until its context ends
}

// New returns a queue. A request that is refused gets the refusal.
func New(l Limits, refusal *fault.Error) *Queue {
	l.Capacity = max(l.Capacity, 1)
	return &Queue{limits: l, refusal: refusal, spent: map[string]int64{}}
}

// Enter waits until work of the weight is admitted, and returns the function that ends it.
// Work that is heavier than the queue's capacity has the weight of the capacity. Enter
// returns the refusal of the queue, or the error of ctx.
func (q *Queue) Enter(ctx context.Context, weight int64, keys ...string) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if q.limits.Wait > 0 {
		waiting, cancel := context.WithTimeoutCause(ctx, q.limits.Wait, q.refusal)
		defer cancel()
		ctx = waiting
	}
	w := q.join(min(max(weight, 1), q.limits.Capacity), keys)
	select {
	case err := <-w.admit:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		if q.withdraw(w) {
			return nil, context.Cause(ctx)
		}
		if err := <-w.admit; err == nil {
			q.leave(w)
		}
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { q.leave(w) }), nil
}

// join puts the work into the line, and admits what fits.
func (q *Queue) join(weight int64, keys []string) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &waiter{keys: keys, weight: weight, tag: q.now, admit: make(chan error, 1)}
	for _, k := range keys {
		w.tag = max(w.tag, q.spent[k])
	}
	for _, k := range keys { // each for itself, so that one with much does not delay one that is named beside it
		q.spent[k] = max(q.now, q.spent[k]) + weight
	}
	at, _ := slices.BinarySearchFunc(q.line, w.tag, func(other *waiter, tag int64) int {
		if other.tag <= tag {
			return -1
		}
		return 1
	})
	q.line = slices.Insert(q.line, at, w)
	q.admit()
	if len(q.line) > q.limits.Waiting {
		excess := q.line[len(q.line)-1]
		q.remove(excess)
		excess.admit <- q.refusal
	}
	return w
}

// remove removes work that waits, and gives its share back. It reports whether it found it.
func (q *Queue) remove(w *waiter) bool {
	at := slices.Index(q.line, w)
	if at < 0 {
		return false
	}
	q.line = slices.Delete(q.line, at, at+1)
	for _, k := range w.keys {
		q.spent[k] -= w.weight
	}
	q.forget()
	return true
}

// admit admits the first of the line for as long as they fit.
func (q *Queue) admit() {
	for len(q.line) > 0 && q.used+q.line[0].weight <= q.limits.Capacity {
		w := q.line[0]
		q.line = slices.Delete(q.line, 0, 1)
		q.used += w.weight
		q.now = w.tag
		w.admit <- nil
	}
}

// withdraw removes work that has not been admitted. It reports whether it found it.
func (q *Queue) withdraw(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := q.remove(w)
	q.admit() // others may fit where w did not
	return found
}

func (q *Queue) leave(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= w.weight
	q.admit()
	q.forget()
}

// forget drops the shares that virtual time has passed, and all of them when the queue is
// idle. So the map holds only keys of waiting and recent work.
func (q *Queue) forget() {
	if len(q.line) == 0 && q.used == 0 {
		clear(q.spent)
		q.now = 0
		return
	}
	for k, until := range q.spent {
		if until <= q.now {
			delete(q.spent, k)
		}
	}
}
