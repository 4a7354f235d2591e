package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func writeAlone(b *strings.Builder, rows []aloneRow) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, `
%d connections:

| | Work, Plaza alone | p50 / p99 | Plaza/s | why there is no floor |
|---|---|---|---|---|
`, heavyConnections)
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s | %s | %.0f | %s |\n", row.name, row.what, row.latency(), row.rate, row.alone)
	}
}

// Fewest requests that tell anything of a percentile.
const (
	enoughFor99  = 200
	enoughFor999 = 2000
)

func (r mixRow) write(b *strings.Builder) {
	all := r.all()
	fmt.Fprintf(b, `
%s: a mix of all, 90 %% of it reads, on a server of its own, in %d rounds. %d connections get %.0f/s answered as fast as they can. Half of
that, %.0f/s, was due at a fixed rate for %v, and took, from when a request was due:

| Mix | part | answered | p50 | p90 | p99 | p99.9 |
|---|---|---|---|---|---|---|
`, r.name, len(r.tails), *connectionsFlag, r.closed, r.rate, r.round)
	for part, times := range r.took {
		share := mixture[part].share
		writeMixRow(b, mixture[part].scenario, fmt.Sprintf("%.1f %%", float64(share)/10), times)
	}
	writeMixRow(b, "all", "100 %", all)
}

func writeMixRow(b *strings.Builder, name, part string, times []time.Duration) {
	from := func(enough, permille int) string {
		if len(times) < enough {
			return "–"
		}
		return inMilliseconds(quantile(times, permille))
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", name, part, thousands(len(times)),
		from(1, 500), from(1, 900), from(enoughFor99, 990), from(enoughFor999, 999))
}

func writeSmall(b *strings.Builder, s results) {
	var rows []string
	add := func(isMet bool, format string, args ...any) {
		rows = append(rows, fmt.Sprintf("| "+format+" | %s |\n", append(args, met(isMet))...))
	}
	for _, m := range s.mixes {
		late := median(m.tails)
		add(late <= mixTail, "%s: p99 of the mix, the median of the rounds (%s to %s) | %s | ≤ %d ms", m.name,
			inMilliseconds(slices.Min(m.tails)),
			inMilliseconds(slices.Max(m.tails)), inMilliseconds(late), mixTail.Milliseconds())
		if len(m.memory) > 0 {
			half := median(m.memory)
			add(half <= memoryGoal, "%s: resident memory during the mix, half of the time, with the wallet's sandbox (at its end: %d MiB; at "+
				"most: %d MiB) | %d MiB | ≤ %d MiB",
				m.name, m.memory[len(m.memory)-1]>>20, m.peak>>20, half>>20, memoryGoal>>20)
		}
	}
	if c := s.circle; c.within > 0 {
		add(c.took <= circleGoal, "in the store: count the demands within 5 km by category; %s are | %s | ≤ %d ms",
			thousands(c.within), inMilliseconds(c.took), circleGoal.Milliseconds())
	}
	if len(rows) > 0 {
		b.WriteString("\n| Small | measured | goal | verdict |\n|---|---|---|---|\n" + strings.Join(rows, ""))
	}
}
