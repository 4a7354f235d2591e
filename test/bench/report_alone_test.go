package bench

import (
	"fmt"
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

func writeMix(b *strings.Builder, s results) {
	if s.mix == nil {
		return
	}
	all := s.mix.all()
	fmt.Fprintf(b, `
A mix of all, 90 %% of it reads, on a server of its own. %d connections get %.0f/s answered as fast as they can. Half of that, %.0f/s, was
due at a fixed rate for %v, and took, from when a request was due:

| Mix | part | answered | p50 | p90 | p99 | p99.9 |
|---|---|---|---|---|---|---|
`, *connectionsFlag, s.mix.closed, s.mix.rate, s.mix.lasting)
	for part, times := range s.mix.took {
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
	if s.mix == nil || s.mix.memory == 0 {
		return
	}
	b.WriteString("\n| Small | measured | goal | verdict |\n|---|---|---|---|\n")
	fmt.Fprintf(b, "| resident memory after the mix, with the wallet's sandbox (at most meanwhile: %d MiB) | %d MiB | ≤ %d MiB | %s |\n",
		s.mix.peak>>20, s.mix.memory>>20, memoryGoal>>20, met(s.mix.memory <= memoryGoal))
}
