// Package bunstore stores everything in a database: Postgres, or a SQLite file of its
// own.
//
// Models and queries are the same for both; sql_postgres.go and sql_sqlite.go hold the
// differences. Data that must stay consistent (an event, its listing, its counts) is
// written in one transaction. Correctness depends on nothing in the process, so any
// number of servers may share a database.
package bunstore

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Store implements every store port over one database. Each port is a separate view,
// because ports may have methods of the same name.
type Store struct {
	// All writes use db. On SQLite db is one connection, and reader is a pool of
	// others; on Postgres they are the same pool.
	db        *bun.DB
	reader    *bun.DB
	dialect   dialect
	hot       statements
	sql       stepStatements
	schema    fs.FS         // the migrations
	limit     time.Duration // of one call, including waits
	sweepDraw func() int    // zero: a write also removes expired rows
	swept     func(began time.Time, err error)
	log       *slog.Logger
	tracer    oteltrace.Tracer // nil: none
	// unreplicated counts commits that are not on the synchronous replica that they should be
	// on. Postgres acknowledges them with a warning.
	unreplicated atomic.Int64
}

// Options select a database and configure its use.
type Options struct {
	// URL is postgres://… or sqlite:PATH. It may contain a password, so it is never
	// logged.
	URL string
	// Uncached runs the hot reads without prepared statements, for connection poolers
	// that do not support them.
	Uncached bool
	// Connections is the maximum number of connections to Postgres. Zero means
	// pool_max_conns from the URL, or else four per processor and at least 16.
	Connections int
	// Patience is how long Open tries to reach the database; zero means
	// DefaultPatience.
	Patience time.Duration
	// Limit is how long a call may take; zero means DefaultLimit.
	Limit time.Duration
	// Swept is called after each removal of expired rows with its result. nil: no call.
	Swept func(began time.Time, err error)
	Log   *slog.Logger // nil disables logging
	// Tracer begins a span for each call of a port. Nil: none begin, at no cost.
	Tracer oteltrace.Tracer

	trace  pgx.QueryTracer // sees every statement on Postgres; set only in tests
	schema fs.FS           // replaces the program's migrations; set only in tests
}

// Default time limits.
const (
	DefaultPatience = 30 * time.Second
	DefaultLimit    = 10 * time.Second
)

// Open connects to the database. It retries with growing pauses until Patience has
// passed. It does not check the schema: see Migrate.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Patience == 0 {
		o.Patience = DefaultPatience
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Swept == nil {
		o.Swept = func(time.Time, error) {}
	}
	open := openPostgres
	if path, is := strings.CutPrefix(o.URL, "sqlite:"); is {
		o.URL, open = path, openSQLite
	}
	s, err := open(o)
	if err != nil {
		return nil, err
	}
	s.limit, s.log, s.schema, s.tracer = o.Limit, o.Log, o.schema, o.Tracer
	s.sweepDraw, s.swept = drawSweep, o.Swept
	if s.schema == nil {
		s.schema = s.dialect.migrations()
	}
	s.hot, s.sql = newStatements(s.dialect), newStepStatements(s.dialect)
	if err := s.awaitDatabase(ctx, o.Patience); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the connections once their running calls have ended.
func (s *Store) Close() error {
	var err error
	if s.reader != s.db {
		err = s.reader.Close()
	}
	return errors.Join(err, s.db.Close())
}

// Ping returns nil if the database answers now and its settings are those that statements need, or else
// ErrSettings.
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, func(ctx context.Context) error {
		return s.dialect.ping(ctx, s.reader)
	})
}
