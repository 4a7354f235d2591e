package paying

import (
	"context"
	"sync"

	"plaza/domain/payment"
)

// queue lets one at a time be at an order. The zero queue is ready.
type queue struct {
	mutex sync.Mutex
	lanes map[payment.OrderID]*lane
}

// lane has room for one, and is there as long as somebody is in it or waits.
type lane struct {
	room   chan struct{}
	people int
}

// enter waits for its turn, and returns how to leave; or the context's error.
func (q *queue) enter(ctx context.Context, id payment.OrderID) (leave func(), err error) {
	l := q.join(id)
	select {
	case l.room <- struct{}{}:
		return func() { <-l.room; q.quit(id, l) }, nil
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
		l = &lane{room: make(chan struct{}, 1)}
		q.lanes[id] = l
	}
	l.people++
	return l
}

func (q *queue) quit(id payment.OrderID, l *lane) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if l.people--; l.people == 0 {
		delete(q.lanes, id)
	}
}
