package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

func TestReports_tell_of_mixes_memory_and_what_was_missed(t *testing.T) {
	path := filepath.Join(t.TempDir(), reasonsFile)
	require.NoError(t, os.WriteFile(path, []byte("# Why\n\nWritten by hand.\n\n## Postgres/A\n\nThe disk\nis slow.\n\n## Postgres/B\n\nNo.\n"), 0o600))
	why, err := readReasons(path)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"Postgres/A": "The disk\nis slow.", "Postgres/B": "No."}, why)
	none, err := readReasons(path + ".missing")
	assert.NoError(t, err)
	assert.Empty(t, none)

	times := make([]time.Duration, 3000)
	for i := range times {
		times[i] = time.Duration(i+1) * time.Millisecond
	}
	took := make([][]time.Duration, len(mixture))
	took[0], took[1] = times, times[:100]
	slow := outcome{ratios: []float64{1.5}, tails: []float64{1.56}}
	r := report{scale: 1, dataset: newDataset(tiny), why: why, stores: []results{{
		benchedStore: benchedStore{name: "Postgres"},
		rows:         []row{{scenario: called("A"), outcome: slow, profile: profile{top: "plaza/adapters\n"}}, {scenario: called("E"), outcome: outcome{ratios: []float64{0.95}, tails: []float64{1.3}}}},
		alone:        []aloneRow{{called("login"), summary{rate: 61, p50: 1e6, p99: 2e6}}},
		mix:          &mixRow{closed: 1000, rate: 500, lasting: time.Minute, took: took, memory: 150 << 20, peak: 160 << 20},
		starts:       []time.Duration{100 * time.Millisecond},
		imported: &importRow{records: 1000, first: importRun{took: time.Second}, again: importRun{took: time.Second}, idle: times[:1], busy: times[:1],
			apart: []apartRun{{"demands", 16_000, importRun{took: time.Second}}, {"publications", 12_000, importRun{took: time.Second}}}},
	}}}
	text := r.text()
	for _, line := range []string{
		"| A | feed items, page 1, publications | 0 | 0 | 1.50 | 1.50–1.50 | ≥ 2.00 | missed |",
		"| 1.56, ≤ 1.3 missed |", "| 1.30, ≤ 1.3 met |",
		"| login | login | 1.00 / 2.00 ms | 61 | the hash",
		"| A | 20.0 % | 3,000 | 1501.00 ms | 2701.00 ms | 2971.00 ms | 2998.00 ms |",
		"| 304 | 9.0 % | 100 | 51.00 ms | 91.00 ms | – | – |",
		"| 150 MiB | ≤ 120 MiB | missed |", "| 100.00 ms | ≤ 250 ms | met |",
		"| 16,000 demands alone | 16,000 records/s | ≥ 15,000 | met |", "| 12,000 publications alone | 12,000 records/s | ≥ 15,000 | missed |",
		"| Postgres/A | feed items, page 1, publications | 1.50 | ≥ 2.00 | 25 % | The disk is slow. |",
		"| Postgres/A p99 | feed items, page 1, publications | 1.56 | ≤ 1.30 | 20 % | – |",
		"| Postgres/memory | resident memory after the mix | 150 MiB | ≤ 120 MiB | 25 % | – |",
		"| Postgres/import publications | import of publications alone | 12,000/s | ≥ 15,000/s | 20 % | – |",
		"### Where it goes in Postgres/A\n\n```text\nplaza/adapters\n```",
	} {
		assert.Contains(t, text, line)
	}
	assert.NotContains(t, text, "| Postgres/E")
	assert.Equal(t, 1, strings.Count(text, "### Where"))
	assert.Equal(t, map[string]float64{"Postgres/A": 1.5, "Postgres/E": 0.95}, ratiosIn(text), "only ratios to the floor are compared with the next run")
	r.stores[0] = results{benchedStore: r.stores[0].benchedStore}
	assert.Contains(t, r.text(), "All goals are met.")
}
