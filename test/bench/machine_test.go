package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// machine is where a run took place, and of what.
type machine struct {
	cpu, memory, busy string
	cores             int
	commit            string
}

func inspect(ctx context.Context) machine {
	return machine{
		cpu: procField("/proc/cpuinfo", "model name"), memory: gibibytes(procField("/proc/meminfo", "MemTotal")),
		cores: runtime.NumCPU(), busy: busy(), commit: commit(ctx),
	}
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

func gibibytes(kibibytes string) string {
	n, err := strconv.ParseFloat(strings.TrimSuffix(kibibytes, " kB"), 64)
	if err != nil {
		return unknown
	}
	return fmt.Sprintf("%.0f GiB", n/(1<<20))
}

// busy is how much else was going on when the run began.
func busy() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return unknown
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
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

// flushing is how long it takes to have a page on the disk that the folder is on: the
// median of some times. It is what a commit waits for.
func flushing(folder string) (time.Duration, error) {
	file, err := os.CreateTemp(folder, "flushing-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	var took []time.Duration
	for range 101 {
		began := time.Now()
		if _, err := file.WriteAt(make([]byte, 8192), 0); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began))
	}
	return median(took), nil
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
