// Package engine runs statements on Postgres and on SQLite: the pool, the differences between the
// databases, transactions and steps, retries, tables and their columns, migrations, and traces. It
// knows no rule and no table of the stores above it.
//
// A call has a time limit, is repeated after a conflict with another transaction, and returns the
// driver's errors as faults. A transaction is retried as a whole, so its function sets nothing outside
// that it does not set anew.
package engine

import (
	"context"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
	oteltrace "go.opentelemetry.io/otel/trace"

	"plaza/domain/calendar"
)

// DB is an open database.
type DB struct {
	// All writes use Writer. On SQLite that is one connection, and Reader is a pool of
	// others; on Postgres they are the same pool.
	Writer  *bun.DB
	Reader  *bun.DB
	Dialect Dialect
	Schema  fs.FS         // the migrations
	Limit   time.Duration // of one call, including waits
	// Joins returns what the store above adds to the transaction that begins under the context, or nil.
	Joins func(ctx context.Context) *Joining
	// Refused converts an error with which the function of a transaction has failed into a fault. Nil: it converts none.
	Refused  func(ctx context.Context, err error) error
	location string // without secrets
	log      *slog.Logger
	// scanPlans keeps how the rows of statements are scanned into models.
	scanPlans *sync.Map
	tracer    oteltrace.Tracer // nil: none
	// unreplicated counts commits that are not on the synchronous replica that they should be
	// on. Postgres acknowledges them with a warning.
	unreplicated *atomic.Int64
}

// Within returns the database with another time limit of a call.
func (s *DB) Within(limit time.Duration) *DB {
	within := *s
	within.Limit = limit
	return &within
}

func (s *DB) isSQLite() bool {
	_, is := s.Dialect.(SQLite)
	return is
}

// Dialect covers the differences between the databases.
type Dialect interface {
	// write runs a transaction of Write.
	write(ctx context.Context, s *DB, fn func(*Tx) error) error
	// ping returns nil if the database answers, is the one that was opened, and has the settings
	// that statements need.
	ping(ctx context.Context, db *bun.DB) error
	// PrepareBulk prepares the rest of the transaction for thousands of rows. It
	// prevents scans of whole tables, which may have been empty when a statement was
	// planned, and provides the memory and the time.
	PrepareBulk(ctx context.Context, tx bun.IConn, limit time.Duration) error
	// Instant, interval and date return bound parameters. An interval may be added to an instant.
	Instant(time.Time) any
	interval(time.Duration) any
	date(calendar.Date) any
	// Classify returns the class of a driver's error.
	Classify(err error) errorClass
	// IsDuplicate reports whether the error is a unique violation of the table's
	// column, or of any if the names are empty.
	IsDuplicate(err error, table, column string) bool

	// List returns the bound parameter for a list of bound ones, or the scan target for a list of texts or numbers.
	List(list any) any
	// KeysAtOnce returns how many keys a statement that runs for each of several keys takes: SQLite takes one at a time, because
	// repeated statements are cheaper there than a list. Key returns the parameter for so many.
	KeysAtOnce() int
	Key(list any) any
	// Query runs reads, in one round trip where the database supports it. It keeps the
	// prepared statements where possible.
	Query(ctx context.Context, reads ...Step) error
	// pools describes the pools of connections.
	pools(s *DB) []Pool
	// Backup writes a consistent copy into a new file.
	Backup(ctx context.Context, path string) error
}

// Pool describes a pool of connections to the database. Its counts begin when the store is
// opened.
type Pool struct {
	Name                string
	Acquired, Idle, Max int           // connections now, and the most that may be open
	Waits               int64         // calls that had to wait for a connection
	Waited              time.Duration // by all of them together
}

// Pools returns the pools of the store: that of Postgres, or those of the reading connections
// and of the writing one of SQLite.
func (s *DB) Pools() []Pool { return s.Dialect.pools(s) }
