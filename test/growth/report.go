package growth

import (
	"fmt"
	"math"
	"strings"
)

// Report returns the figures, the needs of so many people, and the walls, as Markdown.
func (f Figures) Report(a Assumptions, people ...float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s, commit %s. %s %s\n\n", f.Day, f.Commit, f.Machine, f.Dataset)
	f.writeKinds(&b)
	f.writeNeeds(&b, a, people)
	f.writeWalls(&b, a)
	fmt.Fprintf(&b, "\nAssumed: %+v\n", a)
	return b.String()
}

func (f Figures) writeKinds(b *strings.Builder) {
	b.WriteString("| Request | Of 1,000 | Plaza | Postgres | Statements | Primary beside a replica | Replica | To the client | Log | Rows, files |\n" +
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, k := range f.Kinds {
		one, two := k.Alone, k.Replicated
		fmt.Fprintf(b, "| %s | %d | %s ms | %s ms | %.1f | %s ms | %s ms | %s | %s | %s, %s |\n", k.What, k.Share, rounded(one.Plaza), rounded(one.Primary),
			one.PrimaryStatements, rounded(two.Primary), rounded(two.Replica), size(one.ToClient), size(one.Log), size(one.Rows), size(one.Files))
	}
}

func (f Figures) writeNeeds(b *strings.Builder, a Assumptions, people []float64) {
	rows := []struct {
		what string
		of   func(Need) string
	}{
		{"Set up with", func(n Need) string { return n.Stage.String() }},
		{"Requests a second, at the peak", func(n Need) string { return short(n.Rate) }},
		{"Plaza: processors, machines", func(n Need) string { return fmt.Sprintf("%s, %d", short(n.Plaza), n.Servers) }},
		{"Primaries: processors, machines", func(n Need) string { return fmt.Sprintf("%s, %d", short(n.Primary), n.Primaries) }},
		{"Replicas: processors, machines", func(n Need) string {
			if n.Replica == 0 {
				return "–"
			}
			return fmt.Sprintf("%s, %d", short(n.Replica), n.ReplicaMachines)
		}},
		{"Statements a second at primaries", func(n Need) string { return short(n.PrimaryStatements) }},
		{"Write-ahead log", func(n Need) string { return short(n.Log) + " MB/s" }},
		{"Plaza to clients", func(n Need) string { return short(n.ToClients) + " Gbit/s" }},
		{fmt.Sprintf("Rows after %v years", a.Years), func(n Need) string { return short(n.Rows) + " TB" }},
		{fmt.Sprintf("Pictures after %v years", a.Years), func(n Need) string { return short(n.Files) + " TB" }},
	}
	b.WriteString("\n| Active people |")
	for _, n := range people {
		fmt.Fprintf(b, " %s |", short(n))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(people)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", row.what)
		for _, n := range people {
			fmt.Fprintf(b, " %s |", row.of(f.Need(n, f.StageFor(n, a), a)))
		}
		b.WriteString("\n")
	}
}

func (f Figures) writeWalls(b *strings.Builder, a Assumptions) {
	b.WriteString("\n| Set up with | Processors of the primary are enough for | Its log | Its disk | Passed by |\n|---|---|---|---|---|\n")
	for s := range Distributed {
		fmt.Fprintf(b, "| %s |", s)
		first := f.Wall(s, a)
		for _, w := range f.Walls(s, a) {
			mark := ""
			if w == first {
				mark = "**"
			}
			fmt.Fprintf(b, " %s%s%s |", mark, short(w.People), mark)
		}
		fmt.Fprintf(b, " %s |\n", f.Next(s, a))
	}
}

// short prints a number with two digits that count.
func short(n float64) string {
	switch {
	case math.IsInf(n, 0):
		return "any number"
	case n >= 999.5e3:
		return rounded(n/1e6) + " million"
	case n >= 999.5:
		hundreds := int(math.Round(n / 100))
		return fmt.Sprintf("%d,%d00", hundreds/10, hundreds%10)
	}
	return rounded(n)
}

func rounded(n float64) string {
	switch {
	case n == 0:
		return "0"
	case n < 0.095:
		return fmt.Sprintf("%.2f", n)
	case n < 9.95:
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.0f", n)
}

// size prints a number of bytes.
func size(bytes float64) string {
	switch {
	case bytes >= 999.5:
		return rounded(bytes/1000) + " kB"
	case bytes < 0.5:
		return "0"
	}
	return fmt.Sprintf("%.0f B", bytes)
}
