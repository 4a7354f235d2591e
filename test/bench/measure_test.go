package bench

import (
	"bytes"
	"context"
	"errors"
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
	connections int
	warmUp      time.Duration
	time        time.Duration
}

// serials makes titles that no event has had.
var serials atomic.Int64

// measure counts what is answered within the time, after a while of warming up.
// One wrong answer is the end of the measurement.
func (l load) measure(ctx context.Context, at string) (measurement, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin := time.Now().Add(l.warmUp)
	finish := begin.Add(l.time)
	took := make([][]time.Duration, l.connections)
	var wait sync.WaitGroup
	for n := range l.connections {
		wait.Go(func() {
			var err error
			if took[n], err = l.drive(ctx, at, n, begin, finish); err != nil {
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
		return measurement{}, errors.New("nothing was answered in time")
	}
	slices.Sort(all)
	return measurement{
		rate: float64(len(all)) / l.time.Seconds(),
		p50:  all[len(all)/2], p99: all[len(all)*99/100],
	}, nil
}

// drive is what one connection does. It returns how long each answer took that
// came in time.
func (l load) drive(ctx context.Context, at string, n int, begin, finish time.Time) ([]time.Duration, error) {
	w, err := dial(at)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	took := make([]time.Duration, 0, 1<<14)
	var own []byte // the other connections may be sending the same request
	for i := n * len(l.requests) / l.connections; ctx.Err() == nil; i++ {
		q := l.requests[i%len(l.requests)]
		if q.serial > 0 {
			own = append(own[:0], q.raw...)
			q.raw = own
			q.number(serials.Add(1))
		}
		sent := time.Now()
		if _, err := w.ask(q.raw); err != nil {
			line, _, _ := bytes.Cut(q.raw, []byte("\r\n"))
			return nil, errors.Join(errors.New(string(line)), err)
		}
		now := time.Now()
		if now.After(finish) {
			break
		}
		if !sent.Before(begin) {
			took = append(took, now.Sub(sent))
		}
	}
	return took, nil
}
