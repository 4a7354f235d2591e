package bench

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// report is a whole run.
type report struct {
	machine machine
	began   time.Time
	scale   float64
	dataset *dataset
	stores  []results
}

// results are those of one kind of database.
type results struct {
	benchedStore
	rows  []row
	alone []aloneRow
	peers []peer
	sizes []sizeRow
	mixes []mixRow // of Plaza and its variants; empty: there was none

	circle circleRow // zero: there was none

	writers []row  // the bare insert against the store
	lasting string // their database's settings
	flush   time.Duration
	counted int // events that were added through the store, all of them counted

	imported   *importRow // nil: there was none
	importedOn string     // their database's settings
}

// row is a scenario: the floor against Plaza.
type row struct {
	scenario
	outcome
}

// aloneRow is a scenario without a floor.
type aloneRow struct {
	scenario
	summary
}

// sizeRow is Plaza against itself.
type sizeRow struct {
	what         string
	goal         float64 // the part of the requests a second that is left where there is a lot; zero: none
	little, lots int
	outcome
}

// Goals of sizes: the same within a tenth; a deep page costs at most twice as much as page 1.
const (
	sameCost = 0.9
	deepCost = 0.5
)

func (r report) text() string {
	var b strings.Builder
	d, m := r.dataset, r.machine
	fmt.Fprintf(&b, `# Plaza against its floor

Written by `+"`make bench`"+`; see the package's own description for what a floor is.

%s, commit %s, %s. %s, %d cores, %s of memory; load average %s when it began.
The load generator, the server and the database share the cores. %d connections, %d rounds of %v s each, medians.
Scale %v: %s users, %s publications, %s demands in %d categories, %s images, %s events.
`, time.Now().Format(time.DateOnly), m.commit, runtime.Version(), m.cpu, m.cores, m.memory, m.busy,
		*connectionsFlag, *roundsFlag, *secondsFlag,
		r.scale, thousands(d.users), thousands(d.publications), thousands(d.demands), categories, thousands(d.images), thousands(d.events))
	for _, s := range r.stores {
		r.writeStore(&b, s)
	}
	b.WriteString(`
The ratio is Plaza's requests a second to the floor's (of writers, the store's events to the bare insert's), the median of
the rounds, with the least and the most of a round. A difference under a tenth is noise.
`)
	fmt.Fprintf(&b, "\nThe limits on writes and requests were off (PLAZA_LIMITS=off). The whole run took %v.\n",
		time.Since(r.began).Round(time.Second))
	return b.String()
}

func (r report) writeStore(b *strings.Builder, s results) {
	fmt.Fprintf(b, "\n## %s %s\n\nIts settings: %s.\n", s.name, s.version, s.settings)
	writeRows(b, [3]string{"Work", "floor", "Plaza"}, s.rows)
	writePeers(b, s.peers, s.rows)
	writeAlone(b, s.alone)
	for _, m := range s.mixes {
		m.write(b)
	}
	writeSmall(b, s)
	writeSizes(b, s.sizes)
	if len(s.writers) > 0 {
		fmt.Fprintf(b, `
Writers add through the store, within the process of the bench; the bare insert is the same rows in one transaction,
without counters. Settings: %s. To have a page on the disk takes %s.
All %s events that the store acknowledged are listed, and exactly counted.
`, s.lasting, inMilliseconds(s.flush), thousands(s.counted))
	}
	writeRows(b, [3]string{"Writers", "bare", "store"}, s.writers)
	r.writeImport(b, s)
}

// writeRows writes a table with the names of what its rows are and of the two that
// are compared.
func writeRows(b *strings.Builder, names [3]string, rows []row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, `
| | %[1]s | %[2]s/s | %[3]s/s | ratio | min–max | goal | verdict | %[2]s p50 / p99 | %[3]s p50 / p99 |
|---|---|---|---|---|---|---|---|---|---|
`, names[0], names[1], names[2])
	for _, row := range rows {
		o := row.outcome
		fmt.Fprintf(b, "| %s | %s | %.0f | %.0f | %.2f | %s | %s | %s | %s | %s |\n", row.name, row.what,
			o.first.rate, o.second.rate, o.ratio(), o.spread(), goal(row.goal), verdict(o.ratio(), row.goal),
			o.first.latency(), o.second.latency())
	}
}

func writeSizes(b *strings.Builder, rows []sizeRow) {
	if len(rows) == 0 {
		return
	}
	b.WriteString(`
| Cost against size, Plaza alone | little | a lot | little/s | a lot/s | ratio | min–max | goal | verdict |
|---|---|---|---|---|---|---|---|---|
`)
	for _, row := range rows {
		o := row.outcome
		fmt.Fprintf(b, "| %s | %s | %s | %.0f | %.0f | %.2f | %s | %s | %s |\n", row.what, thousands(row.little), thousands(row.lots),
			o.first.rate, o.second.rate, o.ratio(), o.spread(), goal(row.goal), verdict(o.ratio(), row.goal))
	}
}

func (o outcome) spread() string {
	return fmt.Sprintf("%.2f–%.2f", o.ratios[0], o.ratios[len(o.ratios)-1])
}

func (s summary) latency() string {
	return fmt.Sprintf("%.2f / %.2f ms", milliseconds(s.p50), milliseconds(s.p99))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", milliseconds(d)) }

func goal(ratio float64) string {
	if ratio == 0 {
		return "–"
	}
	return fmt.Sprintf("≥ %.2f", ratio)
}

func verdict(ratio, goal float64) string {
	if goal == 0 {
		return "–"
	}
	return met(ratio >= goal)
}

// thousands writes the number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func TestReports_judge_what_can_be_read(t *testing.T) {
	o := func(ratio float64) outcome { return outcome{ratios: []float64{ratio - 0.1, ratio, ratio + 0.1}} }
	r := report{dataset: newDataset(tiny), stores: []results{{
		benchedStore: benchedStore{name: "Postgres"},
		rows:         []row{{scenario: called("B"), outcome: o(0.7451)}, {scenario: called("F"), outcome: o(0.594)}},
		sizes:        []sizeRow{{what: "a page", outcome: o(0.4)}},
	}}}
	text := r.text()
	for _, line := range []string{
		"| B | demands within 5 km | 0 | 0 | 0.75 | 0.65–0.85 | ≥ 0.75 | met |",
		"| F | PATCH of an event with its token check | 0 | 0 | 0.59 | 0.49–0.69 | ≥ 0.60 | missed |",
		"| a page | 0 | 0 | 0 | 0 | 0.40 | 0.30–0.50 | – | – |",
	} {
		assert.Contains(t, text, line)
	}
}
