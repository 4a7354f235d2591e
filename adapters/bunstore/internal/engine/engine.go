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
