package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plaza/test/process"
)

// imports is the table of the import, as -scenarios calls it.
const imports = "import"

// Goals of an import: its speed, as a part of that of COPY of the same rows, all kinds mixed; the memory that it
// may have; and how much slower than when idle a server may answer beside it.
const (
	importGoal   = 0.5
	importMemory = 150 << 20 // bytes
	importDrag   = 3.0
)

// importRow is an import of the file: into an empty database; once more, when nothing is
// new; and into another one beside a server that is asked.
type importRow struct {
	records      int
	first, again importRun
	copied       time.Duration   // that COPY took for the same rows
	idle, busy   []time.Duration // that the server took to answer, in order
	whileItRan   float64         // records a second, beside the server
}

type importRun struct {
	took   time.Duration
	memory int64 // bytes, at most
}

func (r importRun) rate(records int) float64 { return float64(records) / r.took.Seconds() }

// ofCopy is the speed as a part of that of COPY.
func (r importRow) ofCopy() float64 {
	return math.Round(100*r.copied.Seconds()/r.first.took.Seconds()) / 100
}

// benchImport wants empty databases that last.
func benchImport(ctx context.Context, tb testing.TB, binary string, into benchedStore, f *found) (row importRow, err error) {
	path := filepath.Join(tb.TempDir(), "found.jsonl")
	if err := f.write(path, f.records); err != nil {
		return row, err
	}
	row.records = f.records
	if row.first, err = importFile(ctx, tb, binary, into.full, path, "new", f.records); err != nil {
		return row, err
	}
	if row.copied, err = copyTime(ctx, into.full, into.copied); err != nil {
		return row, err
	}
	fmt.Fprintf(os.Stderr, "  %d records, %.0f/s, %.2f of COPY, %d MiB\n",
		f.records, row.first.rate(f.records), row.ofCopy(), row.first.memory>>20)
	if row.again, err = importFile(ctx, tb, binary, into.full, path, "unchanged", f.records); err != nil {
		return row, err
	}
	fmt.Fprintf(os.Stderr, "  again: %.0f/s, %d MiB\n", row.again.rate(f.records), row.again.memory>>20)
	return row, row.beside(ctx, tb, binary, into.small, path, f)
}

// runWatched runs the program and returns the most memory that it had, in bytes. What the system
// tells about an ended process would include this process, which it was copied from.
func runWatched(cmd *exec.Cmd) (most int64, err error) {
	p, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		return 0, err
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.Ended():
			return most, p.Wait(patience)
		case <-tick.C: // fails once the program has ended
			if _, sofar, err := residentMemory(cmd.Process.Pid); err == nil {
				most = max(most, sofar)
			}
		}
	}
}

// importFile runs the program, and holds it to having stored all records, as what they
// should be.
func importFile(ctx context.Context, tb testing.TB, binary, database, path, as string, records int) (importRun, error) {
	cmd := exec.CommandContext(ctx, binary, "import", "--as", "bench", "--json", path)
	cmd.Env = append(withoutPlaza(os.Environ()), "PLAZA_DATABASE_URL="+database, "PLAZA_DATA_DIR="+dataDir(tb, database),
		"PLAZA_LOG_LEVEL=warn")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	most, err := runWatched(cmd)
	if err != nil {
		return importRun{}, fmt.Errorf("import: %w\n%s", err, said.Bytes()[max(0, said.Len()-2000):])
	}
	run := importRun{took: time.Since(began), memory: most}
	var told struct {
		Kinds map[string]map[string]int `json:"kinds"`
	}
	if err := json.Unmarshal(out.Bytes(), &told); err != nil {
		return run, err
	}
	sum := 0
	for _, count := range told.Kinds {
		sum += count[as]
	}
	if sum != records {
		return run, fmt.Errorf("%d of %d records are %s: %s", sum, records, as, out.String())
	}
	return run, nil
}

