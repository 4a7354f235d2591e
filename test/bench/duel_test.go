package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"
)

// contender is who is put under a load.
type contender struct {
	name    string
	measure func(context.Context, load) (measurement, error)
}

// server is a contender with what it is asked.
func server(name, at string, requests []request) contender {
	return contender{name, func(ctx context.Context, l load) (measurement, error) {
		l.requests = requests
		return l.measure(ctx, at)
	}}
}

// serverOnce is a contender that is never asked the same twice.
func serverOnce(name, at string, next func() request) contender {
	return contender{name, func(ctx context.Context, l load) (measurement, error) {
		l.next = next
		return l.measure(ctx, at)
	}}
}

// outcome is how two contenders did in the same rounds.
type outcome struct {
	first, second summary
	ratios        []float64 // of the second's rate to the first's, round by round, in order
	peers         []peerOutcome
}

// summary is the medians of what was measured.
type summary measurement

// rounds says how two are compared.
type rounds struct {
	load
	count int
	tidy  func() error // before every measurement; nil: nothing
}

// duel measures both, and peers, in every round, one right after the other and each first
// in its turn, so that other load of the machine affects all alike.
func (r rounds) duel(ctx context.Context, first, second contender, peers ...contender) (outcome, error) {
	all := append([]contender{first, second}, peers...)
	measured := make([][]measurement, len(all))
	var o outcome
	for round := range r.count {
		for turn := range all {
			who := (round + turn) % len(all)
			if r.tidy != nil {
				if err := r.tidy(); err != nil {
					return o, err
				}
			}
			m, err := all[who].patiently(ctx, r.load)
			if err != nil {
				return o, fmt.Errorf("%s: %w", all[who].name, err)
			}
			measured[who] = append(measured[who], m)
		}
		o.ratios = append(o.ratios, measured[1][round].rate/measured[0][round].rate)
	}
	slices.Sort(o.ratios)
	o.first, o.second = summarise(measured[0]), summarise(measured[1])
	fmt.Fprintf(os.Stderr, "  %-8s %7.0f/s   %-8s %7.0f/s   %.2f [%.2f–%.2f]\n", first.name, o.first.rate, second.name, o.second.rate,
		o.ratio(), o.ratios[0], o.ratios[len(o.ratios)-1])
	for i, p := range peers {
		o.peers = append(o.peers, peerOutcomeOf(p.name, measured[0], measured[1], measured[2+i]))
		fmt.Fprintf(os.Stderr, "  %-10s %5.0f/s\n", p.name, o.peers[i].rate)
	}
	return o, nil
}

// patiently measures for longer where the machine is too busy, or the server too slow, to do
// anything in time.
func (c contender) patiently(ctx context.Context, l load) (measurement, error) {
	m, err := c.measure(ctx, l)
	for errors.Is(err, errNothingDone) && l.time < patience {
		l.time *= 2
		m, err = c.measure(ctx, l)
	}
	return m, err
}

// solo measures one contender in every round.
func (r rounds) solo(ctx context.Context, alone contender) (summary, error) {
	var all []measurement
	for range r.count {
		m, err := alone.patiently(ctx, r.load)
		if err != nil {
			return summary{}, fmt.Errorf("%s: %w", alone.name, err)
		}
		all = append(all, m)
	}
	s := summarise(all)
	fmt.Fprintf(os.Stderr, "  %-8s %7.0f/s\n", alone.name, s.rate)
	return s, nil
}

func summarise(all []measurement) summary {
	rates, p50, p99 := []float64{}, []time.Duration{}, []time.Duration{}
	for _, m := range all {
		rates, p50, p99 = append(rates, m.rate), append(p50, m.p50), append(p99, m.p99)
	}
	return summary{median(rates), median(p50), median(p99)}
}

// median is that of the values; of an even number of them the mean of the middle
// two.
func median[T float64 | int64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 0 {
		return (sorted[middle-1] + sorted[middle]) / 2
	}
	return sorted[middle]
}

// ratio is as it is printed, so that what is judged is what can be read.
func (o outcome) ratio() float64 { return math.Round(100*median(o.ratios)) / 100 }
