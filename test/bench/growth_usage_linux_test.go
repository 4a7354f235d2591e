package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"plaza/test/growth"
)

// watched is a Plaza with its databases, whose use of the machine is measured.
type watched struct {
	benchedStore
	plaza   *exec.Cmd
	replica string // URL; empty: there is none
	running
	files string // the folder of Plaza's pictures
	// The first processes of the databases.
	primaryPID, replicaPID int
	rowSizes               map[string]float64 // bytes of a row, with its indexes, by table
}

// open starts Plaza.
func (w *watched) open(ctx context.Context, tb testing.TB) (err error) {
	tb.Helper()
	w.running = start(tb, w.plaza, func() error { return w.plaza.Process.Signal(syscall.SIGTERM) })
	for _, setting := range w.plaza.Env {
		if folder, is := strings.CutPrefix(setting, "PLAZA_DATA_DIR="); is {
			w.files = folder
		}
	}
	if w.primaryPID, err = postmaster(ctx, w.full); err != nil {
		return err
	}
	if w.replica == "" {
		return nil
	}
	w.replicaPID, err = postmaster(ctx, w.replica)
	return err
}

// replicaIsUsed is the line of the metrics of a Plaza that uses its replica.
var replicaIsUsed = regexp.MustCompile(`(?m)^plaza_database_replica_used\{.*\} 1$`)

// awaitReplica returns when Plaza uses the replica, which it checks from the first read on.
func (w *watched) awaitReplica(ctx context.Context) error {
	asking, err := dial(w.at)
	if err != nil {
		return err
	}
	defer asking.Close()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for end := time.After(patience); ; {
		if _, err := asking.send(withBody("POST", "/api/user/user-simple-info/", "", `{"uid": [1]}`)); err != nil {
			return err
		}
		text, err := metricsOf(ctx, w.admin)
		if err != nil || replicaIsUsed.Match(text) {
			return err
		}
		select {
		case <-again.C:
		case <-end:
			return errors.New("Plaza does not use its replica")
		}
	}
}

// metricsOf returns the metrics of a Plaza.
func metricsOf(ctx context.Context, admin string) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Timeout: patience}
	defer client.CloseIdleConnections()
	answer, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// postmaster returns the number of the server's first process, which starts all others.
func postmaster(ctx context.Context, url string) (pid int, err error) {
	err = query(ctx, url, "SELECT CAST(split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS int)", &pid)
	return pid, err
}

// query reads one row, on a connection of its own.
func query(ctx context.Context, url, statement string, into ...any) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return conn.QueryRow(ctx, statement).Scan(into...)
}

// usage is what has been used since the start.
type usage struct {
	plaza, primary, replica              time.Duration // of processors
	primaryStatements, replicaStatements int64
	read, log, files                     int64 // bytes
}

// used returns the usage without the rows, once the replica has replayed what the primary has written.
func (w *watched) used(ctx context.Context) (u usage, err error) {
	const statements = "SELECT CAST(sum(calls) AS bigint) FROM pg_stat_statements"
	var flushed int64 // replicas receive no more before the next commit
	if err := query(ctx, w.full, "SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint), CAST(pg_current_wal_flush_lsn() - '0/0' AS bigint), ("+statements+")",
		&u.log, &flushed, &u.primaryStatements); err != nil {
		return u, err
	}
	if w.replica != "" {
		if err := w.awaitReplay(ctx, flushed); err != nil {
			return u, err
		}
		if err := query(ctx, w.replica, statements, &u.replicaStatements); err != nil {
			return u, err
		}
		if u.replica, err = processorTime(w.replicaPID); err != nil {
			return u, err
		}
	}
	var errs [4]error
	u.plaza, errs[0] = processorTime(w.pid)
	u.primary, errs[1] = processorTime(w.primaryPID)
	u.read, errs[2] = bytesRead(w.pid)
	u.files, errs[3] = sizeOf(w.files)
	return u, errors.Join(errs[:]...)
}

// awaitReplay returns when the replica has replayed the log to the position.
func (w *watched) awaitReplay(ctx context.Context, position int64) error {
	conn, err := pgx.Connect(ctx, w.replica)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for end := time.After(patience); ; {
		var hasReplayed bool
		err := conn.QueryRow(ctx, "SELECT pg_last_wal_replay_lsn() - '0/0' >= $1", position).Scan(&hasReplayed)
		if err != nil || hasReplayed {
			return err
		}
		select {
		case <-again.C:
		case <-end:
			return errors.New("the replica does not replay the log")
		}
	}
}

