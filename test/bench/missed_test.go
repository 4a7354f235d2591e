package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// reasonsFile has what people write of goals that are missed: a heading such as "## Postgres/A" for
// each, and under it why, and where the time goes.
const reasonsFile = "WHY.md"

// readReasons reads the texts by their headings. A missing file has none.
func readReasons(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reasons, name := map[string]string{}, ""
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if heading, is := strings.CutPrefix(lines.Text(), "## "); is {
			name = strings.TrimSpace(heading)
		} else if name != "" {
			reasons[name] += lines.Text() + "\n"
		}
	}
	for name, text := range reasons {
		reasons[name] = strings.TrimSpace(text)
	}
	return reasons, lines.Err()
}

// miss is a goal that was not reached.
type miss struct {
	name           string // as the heading of its reason
	what           string
	measured, goal string
	by             float64 // the part of the goal that is missing, or too much
	profile        profile
}

// misses are all of a run, in the order of the report.
func (r report) misses() (all []miss) {
	for _, s := range r.stores {
		all = append(all, s.missedRatios(r.scale)...)
		all = append(all, s.missedPeers()...)
		all = append(all, s.missedAmounts()...)
	}
	return all
}

func (s results) missedRatios(scale float64) (all []miss) {
	for _, row := range s.rows {
		if row.isSlow() {
			all = append(all, ratioMiss(s.name+"/"+row.name, row.what, row.ratio(), row.goal, row.profile))
		}
		if row.isLate() {
			all = append(all, miss{s.name + "/" + row.name + " p99", row.what, fmt.Sprintf("%.2f", row.outcome.tail()),
				fmt.Sprintf("≤ %.2f", row.scenario.tail), row.outcome.tail()/row.scenario.tail - 1, row.profile})
		}
	}
	for i, row := range s.sizes {
		if row.goal > 0 && row.ratio() < row.goal {
			all = append(all, ratioMiss(fmt.Sprintf("%s/size %d", s.name, i+1), row.what, row.ratio(), row.goal, profile{}))
		}
	}
	for i, row := range s.inside {
		if row.verdict(scale) == "missed" {
			all = append(all, timeMiss(fmt.Sprintf("%s/inside %d", s.name, i+1), row.what, row.took(), row.goal))
		}
	}
	for _, row := range s.writers {
		if row.isSlow() {
			all = append(all, ratioMiss(s.name+"/"+row.name, row.what, row.ratio(), row.goal, profile{}))
		}
	}
	return all
}

func ratioMiss(name, what string, ratio, aim float64, p profile) miss {
	return miss{name, what, fmt.Sprintf("%.2f", ratio), goal(aim), 1 - ratio/aim, p}
}

func timeMiss(name, what string, took, aim time.Duration) miss {
	return miss{name: name, what: what, measured: inMilliseconds(took), goal: "≤ " + inMilliseconds(aim), by: float64(took)/float64(aim) - 1}
}

// missedAmounts are those of the import, of memory and of the start.
func (s results) missedAmounts() (all []miss) {
	if m := s.mix; m != nil && m.memory > memoryGoal {
		missed := memoryMiss(s.name+"/memory", "resident memory after the mix", m.memory, memoryGoal)
		missed.profile = m.profile
		all = append(all, missed)
	}
	if len(s.starts) > 0 && median(s.starts) > startGoal {
		all = append(all, timeMiss(s.name+"/start", "from the start to ready", median(s.starts), startGoal))
	}
	if s.imported == nil {
		return all
	}
	rate := func(name, what string, rate, aim float64) {
		if rate < aim {
			all = append(all, miss{name: s.name + "/" + name, what: what, measured: thousands(int(rate)) + "/s", goal: "≥ " + thousands(int(aim)) + "/s", by: 1 - rate/aim})
		}
	}
	row := s.imported
	rate("import", "import of all kinds", row.first.rate(row.records), importGoals[s.name])
	for _, run := range row.apart {
		rate("import "+run.kind, "import of "+run.kind+" alone", run.rate(run.records), apartGoals[s.name])
	}
	if row.first.memory > importMemory {
		all = append(all, memoryMiss(s.name+"/import memory", "memory of an import", row.first.memory, importMemory))
	}
	if row.drag() > importDrag {
		all = append(all, miss{name: s.name + "/import beside", what: "p99 of a server beside an import", measured: fmt.Sprintf("× %.1f", row.drag()),
			goal: fmt.Sprintf("≤ × %.1f", importDrag), by: row.drag()/importDrag - 1})
	}
	return all
}

func memoryMiss(name, what string, bytes, aim int64) miss {
	return miss{name: name, what: what, measured: fmt.Sprintf("%d MiB", bytes>>20), goal: fmt.Sprintf("≤ %d MiB", aim>>20), by: float64(bytes)/float64(aim) - 1}
}

// writeMissed tells of every goal that was missed: by how much, why, and where the time goes.
func (r report) writeMissed(b *strings.Builder) {
	all := r.misses()
	if len(all) == 0 {
		b.WriteString("\nAll goals are met.\n")
		return
	}
	b.WriteString("\n## Missed\n\nThe reasons are written by hand, in [" + reasonsFile + "](" + reasonsFile + ").\n\n" +
		"| | Work | measured | goal | by | why |\n|---|---|---|---|---|---|\n")
	for _, m := range all {
		why := strings.Join(strings.Fields(r.why[m.name]), " ")
		if why == "" {
			why = "–"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %.0f %% | %s |\n", m.name, m.what, m.measured, m.goal, 100*m.by, why)
	}
	b.WriteString(`
A profile of each scenario, as go tool pprof reads it, is written to a folder by

` + "```sh" + `
go test -tags nomsgpack -trimpath ./test/bench -run '^$' -bench '^BenchmarkProfile$' -benchtime 1x -args -store postgres -scenarios B -profiles DIR
` + "```" + `
`)
	written := map[string]bool{}
	for _, m := range all {
		name := strings.TrimSuffix(m.name, " p99")
		if m.profile.top != "" && !written[name] {
			written[name] = true
			fmt.Fprintf(b, "\n### Where it goes in %s\n\n```text\n%s```\n", name, m.profile.top)
		}
	}
}