// beside asks a server at a steady pace while an import runs, and before and after that,
// the faster of which counts. The server has a tenth of the file by then, to have something to show.
func (r *importRow) beside(ctx context.Context, tb testing.TB, binary, database, path string, f *found) error {
	part := filepath.Join(tb.TempDir(), "part.jsonl")
	if err := f.write(part, f.records/10); err != nil {
		return err
	}
	if _, err := importFile(ctx, tb, binary, database, part, "new", f.records/10); err != nil {
		return err
	}
	at := startPlaza(tb, binary, database)
	requests := []request{page(largest, 1), tree(), near(f.dataset, 0), page(pinned, 1), near(f.dataset, 1)}
	const pace = 5 * time.Millisecond
	if _, err := paced(ctx, at, requests, pace, time.After(time.Second)); err != nil { // to warm up
		return err
	}
	before, err := paced(ctx, at, requests, pace, time.After(5*time.Second))
	if err != nil {
		return err
	}
	over, failed := make(chan time.Time), make(chan error, 1)
	go func() {
		defer close(over)
		began := time.Now()
		err := importAny(ctx, tb, binary, database, path)
		r.whileItRan = float64(f.records) / time.Since(began).Seconds()
		failed <- err
	}()
	r.busy, err = paced(ctx, at, requests, pace, over)
	if err = errors.Join(err, <-failed); err != nil {
		return err
	}
	after, err := paced(ctx, at, requests, pace, time.After(5*time.Second))
	if r.idle = after; percentile(before, 99) < percentile(after, 99) {
		r.idle = before
	}
	fmt.Fprintf(os.Stderr, "  beside it: p99 %v, idle %v; %.0f records/s\n", percentile(r.busy, 99), percentile(r.idle, 99), r.whileItRan)
	return err
}

// importAny runs the program, which may reject records.
func importAny(ctx context.Context, tb testing.TB, binary, database, path string) error {
	cmd := exec.CommandContext(ctx, binary, "import", "--as", "bench", "--json", path)
	cmd.Env = append(withoutPlaza(os.Environ()), "PLAZA_DATABASE_URL="+database, "PLAZA_DATA_DIR="+dataDir(tb, database),
		"PLAZA_LOG_LEVEL=warn")
	return process.Run(cmd, syscall.SIGKILL)
}

// paced asks in turn for the requests at the pace, however long the answers take, until
// it is over, and returns how long those took, in order. What waits for a connection
// waits for its answer as well.
func paced(ctx context.Context, at string, requests []request, pace time.Duration, over <-chan time.Time) ([]time.Duration, error) {
	const askers = 8
	due := make(chan time.Time, 1<<16)
	var mutex sync.Mutex
	var took []time.Duration
	var failure error
	var wait sync.WaitGroup
	for n := range askers {
		wait.Go(func() {
			w, err := dial(at)
			if err == nil {
				defer w.Close()
			}
			i := n
			for asked := range due {
				if err == nil {
					_, err = w.ask(requests[i%len(requests)].raw)
					i++
				}
				mutex.Lock()
				took, failure = append(took, time.Since(asked)), errors.Join(failure, err)
				mutex.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for going := true; going; {
		select {
		case now := <-tick.C:
			due <- now
		case <-over:
			going = false
		case <-ctx.Done():
			going, failure = false, ctx.Err()
		}
	}
	close(due)
	wait.Wait()
	slices.Sort(took)
	if failure == nil && len(took) == 0 {
		failure = errors.New("nothing was answered")
	}
	return took, failure
}

// percentile is that of the times, which are in order.
func percentile(times []time.Duration, p int) time.Duration { return quantile(times, 10*p) }

// drag is how much slower the server answered beside the import than idle.
func (r importRow) drag() float64 {
	return float64(percentile(r.busy, 99)) / float64(percentile(r.idle, 99))
}

func met(is bool) string {
	if is {
		return "met"
	}
	return "missed"
}

func (r report) writeImport(b *strings.Builder, s results) {
	row := s.imported
	if row == nil {
		return
	}
	fmt.Fprintf(b, `
plaza import of a file of %s records, people first, then all kinds mixed. Settings: %s.

| Import | measured | goal | verdict |
|---|---|---|---|
| into an empty database, to COPY of the same rows | %s records/s, %.2f | ≥ %.2f | %s |
| memory of the program, at most | %d MiB | ≤ %d | %s |
| once more, when nothing is new | %s records/s | – | – |
| p99 of a server that is asked 200 times a second, idle → beside an import | %s → %s, × %.1f | ≤ × %.0f | %s |
| records/s meanwhile | %s | – | – |
`, thousands(row.records), s.importedOn, thousands(int(row.first.rate(row.records))),
		row.ofCopy(), importGoal, met(row.ofCopy() >= importGoal),
		row.first.memory>>20, importMemory>>20, met(row.first.memory <= importMemory),
		thousands(int(row.again.rate(row.records))),
		inMilliseconds(percentile(row.idle, 99)), inMilliseconds(percentile(row.busy, 99)), row.drag(), importDrag, met(row.drag() <= importDrag),
		thousands(int(row.whileItRan)))
}
