package bench

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is a whole run.
type report struct {
	machine machine
	began   time.Time
	dataset *dataset
	stores  []results
}

// results are those of one kind of database.
type results struct {
	benchedStore
	rivals   []rival
	rows     []row
	mixes    []mixRow   // of Plaza and its variants
	streams  *streamRow // nil: there was none
	imported *importRow // nil: there was none
}

func (r report) text() string {
	var b strings.Builder
	d, m := r.dataset, r.machine
	fmt.Fprintf(&b, `# Plaza against its floor

Written by `+"`make bench`"+`; see the package's own description for what a floor is.

%s, commit %s, %s. %s, %d cores.
The load generator, the server and the database share the cores. %d connections, %d rounds of %v s each, medians.
Scale %v: %s users, %s publications, %s demands in %d categories, %s images, %s events.
`, time.Now().Format(time.DateOnly), m.commit, runtime.Version(), m.cpu, m.cores,
		*connectionsFlag, *roundsFlag, *secondsFlag,
		*scaleFlag, thousands(d.users), thousands(d.publications), thousands(d.demands), categories, thousands(d.images), thousands(d.events))
	for _, s := range r.stores {
		s.write(&b)
	}
	fmt.Fprintf(&b, `
The ratio is Plaza's requests a second to the other's, the median of the rounds, with the least and the most of a round.
A difference under a tenth is noise. The import waits for the disk (%s). The limits on writes and requests were off (PLAZA_LIMITS=off). The whole run took %v.
`, strings.Join(lasting, ", "), time.Since(r.began).Round(time.Second))
	return b.String()
}

func (s results) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s %s\n\nIts settings: %s.\n", s.name, s.version, s.settings)
	for _, r := range s.rivals {
		fmt.Fprintf(b, "\n- %s: %s\n", r.name, r.about)
	}
	if len(s.rows) > 0 {
		b.WriteString(`
| | Work | against | its/s | Plaza/s | ratio | min–max | goal | verdict | its p50 / p99 | Plaza p50 / p99 |
|---|---|---|---|---|---|---|---|---|---|---|
`)
	}
	for _, r := range s.rows {
		writeRow(b, r)
	}
	for _, m := range s.mixes {
		m.write(b)
	}
	s.writeSmall(b)
}

// writeRow writes a line for each opponent of Plaza, or one without.
func writeRow(b *strings.Builder, r row) {
	for _, v := range r.against {
		goal, verdict := "–", "–"
		if v.goal > 0 {
			goal, verdict = fmt.Sprintf("≥ %.2f", v.goal), met(v.ratio() >= v.goal)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %.0f | %.0f | %.2f | %.2f–%.2f | %s | %s | %s | %s |\n", r.name, r.what, v.name, v.rate, r.plaza.rate,
			v.ratio(), v.ratios[0], v.ratios[len(v.ratios)-1], goal, verdict, v.latency(), r.plaza.latency())
	}
	if len(r.against) == 0 {
		fmt.Fprintf(b, "| %s | %s | – | – | %.0f | – | – | – | – | – | %s |\n", r.name, r.what, r.plaza.rate, r.plaza.latency())
	}
}

// Fewest requests that tell anything of a percentile.
const (
	enoughFor99  = 200
	enoughFor999 = 2000
)

func (r mixRow) write(b *strings.Builder) {
	fmt.Fprintf(b, `
%s: a mix of all, 90 %% of it reads, on a server of its own, in %d rounds. %d connections get %.0f/s answered as fast as they can. Half of
that, %.0f/s, was due at a fixed rate for %v, and took, from when a request was due:

| Mix | part | answered | p50 | p90 | p99 | p99.9 |
|---|---|---|---|---|---|---|
`, r.name, len(r.tails), *connectionsFlag, r.closed, r.rate, r.round)
	for part, times := range r.took {
		writeMixRow(b, mixture[part].scenario, float64(mixture[part].share)/10, times)
	}
	writeMixRow(b, "all", 100, slices.Concat(r.took...))
}

func writeMixRow(b *strings.Builder, name string, percent float64, times []time.Duration) {
	slices.Sort(times)
	from := func(enough, permille int) string {
		if len(times) < enough {
			return "–"
		}
		return inMilliseconds(quantile(times, permille))
	}
	fmt.Fprintf(b, "| %s | %.1f %% | %s | %s | %s | %s | %s |\n", name, percent, thousands(len(times)),
		from(1, 500), from(1, 900), from(enoughFor99, 990), from(enoughFor999, 999))
}

// writeSmall writes what is no rate.
func (s results) writeSmall(b *strings.Builder) {
	if len(s.mixes) == 0 && s.imported == nil && s.streams == nil {
		return
	}
	b.WriteString("\n| Small | measured | goal | verdict |\n|---|---|---|---|\n")
	add := func(isMet bool, what, measured, goal string) {
		fmt.Fprintf(b, "| %s | %s | ≤ %s | %s |\n", what, measured, goal, met(isMet))
	}
	for _, m := range s.mixes {
		late := median(m.tails)
		add(late <= mixTail, fmt.Sprintf("%s: p99 of the mix, the median of the rounds (%s to %s)", m.name,
			inMilliseconds(slices.Min(m.tails)), inMilliseconds(slices.Max(m.tails))), inMilliseconds(late), mixTail.String())
		if len(m.memory) > 0 {
			half := median(m.memory)
			add(half <= memoryGoal, fmt.Sprintf("%s: resident memory during the mix, half of the time, with the wallet's sandbox (at its end: "+
				"%s; at most: %s)", m.name, mebibytes(m.memory[len(m.memory)-1]), mebibytes(m.peak)), mebibytes(half), mebibytes(memoryGoal))
		}
	}
	if s.streams != nil {
		s.streams.write(add)
	}
	if r := s.imported; r != nil {
		add(r.ofCopy() <= importGoal, fmt.Sprintf("import of %s records into an empty database, %s/s: time, of COPY of the same rows",
			thousands(r.records), thousands(r.first.rate(r.records))), fmt.Sprintf("× %.2f", r.ofCopy()), fmt.Sprintf("× %.0f", importGoal))
		add(r.first.memory <= importMemory, "import: memory of the program, at most", mebibytes(r.first.memory), mebibytes(importMemory))
		add(r.drag() <= importDrag, fmt.Sprintf("import: p99 of a server that is asked 200 times a second, beside one of %s records/s (idle %s, "+
			"then %s)", thousands(r.beside.rate(r.records)), inMilliseconds(r.idle), inMilliseconds(r.busy)),
			fmt.Sprintf("× %.1f", r.drag()), fmt.Sprintf("× %.0f", importDrag))
	}
}

func (m measurement) latency() string {
	return fmt.Sprintf("%.2f / %.2f ms", milliseconds(m.p50), milliseconds(m.p99))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", milliseconds(d)) }

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

func met(is bool) string {
	if is {
		return "met"
	}
	return "missed"
}

// thousands writes the number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
