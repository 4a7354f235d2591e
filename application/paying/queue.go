package paying

import (
	"context"
	"sync"

	"plaza/domain/payment"
)

// queue is a mutex per order. Without it, every call that waits for the order's prepayment
// would poll the ledger, and many calls for one order would slow those for others. The zero
// queue is ready to use.
type queue struct {
	mutex sync.Mutex
	lanes map[payment.OrderID]*lane
}

// lane is the mutex of one order. It exists while goroutines hold it or wait for it.
type lane struct {
	slot  chan struct{}
	users int
}

// enter locks the order and returns the function to unlock it, or the error of ctx.
func (q *queue) enter(ctx context.Context, id payment.OrderID) (leave func(), err error) {
	l := q.join(id)
	select {
	case l.slot <- struct{}{}:
		return func() { <-l.slot; q.quit(id, l) }, nil
	case <-ctx.Done():
		q.quit(id, l)
		return nil, ctx.Err()
	}
}

func (q *queue) join(id payment.OrderID) *lane {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.lanes == nil {
		q.lanes = map[payment.OrderID]*lane{}
	}
	l := q.lanes[id]
	if l == nil {
		l = &lane{slot: make(chan struct{}, 1)}
		q.lanes[id] = l
	}
	l.users++
	return l
}

func (q *queue) quit(id payment.OrderID, l *lane) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if l.users--; l.users == 0 {
		delete(q.lanes, id)
	}
}
