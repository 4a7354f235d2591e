package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"plaza/test/process"
)

// Goals of an import: its time, of that of COPY of the same rows, all kinds mixed; the memory that it
// may have; and how much slower than when idle a server may answer beside it.
const (
	importGoal   = 2.0
	importMemory = 150 << 20 // bytes
	importDrag   = 3.0
)

// importRow is an import of the file: into an empty database, and into another one beside a server that is asked.
type importRow struct {
	records       int
	first, beside importRun
	copied        time.Duration // that COPY took for the same rows
	idle, busy    time.Duration // the p99 of the server
}

type importRun struct {
	took   time.Duration
	memory int64 // bytes, at most
}

func (r importRun) rate(records int) int { return int(float64(records) / r.took.Seconds()) }

// ofCopy is how many times the time of COPY the import took.
func (r importRow) ofCopy() float64 { return r.first.took.Seconds() / r.copied.Seconds() }

// drag is how much slower the server answered beside the import than idle.
func (r importRow) drag() float64 { return r.busy.Seconds() / r.idle.Seconds() }

// benchImport wants empty databases that last.
func benchImport(ctx context.Context, tb testing.TB, binary string, into benchedStore, f *found) (row importRow, err error) {
	row.records = f.records
	path, part := filepath.Join(tb.TempDir(), "found.jsonl"), filepath.Join(tb.TempDir(), "part.jsonl")
	if err := errors.Join(f.write(path, f.records), f.write(part, f.records/10)); err != nil {
		return row, err
	}
	if row.first, err = importFile(ctx, tb, binary, into.full, path, f.records); err != nil {
		return row, err
	}
	if row.copied, err = copyTime(ctx, into.full, into.empty); err != nil {
		return row, err
	}
	fmt.Fprintf(os.Stderr, "  %d records, × %.2f of COPY, %s\n", f.records, row.ofCopy(), mebibytes(row.first.memory))
	// The server has a tenth of the file, to have something to show.
	if _, err = importFile(ctx, tb, binary, into.small, part, f.records/10); err != nil {
		return row, err
	}
	at := launchPlaza(tb, binary, into.small).at
	requests := []request{page(largest, 1), tree(), near(f.dataset, 0), page(pinned, 1), near(f.dataset, 1)}
	asking := func(ctx context.Context, lasting time.Duration) (time.Duration, error) {
		ctx, stop := context.WithTimeout(ctx, lasting)
		defer stop()
		took, err := paced(ctx, at, 200, func(i int) request { return requests[i%len(requests)] })
		return tail(took), err
	}
	const idle = 5 * time.Second
	_, warmed := asking(ctx, time.Second)
	before, err := asking(ctx, idle)
	if err := errors.Join(warmed, err); err != nil {
		return row, err
	}
	beside, over := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() {
		defer over()
		var err error
		row.beside, err = importFile(ctx, tb, binary, into.small, path, anyNumber)
		failed <- err
	}()
	row.busy, err = asking(beside, time.Hour)
	if err := errors.Join(err, <-failed); err != nil {
		return row, err
	}
	after, err := asking(ctx, idle)
	row.idle = min(before, after)
	fmt.Fprintf(os.Stderr, "  beside it: p99 %v, idle %v\n", row.busy, row.idle)
	return row, err
}

// anyNumber of records of the file may be new.
const anyNumber = -1

// importFile runs the program, and holds it to having stored so many new records.
func importFile(ctx context.Context, tb testing.TB, binary, database, path string, records int) (run importRun, err error) {
	cmd := exec.CommandContext(ctx, binary, "import", "--as", "bench", "--json", path)
	cmd.Env = append(withoutPlaza(os.Environ()), "PLAZA_DATABASE_URL="+database, "PLAZA_DATA_DIR="+dataDir(tb, database),
		"PLAZA_LOG_LEVEL=warn")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	began := time.Now()
	if run.memory, err = runWatched(cmd); err != nil {
		return run, fmt.Errorf("import: %w\n%s", err, said.Bytes()[max(0, said.Len()-2000):])
	}
	run.took = time.Since(began)
	var told struct {
		Kinds map[string]struct{ New int } `json:"kinds"`
	}
	if err := json.Unmarshal(out.Bytes(), &told); err != nil {
		return run, err
	}
	for _, count := range told.Kinds {
		records -= count.New
	}
	if records > 0 {
		return run, fmt.Errorf("%d records too few are new: %s", records, out.String())
	}
	return run, nil
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
