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
			goal, verdict := "–", "–"
			if !isVariant(peers, p.name) && r.peerGoal() > 0 {
				goal, verdict = fmt.Sprintf("≥ × %.0f", r.peerGoal()), met(times(p.plaza) >= r.peerGoal())
			}
			fmt.Fprintf(b, "| %s | %s | %s | %.0f | × %.1f | × %.1f | %.1f–%.1f | %s | %s | %s |\n", r.name, r.what, p.name, p.rate,
				times(p.floor), times(p.plaza), p.plaza[0], p.plaza[len(p.plaza)-1], goal, verdict, p.latency())
		}
	}
}

// isVariant reports whether the peer of that name is a variant of Plaza, which has no goal.
func isVariant(peers []peer, name string) bool {
	return slices.ContainsFunc(peers, func(p peer) bool { return p.name == name && p.isVariant })
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
		benchedStore: benchedStore{name: "Postgres"},
		peers:        []peer{{name: "Django", about: "Django 1.2 with 4 workers"}, {name: "before", about: "a variant", isVariant: true}},
		rows: []row{
			{scenario: called("A"), outcome: outcomeWith(1.1, against("Django", 9, 9.96), against("before", 1, 1.1))},
			{scenario: called("E"), outcome: outcomeWith(0.95, against("Django", 6, 9.94))},
			{scenario: called("F"), outcome: outcomeWith(0.9, against("Django", 6, 5))},
			{scenario: called("C"), outcome: outcomeWith(0.9)},
		},
	}}}
	text := r.text()
	for _, line := range []string{
		"- Django 1.2 with 4 workers",
		"| A | feed items, page 1, publications | Django | 250 | × 9.0 | × 10.0 | 9.0–11.0 | ≥ × 10 | met | 1.00 / 3.00 ms |",
		"| A | feed items, page 1, publications | before | 250 | × 1.0 | × 1.1 | 0.1–2.1 | – | – | 1.00 / 3.00 ms |",
		"| E | simple info of 20 users | Django | 250 | × 6.0 | × 9.9 | 8.9–10.9 | ≥ × 10 | missed | 1.00 / 3.00 ms |",
		"| F | PATCH of an event with its token check | Django | 250 | × 6.0 | × 5.0 | 4.0–6.0 | ≥ × 5 | met | 1.00 / 3.00 ms |",
	} {
		assert.Contains(t, text, line+"\n")
	}
}