// since returns what a request took on average.
func (u usage) since(before usage, sent *traffic) growth.Cost {
	n := float64(sent.requests.Load())
	milliseconds := func(now, then time.Duration) float64 { return float64((now - then).Microseconds()) / 1000 / n }
	each := func(now, then int64) float64 { return float64(now-then) / n }
	c := growth.Cost{
		Plaza: milliseconds(u.plaza, before.plaza), Primary: milliseconds(u.primary, before.primary), Replica: milliseconds(u.replica, before.replica),
		PrimaryStatements: each(u.primaryStatements, before.primaryStatements), ReplicaStatements: each(u.replicaStatements, before.replicaStatements),
		FromClient: float64(sent.toServer.Load()) / n, ToClient: float64(sent.toClients.Load()) / n,
		Log: each(u.log, before.log), Files: each(u.files, before.files),
	}
	c.Read = each(u.read, before.read) - c.FromClient
	return c
}

// tick is the unit in which /proc counts processor time.
const tick = 10 * time.Millisecond

// processorTime returns what a process and its children have used, and those that have ended.
func processorTime(pid int) (sum time.Duration, err error) {
	own, _, err := statOf(pid)
	if err != nil {
		return 0, err
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range files {
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if used, parent, err := statOf(child); err == nil && parent == pid { // others may end meanwhile
			own += used
		}
	}
	return own, err
}

// statOf returns the processor time of a process and of its children that have ended, and its parent.
func statOf(pid int) (used time.Duration, parent int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := bytes.Cut(text, []byte(") ")) // the name before may have spaces
	fields := bytes.Fields(rest)
	const parentField, firstTime, lastTime = 1, 11, 14
	if len(fields) <= lastTime {
		return 0, 0, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	for _, field := range fields[firstTime : lastTime+1] {
		ticks, parseErr := strconv.ParseInt(string(field), 10, 64)
		used, err = used+time.Duration(ticks)*tick, errors.Join(err, parseErr)
	}
	parent, parseErr := strconv.Atoi(string(fields[parentField]))
	return used, parent, errors.Join(err, parseErr)
}

// bytesRead returns what a process has read, from connections as well.
func bytesRead(pid int) (int64, error) {
	return strconv.ParseInt(procField(fmt.Sprintf("/proc/%d/io", pid), "rchar"), 10, 64)
}

// sizeOf returns the bytes of the files in a folder.
func sizeOf(folder string) (sum int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}

// rowCounts returns the rows of each table.
func rowCounts(ctx context.Context, url string) (map[string]int64, error) {
	counts := map[string]int64{}
	err := eachTable(ctx, url, func(conn *pgx.Conn, table string) error {
		var rows int64
		err := conn.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()).Scan(&rows)
		counts[table] = rows
		return err
	})
	return counts, err
}

// fewRows are too few to tell how large one is: most of their pages are empty.
const fewRows = 100

// rowSizes returns the bytes of a row of each table, with its indexes. Rows of small tables have the
// mean size of all.
func rowSizes(ctx context.Context, url string) (map[string]float64, error) {
	sizes, small := map[string]float64{}, []string{}
	err := eachTable(ctx, url, func(conn *pgx.Conn, table string) error {
		var rows, bytes int64
		name := pgx.Identifier{table}.Sanitize()
		err := conn.QueryRow(ctx, "SELECT count(*), pg_total_relation_size('"+name+"') FROM "+name).Scan(&rows, &bytes)
		if rows < fewRows {
			small = append(small, table)
		} else {
			sizes[table] = float64(bytes) / float64(rows)
		}
		return err
	})
	sum := 0.0
	for size := range maps.Values(sizes) {
		sum += size
	}
	for _, table := range small {
		sizes[table] = sum / float64(max(1, len(sizes)))
	}
	return sizes, err
}

func eachTable(ctx context.Context, url string, do func(conn *pgx.Conn, table string) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, "SELECT relname FROM pg_stat_user_tables")
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	slices.Sort(tables)
	for _, table := range tables {
		if err := do(conn, table); err != nil {
			return err
		}
	}
	return nil
}
