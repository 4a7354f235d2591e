package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// measurement is how a server did for a while.
type measurement struct {
	rate     float64 // requests a second
	p50, p99 time.Duration
}

// load is what a server is put under: so many connections, which go round in the
// requests from different places.
type load struct {
	requests    []request
	next        func() request // makes every request anew; nil: the requests go round
	connections int
	warmUp      time.Duration
	time        time.Duration
}

// serials makes titles that no event has had.
var serials atomic.Int64

// measure counts what is answered within the time, after a while of warming up.
// One wrong answer is the end of the measurement.
func (l load) measure(ctx context.Context, at string) (measurement, error) {
	return l.together(ctx, func(n int, repeat func(func() error) error) error {
		w, err := dial(at)
		if err != nil {
			return err
		}
		defer w.Close()
		s := sender{wire: w}
		i := n * len(l.requests) / l.connections
		return repeat(func() error {
			if l.next != nil {
				return s.send(l.next())
			}
			i++
			return s.send(l.requests[(i-1)%len(l.requests)])
		})
	})
}

// sender sends requests over a connection of its own, each with a number of its own.
type sender struct {
	*wire
	own []byte // the other connections may be sending the same request
}

func (s *sender) send(q request) error {
	if q.serial > 0 {
		s.own = append(s.own[:0], q.raw...)
		q.raw = s.own
		q.number(serials.Add(1))
	}
	if _, err := s.wire.send(q); err != nil {
		return fmt.Errorf("%s: %w", q.line(), err)
	}
	return nil
}

var errNothingDone = errors.New("nothing was done in time")

// together counts what all do at once within the time. Each makes itself ready and
// then has its work repeated; the first to fail ends it for all.
func (l load) together(ctx context.Context, one func(n int, repeat func(work func() error) error) error) (measurement, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := time.Now().Add(l.warmUp)
	finish := begin.Add(l.time)
	took := make([][]time.Duration, l.connections)
	var wait sync.WaitGroup
	for n := range l.connections {
		wait.Go(func() {
			err := one(n, func(work func() error) (err error) {
				took[n], err = repeated(ctx, work, begin, finish)
				return err
			})
			if err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return measurement{}, err
	}
	all := slices.Concat(took...)
	if len(all) == 0 {
		return measurement{}, errNothingDone
	}
	slices.Sort(all)
	return measurement{
		rate: float64(len(all)) / l.time.Seconds(),
		p50:  all[len(all)/2], p99: all[len(all)*99/100],
	}, nil
}

// repeated returns how long the work took, each time that it was done in time. What ends in time counts even if it began before:
// else the slower a server is, the more of its work would be left out.
func repeated(ctx context.Context, work func() error, begin, finish time.Time) ([]time.Duration, error) {
	took := make([]time.Duration, 0, 1<<14)
	for ctx.Err() == nil {
		started := time.Now()
		if err := work(); err != nil {
			return nil, err
		}
		now := time.Now()
		if now.After(finish) {
			break
		}
		if !now.Before(begin) {
			took = append(took, now.Sub(started))
		}
	}
	return took, nil
}
