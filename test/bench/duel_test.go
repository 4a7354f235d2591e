package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contender is what is put under a load.
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

// opponent is a contender that Plaza is compared with.
type opponent struct {
	contender
	goal float64 // the least ratio of Plaza's rate to its; zero: none
}

// row is what Plaza and its opponents did in the same rounds. Each is the median.
type row struct {
	name, what string
	plaza      measurement
	against    []versus
}

// versus is how an opponent did.
type versus struct {
	name string
	goal float64
	measurement
	ratios []float64 // of Plaza's rate to its, round by round, in order
}

// ratio is as it is printed, so that what is judged is what can be read.
func (v versus) ratio() float64 { return math.Round(100*median(v.ratios)) / 100 }

// rounds says how contenders are compared.
type rounds struct {
	load
	count int
	tidy  func() error // before every measurement; nil: nothing
}

// row measures all in every round, one right after the other and each first in its turn,
// so that other load of the machine affects all alike.
func (r rounds) row(ctx context.Context, name, what string, plaza contender, against ...opponent) (row, error) {
	all := []contender{plaza}
	for _, o := range against {
		all = append(all, o.contender)
	}
	measured := make([][]measurement, len(all))
	for round := range r.count {
		for turn := range all {
			who := (round + turn) % len(all)
			if r.tidy != nil {
				if err := r.tidy(); err != nil {
					return row{}, err
				}
			}
			m, err := all[who].patiently(ctx, r.load)
			if err != nil {
				return row{}, fmt.Errorf("%s: %w", all[who].name, err)
			}
			measured[who] = append(measured[who], m)
		}
	}
	made := row{name: name, what: what, plaza: summarise(measured[0])}
	for i, o := range against {
		v := versus{name: o.name, goal: o.goal, measurement: summarise(measured[i+1])}
		for round, m := range measured[i+1] {
			v.ratios = append(v.ratios, measured[0][round].rate/m.rate)
		}
		slices.Sort(v.ratios)
		made.against = append(made.against, v)
	}
	var lines strings.Builder
	writeRow(&lines, made)
	fmt.Fprint(os.Stderr, lines.String())
	return made, nil
}

// summarise returns the medians of what was measured.
func summarise(all []measurement) measurement {
	rates, p50, p99 := []float64{}, []time.Duration{}, []time.Duration{}
	for _, m := range all {
		rates, p50, p99 = append(rates, m.rate), append(p50, m.p50), append(p99, m.p99)
	}
	return measurement{median(rates), median(p50), median(p99)}
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

func TestContenders_are_measured_in_the_same_rounds_and_judged_by_what_can_be_read(t *testing.T) {
	var order []string
	contenderOf := func(name string, rate float64) contender {
		return contender{name, func(context.Context, load) (measurement, error) {
			order = append(order, name)
			return measurement{rate: rate}, nil
		}}
	}
	made, err := rounds{count: 3}.row(t.Context(), "A", "work", contenderOf("Plaza", 149.2),
		opponent{contenderOf("floor", 200), 0.75}, opponent{contenderOf("Django", 15), 10})
	require.NoError(t, err)
	assert.Equal(t, []string{"Plaza", "floor", "Django", "floor", "Django", "Plaza", "Django", "Plaza", "floor"}, order)
	var b strings.Builder
	writeRow(&b, made)
	assert.Equal(t, `| A | work | floor | 200 | 149 | 0.75 | 0.75–0.75 | ≥ 0.75 | met | 0.00 / 0.00 ms | 0.00 / 0.00 ms |
| A | work | Django | 15 | 149 | 9.95 | 9.95–9.95 | ≥ 10.00 | missed | 0.00 / 0.00 ms | 0.00 / 0.00 ms |
`, b.String())
}
