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
	"testing"
	"time"
)

// mixture is how many of a thousand requests of the mix are of each scenario: 900 read.
var mixture = []struct {
	scenario string
	share    int
}{
	{"A", 200}, {"304", 90}, {"B", 60}, {"C", 60}, {"D", 80}, {"E", 80}, {"search", 20}, {"event", 150}, {"list", 80}, {"feed", 80},
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
		requests, err := sc.ready(at, requestsOf(sc, d, min(cmp.Or(sc.variety, variety), mixVariety)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sc.name, err)
		}
		m.requests[i] = requests
	}
	return m, nil
}

// partOf is the place in mixture of the i-th request, with what decides about the request.
func partOf(i int) (part int, r *random) {
	r = roll("mix", i)
	for left := r.IntN(1000); left >= mixture[part].share; part++ {
		left -= mixture[part].share
	}
	return part, r
}

// request is the i-th request.
func (m *mixer) request(i int) request {
	part, r := partOf(i)
	if m.requests[part] == nil {
		return m.dataset.next(called(mixture[part].scenario))
	}
	return pick(r, m.requests[part])
}

// mixRow is the mix at a fixed rate, in all rounds.
type mixRow struct {
	name   string
	closed float64       // requests a second that as many connections as usual get answered, the median of the rounds
	rate   float64       // requests a second that were due, the median of the rounds
	round  time.Duration // how long one lasts
	tails  []time.Duration
	took   [][]time.Duration // by mixture: from when a request was due to its answer
	memory []int64           // bytes that were resident, ten times a second; empty: the system does not tell
	peak   int64             // most bytes that were resident
}

const (
	mixRounds      = 3
	mixConnections = 32 // so many that a request seldom waits for one
)

// mixTail is the goal of the p99 of the mix.
const mixTail = 45 * time.Millisecond

// benchMix starts servers of its own, to see how much they take by themselves. It measures the mix as fast as Plaza answers it, and
// then of each program in its turn for so long at half of that rate, in several rounds.
func (all *results) benchMix(ctx context.Context, b *testing.B, binary string, d *dataset) {
	fmt.Fprintf(os.Stderr, "%s, mix\n", all.name)
	programs := append([]rival{{name: "Plaza", running: launchPlaza(b, binary, all.full)}}, startVariants(b, all.full)...)
	rows, mixers, rates := make([]mixRow, len(programs)), make([]*mixer, len(programs)), make([][]float64, len(programs))
	for i, p := range programs {
		var err error
		if mixers[i], err = newMixer(p.at, d); err != nil {
			b.Fatalf("%s, mix: %v", all.name, err)
		}
		rows[i] = mixRow{
			name: p.name, round: time.Duration(*mixFlag * float64(time.Second)), took: make([][]time.Duration, len(mixture)),
		}
	}
	for round := range mixRounds {
		for turn := range programs {
			i := (round + turn) % len(programs)
			rate, err := mixers[i].fast(ctx, programs[i].at, rows[i].round/5)
			if err == nil {
				err = all.tidy()
			}
			if err == nil {
				rates[i] = append(rates[i], rate)
				err = rows[i].add(ctx, mixers[i], programs[i].running, median(rates[0])/2)
			}
			if err != nil {
				b.Fatalf("%s, mix: %s: %v", all.name, rows[i].name, err)
			}
		}
	}
	for i := range rows {
		rows[i].closed, rows[i].rate = median(rates[i]), median(rates[0])/2
	}
	all.mixes = rows
}

// fast returns how many requests of the mix are answered a second, as fast as it goes.
func (m *mixer) fast(ctx context.Context, at string, lasting time.Duration) (float64, error) {
	var sent atomic.Int64
	c := serverOnce("the mix", at, func() request { return m.request(int(sent.Add(1))) })
	measured, err := c.patiently(ctx, load{connections: *connectionsFlag, warmUp: 500 * time.Millisecond, time: lasting})
	return measured.rate, err
}

// add adds a round at the rate. What is due in the first second warms up.
func (r *mixRow) add(ctx context.Context, m *mixer, plaza running, rate float64) error {
	warmUp := min(time.Second, r.round/5)
	ctx, stop := context.WithTimeout(ctx, warmUp+r.round)
	defer stop()
	var watch sync.WaitGroup
	var unwatched error
	watch.Go(func() { unwatched = r.watchMemory(ctx, plaza.pid) })
	took, err := paced(ctx, plaza.at, rate, m.request)
	stop()
	watch.Wait()
	if err := errors.Join(err, unwatched); err != nil {
		return err
	}
	took = slices.DeleteFunc(took, func(one timed) bool { return float64(one.i) < rate*warmUp.Seconds() })
	for _, one := range took {
		part, _ := partOf(one.i)
		r.took[part] = append(r.took[part], one.took)
	}
	late := tail(took)
	r.tails = append(r.tails, late)
	fmt.Fprintf(os.Stderr, "  at %.0f/s p99 %v\n", rate, late)
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
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return nil
}

// timed is how long the i-th request took.
type timed struct {
	i    int
	took time.Duration
}

// paced sends requests when they are due, at a fixed rate until the context ends, whether or not earlier ones have been answered.
// How long one takes counts from when it was due, so that a server that stops for a while is charged for all that it kept waiting.
func paced(ctx context.Context, at string, rate float64, request func(i int) request) (all []timed, err error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	began, interval := time.Now(), time.Duration(float64(time.Second)/rate)
	var next atomic.Int64
	var mu sync.Mutex // guards all
	var wait sync.WaitGroup
	for range mixConnections {
		wait.Go(func() {
			w, err := dial(at)
			if err != nil {
				fail(err)
				return
			}
			defer w.Close()
			for s := (sender{wire: w}); ; {
				i := int(next.Add(1) - 1)
				due := began.Add(time.Duration(i) * interval)
				select {
				case <-time.After(time.Until(due)):
				case <-ctx.Done():
					return
				}
				if err := s.send(request(i)); err != nil {
					fail(err)
					return
				}
				mu.Lock()
				all = append(all, timed{i, time.Since(due)})
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errNothingDone
	}
	return all, nil
}

// tail is the p99 of the times.
func tail(all []timed) time.Duration {
	var times []time.Duration
	for _, one := range all {
		times = append(times, one.took)
	}
	slices.Sort(times)
	return quantile(times, 990)
}

// quantile is the time below which so many of a thousand are; the times are in order.
func quantile(times []time.Duration, permille int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[min(len(times)-1, len(times)*permille/1000)]
}
