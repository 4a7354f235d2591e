package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// mixture is how many of a thousand requests of the mix are of each scenario: 900 read.
var mixture = []struct {
	scenario string
	share    int
}{
	{"A", 200}, {"304", 90}, {"B", 60}, {"C", 60}, {"D", 80}, {"E", 100}, {"event", 150}, {"list", 80}, {"feed", 80},
	{"comment", 35}, {"like", 40}, {"F", 15}, {"login", 3}, {"upload", 3}, {"pay", 4},
}

// mixVariety is how many different requests of a scenario the mix has.
const mixVariety = 512

// mixer makes the requests of the mix, in an order that looks random.
type mixer struct {
	dataset  *dataset
	requests [][]request // by mixture; of scenarios whose requests are sent only once: none
}

func newMixer(at string, d *dataset) (*mixer, error) {
	m := &mixer{dataset: d, requests: make([][]request, len(mixture))}
	for i, part := range mixture {
		sc := called(part.scenario)
		if sc.once {
			continue
		}
		requests, err := sc.ready(at, requestsOf(sc, d, min(sc.kinds(), mixVariety)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sc.name, err)
		}
		m.requests[i] = requests
	}
	return m, nil
}

// request is the i-th request, and its place in mixture.
func (m *mixer) request(i int) (part int, q request) {
	r := roll("mix", i)
	for left := r.n(1000); left >= mixture[part].share; part++ {
		left -= mixture[part].share
	}
	if m.requests[part] == nil {
		return part, m.dataset.next(called(mixture[part].scenario))
	}
	return part, pick(r, m.requests[part])
}

// mixRow is the mix at a fixed rate, in all rounds.
type mixRow struct {
	name   string
	closed float64       // requests a second that as many connections as usual get answered, the median of the rounds
	rate   float64       // requests a second that were due, the median of the rounds
	round  time.Duration // how long one lasts
	tails  []time.Duration
	took   [][]time.Duration // by mixture: from when a request was due to its answer, in order
	memory []int64           // bytes that were resident, ten times a second; empty: the system does not tell
	peak   int64             // most bytes that were resident
}

const (
	mixRounds      = 3
	mixConnections = 32 // so many that a request seldom waits for one
)

// mixTail is the goal of the p99 of the mix.
const mixTail = 45 * time.Millisecond

// benchMix measures the mix as fast as the first program answers it, and then of each program in its turn for so long at half of
// that rate, in several rounds.
func benchMix(ctx context.Context, s benchedStore, programs []peer, d *dataset, lasting time.Duration) ([]mixRow, error) {
	fmt.Fprintf(os.Stderr, "%s, mix\n", s.name)
	rows, mixers, rates := make([]mixRow, len(programs)), make([]*mixer, len(programs)), make([][]float64, len(programs))
	for i, p := range programs {
		var err error
		if mixers[i], err = newMixer(p.at, d); err != nil {
			return nil, err
		}
		rows[i] = mixRow{name: cmp.Or(p.name, "Plaza"), round: lasting, took: make([][]time.Duration, len(mixture))}
	}
	for round := range mixRounds {
		for turn := range programs {
			i := (round + turn) % len(programs)
			rate, err := mixers[i].fast(ctx, programs[i].at, lasting/5)
			if err == nil {
				err = s.tidy()
			}
			if err == nil {
				rates[i] = append(rates[i], rate)
				err = rows[i].add(ctx, mixers[i], programs[i].running, median(rates[0])/2)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rows[i].name, err)
			}
		}
	}
	for i := range rows {
		rows[i].closed, rows[i].rate = median(rates[i]), median(rates[0])/2
	}
	return rows, nil
}

// fast returns how many requests of the mix are answered a second, as fast as it goes.
func (m *mixer) fast(ctx context.Context, at string, lasting time.Duration) (float64, error) {
	var sent atomic.Int64
	c := serverOnce("the mix", at, func() request {
		_, q := m.request(int(sent.Add(1)))
		return q
	})
	measured, err := c.patiently(ctx, load{connections: *connectionsFlag, warmUp: 500 * time.Millisecond, time: lasting})
	return measured.rate, err
}

// add adds a round at the rate.
func (r *mixRow) add(ctx context.Context, m *mixer, plaza running, rate float64) error {
	watched, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	var unwatched error
	watch.Go(func() { unwatched = r.watchMemory(watched, plaza.pid) })
	took, err := m.atRate(ctx, plaza.at, rate, r.round)
	stop()
	watch.Wait()
	if err := errors.Join(err, unwatched); err != nil {
		return err
	}
	tail := quantile(slices.Sorted(slices.Values(slices.Concat(took...))), 990)
	r.tails = append(r.tails, tail)
	for part, times := range took {
		r.took[part] = slices.Sorted(slices.Values(slices.Concat(r.took[part], times)))
	}
	fmt.Fprintf(os.Stderr, "  at %.0f/s p99 %v\n", rate, tail)
	return nil
}

// watchMemory samples what the process has resident until the context ends.
func (r *mixRow) watchMemory(ctx context.Context, pid int) error {
	for ctx.Err() == nil {
		now, most, err := residentMemory(pid)
		if err != nil {
			return err
		}
		if now > 0 {
			r.memory, r.peak = append(r.memory, now), most
		}
		pause(ctx, 100*time.Millisecond)
	}
	return nil
}

// all are the times of all requests, in order.
func (r mixRow) all() []time.Duration {
	all := slices.Concat(r.took...)
	slices.Sort(all)
	return all
}

// atRate sends the requests when they are due, at a fixed pace, whether or not earlier ones have
// been answered. How long one takes counts from when it was due, so that a server that stops for a while is charged for
// all that it kept waiting. What is due in the first second warms up.
func (m *mixer) atRate(ctx context.Context, at string, rate float64, lasting time.Duration) ([][]time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	interval := time.Duration(float64(time.Second) / rate)
	first := int(min(time.Second, lasting/5) / interval)
	total := first + int(lasting/interval)
	begin := time.Now().Add(100 * time.Millisecond)
	var sent atomic.Int64
	took := make([][][]time.Duration, mixConnections)
	var wait sync.WaitGroup
	for n := range took {
		took[n] = make([][]time.Duration, len(mixture))
		wait.Go(func() {
			w, err := dial(at)
			if err != nil {
				cancel(err)
				return
			}
			defer w.Close()
			s := sender{wire: w}
			for i := int(sent.Add(1) - 1); i < total && ctx.Err() == nil; i = int(sent.Add(1) - 1) {
				part, q := m.request(i)
				due := begin.Add(time.Duration(i) * interval)
				pause(ctx, time.Until(due))
				if err := s.send(q); err != nil {
					cancel(err)
					return
				}
				if i >= first {
					took[n][part] = append(took[n][part], time.Since(due))
				}
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return byPart(took)
}

// pause waits for the duration, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// byPart puts the times of all connections together, in order.
func byPart(took [][][]time.Duration) (parts [][]time.Duration, err error) {
	parts = make([][]time.Duration, len(mixture))
	for _, own := range took {
		for part, times := range own {
			parts[part] = append(parts[part], times...)
		}
	}
	answered := 0
	for _, times := range parts {
		slices.Sort(times)
		answered += len(times)
	}
	if answered == 0 {
		err = errors.New("nothing of the mix was answered")
	}
	return parts, err
}

// quantile is the time below which so many of a thousand are; the times are in order.
func quantile(times []time.Duration, permille int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[min(len(times)-1, len(times)*permille/1000)]
}
