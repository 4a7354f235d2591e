package bench

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tiny is the scale of tests.
const tiny = 0.0005

// tinyPostgres is what the template of test databases is made by, so that it must
// be one function.
func tinyPostgres(ctx context.Context, url string) error { return fill(ctx, url, newDataset(tiny)) }

var quiet = slog.New(slog.DiscardHandler)

// tried are the different ones among the first requests of a scenario.
func tried(sc scenario, first int) (some []request) {
	all := requestsOf(sc, newDataset(tiny), first)
	for _, q := range all {
		if !bytes.Equal(q.raw, all[0].raw) || len(some) == 0 {
			some = append(some, q)
		}
	}
	return some
}

func TestDatasets_have_their_sizes(t *testing.T) {
	d := newDataset(1)
	assert.Equal(t, []int{200_000, 1_000_000, 500_000, 1_000_000, 1_000_000}, []int{d.users, d.publications, d.demands, d.images, d.events})
	s := d.shelves["publication"]
	assert.Equal(t, []int{100_000, 1000}, []int{s.count(largest), s.count(pinned)})
	counts, seen := map[int64]int{}, 0
	small := newDataset(0.01).shelves["publication"]
	for i := range small.total() {
		counts[small.of(i)]++
	}
	for category, n := range counts {
		assert.Equal(t, small.count(int(category)), n)
		seen += n
	}
	assert.Equal(t, 10_000, seen)
	for category := range categories + 1 {
		assert.Positive(t, thousand().shelves["publication"].count(category), "category %d of the small dataset", category)
	}
}

func TestReports_know_noise_from_differences(t *testing.T) {
	o := func(ratio float64) outcome { return outcome{ratios: []float64{ratio - 0.1, ratio, ratio + 0.1}} }
	r := report{dataset: newDataset(tiny), stores: []results{{benchedStore: benchedStore{name: "Postgres"}, rows: []row{
		{scenario: called("A"), outcome: o(0.85)}, {scenario: called("B"), outcome: o(0.95)}, {scenario: called("F"), outcome: o(0.4)},
	}}, {benchedStore: benchedStore{name: "SQLite"}, rows: []row{{scenario: called("A"), outcome: o(0.7)}}}}}
	text := r.text()
	before := ratiosIn(text)
	assert.Equal(t, map[string]float64{"Postgres/A": 0.85, "Postgres/B": 0.95, "Postgres/F": 0.4, "SQLite/A": 0.7}, before)
	for name, want := range map[float64]string{0.85: "met", 0.95: "met, noise", 0.4: "missed"} {
		assert.Equal(t, want, verdict(name, 0.8))
	}
	assert.Equal(t, "–, noise", verdict(1.05, 0))
	r.before = before
	for ratio, want := range map[float64]string{0.78: "0.85, noise", 0.76: "0.85, noise", 0.5: "0.85, worse", 1: "0.85, better"} {
		assert.Equal(t, want, r.since("Postgres/A", o(ratio)))
	}
	assert.Equal(t, "–", r.since("SQLite/F", o(1)))
}
