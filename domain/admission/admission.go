// Package admission bounds work that needs much memory or processor time, like hashing a
// password or decoding a picture, and shares it fairly.
//
// A queue admits work up to its capacity. Further work waits. The work of the account or
// address that has used the queue least is admitted next. So one that sends many requests
// delays itself, not others. The number of waiting requests is bounded: beyond it, the
// request with the largest share is refused.
package admission

import (
	"context"
	"slices"
	"sync"
	"time"

	"plaza/domain/fault"
)

// Key names what a share is counted for, like an account or an address.
type Key string

// Queue admits work. It is a start-time fair queue: each key has a virtual time, which
// advances by the weight of the work that the key has had admitted.
type Queue struct {
	capacity int64
	waiting  int
	refusal  string

	mu     sync.Mutex
	used   int64
	now    int64         // virtual time: the tag of the work admitted last
	spent  map[Key]int64 // virtual time up to which the key has used its share, if later than now
	line   []*waiter     // ordered by tag
	active int
}

// waiter is work that waits.
type waiter struct {
	keys   []Key
	weight int64
	tag    int64
	admit  chan error // receives nil, or the refusal; has room for one
}

// New returns a queue that admits work of at most that weight at once. At most waiting
// requests wait. A request that is refused gets a fault with the text.
func New(capacity int64, waiting int, refusal string) *Queue {
	return &Queue{capacity: max(capacity, 1), waiting: waiting, refusal: refusal, spent: map[Key]int64{}}
}

// retryAfter is what a refused client is told.
const retryAfter = time.Second

// Enter waits until work of the weight is admitted, and returns the function that ends it.
// Work that is heavier than the queue's capacity has the weight of the capacity. Enter
// returns an Unavailable fault if the queue is full, or the error of ctx.
func (q *Queue) Enter(ctx context.Context, weight int64, keys ...Key) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := q.join(min(max(weight, 1), q.capacity), keys)
	select {
	case err := <-w.admit:
		if err != nil {
			return nil, err
		}
	case <-ctx.Done():
		if q.withdraw(w) {
			return nil, ctx.Err()
		}
		if err := <-w.admit; err != nil {
			return nil, ctx.Err()
		}
		q.leave(w)
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() { q.leave(w) }), nil
}

// join puts the work into the line, and admits what fits.
func (q *Queue) join(weight int64, keys []Key) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := &waiter{keys: keys, weight: weight, tag: q.now, admit: make(chan error, 1)}
	for _, k := range keys {
		w.tag = max(w.tag, q.spent[k])
	}
	for _, k := range keys {
		q.spent[k] = w.tag + weight
	}
	at, _ := slices.BinarySearchFunc(q.line, w.tag, func(other *waiter, tag int64) int {
		if other.tag <= tag {
			return -1
		}
		return 1
	})
	q.line = slices.Insert(q.line, at, w)
	q.admit()
	if len(q.line) > q.waiting {
		last := q.line[len(q.line)-1]
		q.line = q.line[:len(q.line)-1]
		q.giveBack(last)
		last.admit <- fault.RetryAfter(fault.Unavailable, retryAfter, q.refusal)
	}
	return w
}

// admit admits the first of the line for as long as they fit.
func (q *Queue) admit() {
	for len(q.line) > 0 && q.used+q.line[0].weight <= q.capacity {
		w := q.line[0]
		q.line = slices.Delete(q.line, 0, 1)
		q.used += w.weight
		q.active++
		q.now = w.tag
		w.admit <- nil
	}
}

// withdraw removes work that has not been admitted. It reports whether it found it.
func (q *Queue) withdraw(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.line, w)
	if at < 0 {
		return false
	}
	q.line = slices.Delete(q.line, at, at+1)
	q.giveBack(w)
	q.admit() // others may fit where w did not
	return true
}

// giveBack returns the share of work that was never admitted.
func (q *Queue) giveBack(w *waiter) {
	for _, k := range w.keys {
		q.spent[k] -= w.weight
	}
	q.forget()
}

func (q *Queue) leave(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.used -= w.weight
	q.active--
	q.admit()
	q.forget()
}

// forget drops the shares that virtual time has passed, and all of them when the queue is
// idle. So the map holds only keys of waiting and recent work.
func (q *Queue) forget() {
	if len(q.line) == 0 && q.active == 0 {
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
