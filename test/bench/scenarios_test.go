package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestMixes_have_a_tenth_of_writes(t *testing.T) {
	all, writes := 0, 0
	for _, part := range mixture {
		all += part.share
		if sc := called(part.scenario); sc.isWriting || sc.alone != "" {
			writes += part.share
		}
	}
	assert.Equal(t, 1000, all)
	assert.Equal(t, 100, writes)
}

func TestReports_tell_of_mixes_memory_and_imports(t *testing.T) {
	times := make([]time.Duration, 3000)
	for i := range times {
		times[i] = time.Duration(i+1) * time.Millisecond
	}
	took := make([][]time.Duration, len(mixture))
	took[0], took[1] = times, times[:100]
	slow := outcome{ratios: []float64{1.5}, tails: []float64{1.56}}
	r := report{scale: 1, dataset: newDataset(tiny), stores: []results{{
		benchedStore: benchedStore{name: "Postgres"},
		rows:         []row{{scenario: called("A"), outcome: slow}, {scenario: called("E"), outcome: outcome{ratios: []float64{0.95}, tails: []float64{1.3}}}},
		alone:        []aloneRow{{called("login"), summary{rate: 61, p50: 1e6, p99: 2e6}}},
		mix:          &mixRow{closed: 1000, rate: 500, lasting: time.Minute, took: took, memory: 150 << 20, peak: 160 << 20},
		imported:     &importRow{records: 1000, first: importRun{took: time.Second}, again: importRun{took: time.Second}, idle: times[:1], busy: times[:1]},
	}}}
	text := r.text()
	for _, line := range []string{
		"| A | feed items, page 1, publications | 0 | 0 | 1.50 | 1.50–1.50 | ≥ 2.00 | missed |",
		"| 1.56, ≤ 1.3 missed |", "| 1.30, ≤ 1.3 met |",
		"| login | login | 1.00 / 2.00 ms | 61 | the hash",
		"| A | 20.0 % | 3,000 | 1501.00 ms | 2701.00 ms | 2971.00 ms | 2998.00 ms |",
		"| 304 | 9.0 % | 100 | 51.00 ms | 91.00 ms | – | – |",
		"| 150 MiB | ≤ 120 MiB | missed |",
	} {
		assert.Contains(t, text, line)
	}
	assert.Equal(t, map[string]float64{"Postgres/A": 1.5, "Postgres/E": 0.95}, ratiosIn(text), "only ratios to the floor are compared with the next run")
}
