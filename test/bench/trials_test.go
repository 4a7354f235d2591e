package bench

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// tinyStores make databases with the tiny dataset.
func tinyStores() map[string]func(*testing.T) string {
	return map[string]func(*testing.T) string{
		"postgres": func(t *testing.T) string { return postgres.New(t, tinyPostgres) },
		"sqlite":   func(t *testing.T) string { return tinySQLite(t) },
	}
}

func tinySQLite(t testing.TB) string {
	url := "sqlite:" + filepath.Join(t.TempDir(), "plaza.db")
	require.NoError(t, fill(t.Context(), url, newDataset(tiny)))
	return url
}

func TestReports_show_writers_and_what_is_inside(t *testing.T) {
	o := outcome{ratios: []float64{0.7, 0.75, 0.9}}
	times := []time.Duration{14 * time.Millisecond, 15 * time.Millisecond, 16 * time.Millisecond}
	r := report{scale: 1, dataset: newDataset(tiny), stores: []results{{
		benchedStore: benchedStore{name: "Postgres"}, writers: []row{{scenario: crowds[0].scenario, outcome: o}}, lasting: "fsync=on", counted: 1234,
		sizes:  []sizeRow{{what: "a deep page", outcome: outcome{ratios: []float64{0.4}}}},
		inside: []insideRow{{what: "page 4,000", goal: deepGoal, pageOne: 500 * time.Microsecond, times: times}},
	}}}
	text := r.text()
	assert.Contains(t, text, "| W | 16 writers add events to one category | 0 | 0 | 0.75 | 0.70–0.90 | ≥ 0.90 | missed |")
	assert.Contains(t, text, "fsync=on")
	assert.Contains(t, text, "All 1,234 events")
	assert.Contains(t, text, "| 0.40 | 0.40–0.40 | – | – |")
	assert.Contains(t, text, "| 15.00 ms | 14.00–16.00 | × 30.0 | ≤ 15 ms | met |")
	assert.Equal(t, map[string]float64{"Postgres/W": 0.75}, ratiosIn(text))
	slow := insideRow{goal: deepGoal, times: []time.Duration{15010 * time.Microsecond}}
	assert.Equal(t, "missed", slow.verdict(1))
	assert.Equal(t, "counts at scale 1", slow.verdict(0.1))
}
