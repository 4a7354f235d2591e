package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// peerOutcome is how a peer did in the rounds of the floor and Plaza.
type peerOutcome struct {
	name string
	summary
	floor, plaza []float64 // their requests a second to the peer's, round by round, in order
}

// peerOutcomeOf compares what was measured in the same rounds.
func peerOutcomeOf(name string, floor, plaza, peer []measurement) peerOutcome {
	o := peerOutcome{name: name, summary: summarise(peer)}
	for round, m := range peer {
		o.floor = append(o.floor, floor[round].rate/m.rate)
		o.plaza = append(o.plaza, plaza[round].rate/m.rate)
	}
	slices.Sort(o.floor)
	slices.Sort(o.plaza)
	return o
}

// times is the median as it is printed, so that what is judged is what can be read.
func times(ratios []float64) float64 { return math.Round(10*median(ratios)) / 10 }

// isMet reports whether Plaza reaches the goal, with its ratio to the peer and to the floor.
func (g peerGoal) isMet(toPeer, toFloor float64) bool {
	if g == 0 {
		return toFloor >= sameSpeed
	}
	return toPeer >= float64(g)
}

func (g peerGoal) String() string {
	if g == 0 {
		return fmt.Sprintf("≥ %.2f of the floor", sameSpeed)
	}
	return fmt.Sprintf("≥ × %.0f", float64(g))
}

// writePeers writes a table of the rows with peers.
func writePeers(b *strings.Builder, peers []peer, rows []row) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return len(r.peers) == 0 })
	if len(rows) == 0 {
		return
	}
	b.WriteString(`
Peers give the same answers from the same rows, and were measured in the same rounds. They count what they page, as their
frameworks do; the floor and Plaza keep counters. They run as in production:

`)
	for _, p := range peers {
		fmt.Fprintf(b, "- %s\n", p.about)
	}
	b.WriteString(`
| | Work | peer | peer/s | floor to peer | Plaza to peer | min–max | goal | verdict | peer p50 / p99 |
|---|---|---|---|---|---|---|---|---|---|
`)
	for _, r := range rows {
		for _, p := range r.peers {
			goal := peerGoals[r.name]
			fmt.Fprintf(b, "| %s | %s | %s | %.0f | × %.1f | × %.1f | %.1f–%.1f | %v | %s | %s |\n", r.name, r.what, p.name, p.rate,
				times(p.floor), times(p.plaza), p.plaza[0], p.plaza[len(p.plaza)-1], goal, met(goal.isMet(times(p.plaza), r.ratio())), p.latency())
		}
	}
}

func TestReports_show_peers(t *testing.T) {
	against := func(name string, floor, plaza float64) peerOutcome {
		return peerOutcome{name: name, summary: summary{rate: 250, p50: time.Millisecond, p99: 3 * time.Millisecond},
			floor: []float64{floor}, plaza: []float64{plaza - 1, plaza, plaza + 1}}
	}
	outcomeWith := func(ratio float64, peers ...peerOutcome) outcome {
		return outcome{ratios: []float64{ratio}, peers: peers}
	}
	r := report{dataset: newDataset(tiny), stores: []results{{
		benchedStore: benchedStore{name: "Postgres"}, peers: []peer{{name: "Django", about: "Django 1.2 with 4 workers"}},
		rows: []row{
			{scenario: called("A"), outcome: outcomeWith(1.1, against("Django", 9, 9.96))},
			{scenario: called("A1"), outcome: outcomeWith(0.8, against("Django", 30, 24))},
			{scenario: called("E"), outcome: outcomeWith(0.95, against("Django", 6, 5.7))},
			{scenario: called("D1"), outcome: outcomeWith(0.9, against("Django", 6, 5.4))},
			{scenario: called("F"), outcome: outcomeWith(0.9)},
		},
	}}}
	text := r.text()
	for _, line := range []string{
		"- Django 1.2 with 4 workers",
		"| A | feed items, page 1, publications | Django | 250 | × 9.0 | × 10.0 | 9.0–11.0 | ≥ × 10 | met | 1.00 / 3.00 ms |",
		"| A1 | A, only the largest category | Django | 250 | × 30.0 | × 24.0 | 23.0–25.0 | ≥ × 30 | missed | 1.00 / 3.00 ms |",
		"| E | simple info of 20 users | Django | 250 | × 6.0 | × 5.7 | 4.7–6.7 | ≥ 0.95 of the floor | met | 1.00 / 3.00 ms |",
		"| D1 | images by tags, any of two | Django | 250 | × 6.0 | × 5.4 | 4.4–6.4 | ≥ 0.95 of the floor | missed | 1.00 / 3.00 ms |",
	} {
		assert.Contains(t, text, line+"\n")
	}
	assert.Equal(t, map[string]float64{"Postgres/A": 1.1, "Postgres/A1": 0.8, "Postgres/E": 0.95, "Postgres/D1": 0.9, "Postgres/F": 0.9},
		ratiosIn(text), "the table of peers is not taken for that of the floor")
}
