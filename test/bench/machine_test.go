package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// machine is where a run took place, and of what.
type machine struct {
	cpu, commit string
	cores       int
}

func inspect(ctx context.Context) machine {
	return machine{cpu: procField("/proc/cpuinfo", "model name"), cores: runtime.NumCPU(), commit: commit(ctx)}
}

const unknown = "unknown"

// procField is the first value of that name in a file of lines like "name : value".
func procField(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return unknown
	}
	for line := range bytes.Lines(text) {
		if key, value, found := strings.Cut(string(line), ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}

func commit(ctx context.Context) string {
	hash, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return unknown
	}
	name := strings.TrimSpace(string(hash))
	// The writes of the benchmark itself do not change the measurements.
	changes, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ":/", ":(exclude,top)*RESULTS.*").Output()
	if err != nil || len(changes) > 0 {
		name += ", dirty"
	}
	return name
}

// memoryGoal is how many bytes are resident during the mix, half of the time.
const memoryGoal int64 = 120 << 20

// residentMemory returns how many bytes of the process are resident, now and at most. They are
// zero where the system has no /proc.
func residentMemory(pid int) (now, most int64, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	for name, into := range map[string]*int64{"VmRSS": &now, "VmHWM": &most} {
		kibibytes, _, _ := strings.Cut(procField(path, name), " ")
		n, parseErr := strconv.ParseInt(kibibytes, 10, 64)
		*into, err = n<<10, errors.Join(err, parseErr)
	}
	return now, most, err
}

// execute runs statements on a connection of its own.
func execute(ctx context.Context, url, statement string) error {
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		db, err := openSQLite(path)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.ExecContext(ctx, statement)
		return err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, statement)
	return err
}

func postgresVersion(ctx context.Context, url string) string {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return unknown
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return conn.PgConn().ParameterStatus("server_version")
}
