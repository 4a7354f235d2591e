package bench

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// report is a whole run.
type report struct {
	machine machine
	began   time.Time
	scale   float64
	dataset *dataset
	stores  []results
	before  map[string]float64 // ratios of the run before, by store and scenario
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

func (r row) isLate() bool { return r.scenario.tail > 0 && r.outcome.tail() > r.scenario.tail }

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

// sameCost is the goal of sizes.
const sameCost = 0.9

// noise is the difference of a ratio that means nothing.
const noise = 0.1

func (r report) text() string {
	var b strings.Builder
	d, m := r.dataset, r.machine
	fmt.Fprintf(&b, `# Plaza against its floor

Written by `+"`make bench`"+`; see the package's own description for what a floor is.

%s, commit %s, %s. %s, %d cores, %s of memory; load average %s when it began.
The load generator, the server and the database share the cores. %d connections, %d rounds of %v s each, medians.%s %s users, %s publications, %s demands in %d categories, %s images, %s events.
`, time.Now().Format(time.DateOnly), m.commit, runtime.Version(), m.cpu, m.cores, m.memory, m.busy,
		*connectionsFlag, *roundsFlag, *secondsFlag,
		scaleLine(r.scale), thousands(d.users), thousands(d.publications), thousands(d.demands), categories, thousands(d.images), thousands(d.events))
	for _, s := range r.stores {
		r.writeStore(&b, s)
	}
	b.WriteString(`
The ratio is Plaza's requests a second to the floor's (of writers, the store's events to the bare insert's), the median of
the rounds, with the least and the most of a round.
Noise is a difference under 10 %: to the floor in "verdict"; to the run before in "before", where it is noise as well
when a round of this run was no different.
[WHY.md](WHY.md) says why goals are missed.
`)
	fmt.Fprintf(&b, "\nThe limits on writes and requests were off (PLAZA_LIMITS=off). The whole run took %v.\n", time.Since(r.began).Round(time.Second))
	return b.String()
}

func (r report) writeStore(b *strings.Builder, s results) {
	fmt.Fprintf(b, "\n## %s %s\n\nIts settings: %s.\n", s.name, s.version, s.settings)
	r.writeRows(b, s.name, [3]string{"Work", "floor", "Plaza"}, s.rows)
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
	r.writeRows(b, s.name, [3]string{"Writers", "bare", "store"}, s.writers)
	r.writeImport(b, s)
}

// writeRows writes a table with the names of what its rows are and of the two that
// are compared.
func (r report) writeRows(b *strings.Builder, store string, names [3]string, rows []row) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, `
| | %[1]s | %[2]s/s | %[3]s/s | ratio | min–max | goal | verdict | before | %[2]s p50 / p99 | %[3]s p50 / p99 | p99 ratio |
|---|---|---|---|---|---|---|---|---|---|---|---|
`, names[0], names[1], names[2])
	for _, row := range rows {
		o := row.outcome
		fmt.Fprintf(b, "| %s | %s | %.0f | %.0f | %.2f | %s | %s | %s | %s | %s | %s | %s |\n", row.name, row.what,
			o.first.rate, o.second.rate, o.ratio(), o.spread(), goal(row.goal), verdict(o.ratio(), row.goal),
			r.since(store+"/"+row.name, o), o.first.latency(), o.second.latency(), row.lateness())
	}
}

// lateness is how Plaza's p99 stands to the floor's, and the verdict if there is a goal.
func (r row) lateness() string {
	if r.scenario.tail == 0 {
		return fmt.Sprintf("%.2f", r.outcome.tail())
	}
	return fmt.Sprintf("%.2f, ≤ %.1f %s", r.outcome.tail(), r.scenario.tail, met(!r.isLate()))
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
	said := "met"
	switch {
	case goal == 0:
		said = "–"
	case ratio < goal:
		said = "missed"
	}
	if isNoise(ratio, 1) {
		said += ", noise"
	}
	return said
}

func isNoise(ratio, other float64) bool { return math.Abs(ratio/other-1) < noise }

// since says how the ratio stands to that of the run before, which some round of
// this one may have had as well.
func (r report) since(name string, o outcome) string {
	ratio, least, most := o.ratio(), o.ratios[0], o.ratios[len(o.ratios)-1]
	before, known := r.before[name]
	switch {
	case !known:
		return "–"
	case isNoise(ratio, before), least <= before && before <= most:
		return fmt.Sprintf("%.2f, noise", before)
	case ratio > before:
		return fmt.Sprintf("%.2f, better", before)
	}
	return fmt.Sprintf("%.2f, worse", before)
}

var (
	storeLine = regexp.MustCompile(`^## (\w+)`)
	ratioLine = regexp.MustCompile(`^\| (\w+) \|[^|]*\|[^|]*\|[^|]*\| ([0-9.]+) \|`)
)

// previous reads the ratios of a report. One that isn't there, or of another scale,
// has none that could be compared.
func previous(path string, scale float64) map[string]float64 {
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), scaleLine(scale)) {
		return nil
	}
	return ratiosIn(string(text))
}

func scaleLine(scale float64) string { return fmt.Sprintf("\nScale %v:", scale) }

func ratiosIn(report string) map[string]float64 {
	ratios, store := map[string]float64{}, ""
	for line := range strings.Lines(report) {
		if parts := storeLine.FindStringSubmatch(line); parts != nil {
			store = parts[1]
		}
		if parts := ratioLine.FindStringSubmatch(line); parts != nil {
			ratio, err := strconv.ParseFloat(parts[2], 64)
			if err == nil && ratio > 0 {
				ratios[store+"/"+parts[1]] = ratio
			}
		}
	}
	return ratios
}

// thousands writes the number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
