package engine

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"plaza/domain/calendar"
)

// SQLite is the dialect of SQLite.
type SQLite struct {
	file     databaseFile
	Reader   *sql.DB
	prepared *preparedStatements // of reads
	Written  *preparedStatements // of transactions
	writers  *writers
}

// openSQLite opens the file for one writing connection and several reading ones. It
// creates the file and its folder if they are missing. A commit returns when its
// data is on the disk (synchronous=FULL).
func openSQLite(o Options) (*DB, error) {
	file, err := makeFile(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open database file: %w", err)
	}
	busyTimeout := busyTimeoutPragma(o.Limit)
	writer := file.open(1, SQLiteURL(o.URL, "journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "secure_delete(on)",
		"temp_store(memory)", busyTimeout)+"&_txlock=immediate")
	// No pragma of a reader reads the file, which may have been replaced since Connect looked at it.
	reader := file.open(max(4, 2*runtime.GOMAXPROCS(0)), SQLiteURL(o.URL, "query_only(on)", busyTimeout))
	return &DB{Writer: writer, Reader: reader, location: file.path, unreplicated: &atomic.Int64{}, Dialect: SQLite{
		file: file, Reader: reader.DB, prepared: &preparedStatements{}, Written: &preparedStatements{},
		writers: &writers{turn: make(chan struct{}, 1), shared: make(chan *sharedTransaction)},
	}}, nil
}

// busyTimeoutPragma returns the PRAGMA that lets a call wait for a writer of another process,
// for half of its limit.
func busyTimeoutPragma(limit time.Duration) string {
	return "busy_timeout(" + milliseconds(limit/2) + ")"
}

// SQLiteURL returns the data source name of a connection, which creates no file.
func SQLiteURL(path string, pragmas ...string) string {
	// The path must be absolute: in a relative one, the text after file: would be a
	// host name. On Windows it is like /C:/plaza.db.
	if absolute, err := filepath.Abs(path); err == nil {
		path = "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/")
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "mode": {"rw"}}.Encode()}
	return u.String()
}

func (d SQLite) ping(ctx context.Context, db *bun.DB) error {
	if err := d.file.check(); err != nil {
		return err
	}
	return db.PingContext(ctx)
}

// PrepareBulk keeps the pages of thousands of rows in memory, and copies each changed page into the database only once. This
// stays so for the only writing connection. The units are KiB and pages of 4 KiB.
func (SQLite) PrepareBulk(ctx context.Context, tx bun.IConn, _ time.Duration) error {
	_, err := tx.ExecContext(ctx, "PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 8000")
	return err
}

// The primary result codes that are not bugs of this program.
var sqliteCodes = map[int]errorClass{
	sqlite3.SQLITE_BUSY: Retryable, sqlite3.SQLITE_LOCKED: Retryable,
	sqlite3.SQLITE_INTERRUPT: timedOut,
	sqlite3.SQLITE_CANTOPEN:  unavailable,
	sqlite3.SQLITE_FULL:      diskFull, sqlite3.SQLITE_READONLY: diskFull, sqlite3.SQLITE_IOERR: diskFull,
}

func (SQLite) Classify(err error) errorClass {
	if coded, is := errors.AsType[*sqlitedriver.Error](err); is {
		return sqliteCodes[coded.Code()&0xff]
	}
	if errors.Is(err, errMoved) {
		return unavailable
	}
	return internalError
}

func (SQLite) IsDuplicate(err error, table, column string) bool {
	violation, is := errors.AsType[*sqlitedriver.Error](err)
	return is && violation.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE &&
		(table == "" || strings.Contains(violation.Error(), table+"."+column))
}

func (SQLite) Instant(t time.Time) any { return t.UnixMicro() }

func (SQLite) interval(d time.Duration) any { return d.Microseconds() }

func (SQLite) date(d calendar.Date) any { return d.String() }

// List stores bytes as hexadecimal digits, because JSON has none.
func (SQLite) List(list any) any {
	if all, is := list.([][]byte); is {
		list = Filled(Mapped(all, hex.EncodeToString))
	}
	return AsJSON{list}
}

func (SQLite) KeysAtOnce() int { return 1 }

func (d SQLite) Key(list any) any { return bound(d, reflect.ValueOf(list).Index(0).Interface()) }

func (d SQLite) Query(ctx context.Context, reads ...Step) error {
	for _, read := range reads {
		prepared, err := d.prepared.get(ctx, d.Reader, read.Statement)
		if err == nil {
			err = read.query(ctx, prepared)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// preparedStatements keeps prepared statements by their text. Their number is bounded: the texts are constants.
type preparedStatements struct{ sync.Map }

func (p *preparedStatements) get(ctx context.Context, db *sql.DB, text string) (*sql.Stmt, error) {
	if kept, is := p.Load(text); is {
		return kept.(*sql.Stmt), nil
	}
	made, err := db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	kept, others := p.LoadOrStore(text, made)
	if others {
		return kept.(*sql.Stmt), made.Close()
	}
	return made, nil
}

func (d SQLite) pools(s *DB) []Pool {
	pool := func(name string, stats sql.DBStats) Pool {
		return Pool{
			Name: name, Acquired: stats.InUse, Idle: stats.Idle, Max: stats.MaxOpenConnections,
			Waits: stats.WaitCount, Waited: stats.WaitDuration,
		}
	}
	writer := pool("writer", s.Writer.Stats())
	writer.Waits += d.writers.waits.Load()
	writer.Waited += time.Duration(d.writers.waited.Load())
	return []Pool{pool("reader", s.Reader.Stats()), writer}
}
