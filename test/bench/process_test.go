package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plaza/test/process"
)

// address is where a floor that has just started says it is, and serving is where Plaza does.
var (
	address = regexp.MustCompile(`http://(127\.0\.0\.1:[0-9]+)`)
	serving = regexp.MustCompile(`"msg":"serving","addr":"(127\.0\.0\.1:[0-9]+)"`)
)

// patience is how long a server may take to start, or to stop.
const patience = time.Minute

// running is a server that runs.
type running struct {
	at  string
	pid int
}

// launchPlaza starts the program as it runs in production, with its log in a file, and with all that a scenario needs. It asks the
// sandbox about payments as seldom as it can: no prepayment is ever paid.
func launchPlaza(tb testing.TB, binary, database string) running {
	tb.Helper()
	cmd := exec.Command(binary, "serve")
	cmd.Env = append(withoutPlaza(os.Environ()), "PLAZA_DATABASE_URL="+database, "PLAZA_DATA_DIR="+dataDir(tb, database),
		"PLAZA_ADDR=127.0.0.1:0", "PLAZA_ADMIN_ADDR=127.0.0.1:0", "PLAZA_PUBLIC_URL="+publicURL,
		"PLAZA_LOG_LEVEL=info", "PLAZA_LOG_FORMAT=json", "PLAZA_LIMITS=off", // it is loaded
		"PLAZA_TRANSLATOR=pseudo", "PLAZA_WALLET=sandbox", "PLAZA_WALLET_SANDBOX_ADDR=127.0.0.1:0", "PLAZA_WALLET_POLL=1h")
	return start(tb, cmd, func() error { return cmd.Process.Signal(syscall.SIGTERM) })
}

// dataDirs is the folder of those of all databases, which TestMain removes.
var dataDirs = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "plaza-bench-") })

// dataDir returns the data directory for the database: its pictures are in one place.
func dataDir(tb testing.TB, database string) string {
	tb.Helper()
	all, err := dataDirs()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(all, fmt.Sprintf("%x", sha256.Sum256([]byte(database))))
}

// withoutPlaza is the environment without what would change how Plaza runs.
func withoutPlaza(env []string) (kept []string) {
	for _, variable := range env {
		if !strings.HasPrefix(variable, "PLAZA_") {
			kept = append(kept, variable)
		}
	}
	return kept
}

// start returns the addresses that the process prints. With the test the process is
// told to stop, and must end well.
func start(tb testing.TB, cmd *exec.Cmd, stop func() error) running {
	tb.Helper()
	name := filepath.Base(cmd.Path)
	log, err := os.Create(filepath.Join(tb.TempDir(), "log"))
	if err != nil {
		tb.Fatal(err)
	}
	defer log.Close()
	cmd.Stderr = log
	said := func() []byte {
		text, _ := os.ReadFile(log.Name())
		return text[max(0, len(text)-10_000):]
	}
	printed := process.NewAnnouncer(address)
	cmd.Stdout = printed
	p, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		err := errors.Join(stop(), p.Wait(patience))
		if errors.Is(err, process.ErrRuns) {
			err = errors.Join(err, cmd.Process.Kill())
		}
		if err != nil {
			tb.Errorf("%s: %v\n%s", name, err, said())
		}
	})
	for end, tick := time.After(patience), time.NewTicker(10*time.Millisecond); ; {
		select {
		case at := <-printed.Found:
			return running{at: at, pid: cmd.Process.Pid}
		case <-tick.C: // the log goes to a file, so that this process spends no time on it
			if found := serving.FindSubmatch(said()); found != nil {
				return running{at: string(found[1]), pid: cmd.Process.Pid}
			}
		case <-p.Ended():
			tb.Fatalf("%s ended at once\n%s", name, said())
		case <-end:
			tb.Fatalf("%s does not say where it is\n%s", name, said())
		}
	}
}

// program is the path of the program to measure: the one that the flag or
// PLAZA_TEST_PROGRAM names, or one that is built now.
func program(ctx context.Context, tb testing.TB) string {
	tb.Helper()
	if named := cmp.Or(*binaryFlag, os.Getenv("PLAZA_TEST_PROGRAM")); named != "" {
		if _, err := os.Stat(named); err != nil {
			tb.Fatal(err)
		}
		return named
	}
	path := filepath.Join(tb.TempDir(), "plaza")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "nomsgpack,nodynamic", "-trimpath", "-o", path, "plaza/bootstrap/cmd/plaza")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("building the program: %v\n%s", err, said)
	}
	return path
}
