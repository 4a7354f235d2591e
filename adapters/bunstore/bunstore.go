// Package bunstore keeps everything in a database: Postgres, or SQLite in a file
// of the program's own.
//
// Models and queries are the same for both; what differs stands in sql_postgres.go and
// sql_sqlite.go. What must agree (an event, its listing, its counts) is written in one
// transaction. Nothing that correctness needs lives in the process, so any number
// of servers may share a database.
package bunstore

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"plaza/domain/reentry"
)

// Store is all the stores there are, over one database. Each port is a view of
// it: ports may have methods of the same name.
type Store struct {
	// Everything is written through db. On SQLite that is one connection, and
	// reader a pool of others; on Postgres they are the same pool.
	db      *bun.DB
	reader  *bun.DB
	dialect dialect
	guard   reentry.Guard
	hot     statements
	sql     stepStatements
	trees   trees
	schema  fs.FS         // the steps that make it
	limit   time.Duration // of one call, however long it would wait
	chance  func() int    // zero: a write removes expired rows as well
	log     *slog.Logger
}

// Options say which database, and how to use it.
type Options struct {
	// URL is postgres://… or sqlite:PATH. It may hold a password, so it is never
	// logged.
	URL string
	// Uncached makes the hot reads do without statements that are kept on their
	// connections, for poolers that can't carry them.
	Uncached bool
	// Connections is how many there are to Postgres at most; zero: what the URL's
	// pool_max_conns says, or else four for each processor and at least 16.
	Connections int
	// Patience is how long Open tries to reach the database; zero: as long as
	// DefaultPatience.
	Patience time.Duration
	// Limit is how long a call may take; zero: DefaultLimit.
	Limit time.Duration
	Log   *slog.Logger // nil: nothing is logged

	trace  pgx.QueryTracer // sees every statement on Postgres; nil but in tests
	schema fs.FS           // other steps than the program's; nil but in tests
}

// Times of a store.
const (
	DefaultPatience = 30 * time.Second
	DefaultLimit    = 10 * time.Second
)

// Open connects to the database, trying again with growing pauses for as long as
// Patience. It does not look at the schema: see Migrate.
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
	open := openPostgres
	if path, is := strings.CutPrefix(o.URL, "sqlite:"); is {
		o.URL, open = path, openSQLite
	}
	s, err := open(o)
	if err != nil {
		return nil, err
	}
	s.limit, s.log, s.schema = o.Limit, o.Log, o.schema
	s.chance = sweepChance
	if s.schema == nil {
		s.schema = s.dialect.migrations()
	}
	s.hot, s.sql = newStatements(s.dialect), newStepStatements(s.dialect)
	if err := s.reach(ctx, o.Patience); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the connections, once what is under way on them has ended.
func (s *Store) Close() error {
	var err error
	if s.reader != s.db {
		err = s.reader.Close()
	}
	return errors.Join(err, s.db.Close())
}

// Ping tells whether the database answers now.
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, func(ctx context.Context) error {
		if err := s.dialect.present(); err != nil {
			return err
		}
		return s.reader.PingContext(ctx)
	})
}
