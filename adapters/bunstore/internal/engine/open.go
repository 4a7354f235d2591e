package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	oteltrace "go.opentelemetry.io/otel/trace"

	"plaza/migrations"
)

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
	Log   *slog.Logger // nil disables logging
	// Tracer begins a span for each call of a port. Nil: none begin, at no cost.
	Tracer oteltrace.Tracer

	Trace  pgx.QueryTracer // sees every statement on Postgres; set only in tests
	Schema fs.FS           // replaces the program's migrations; set only in tests
}

// Default time limits.
const (
	DefaultPatience = 30 * time.Second
	DefaultLimit    = 10 * time.Second
)

// Open connects to the database. It retries with growing pauses until Patience has passed.
func Open(ctx context.Context, o Options) (*DB, error) {
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	open := openPostgres
	if path, is := strings.CutPrefix(o.URL, "sqlite:"); is {
		o.URL, open = path, openSQLite
	}
	s, err := open(o)
	if err != nil {
		return nil, err
	}
	known := migrations.Of(s.Pick(Text{Postgres: "postgres", SQLite: "sqlite"}))
	s.Limit, s.Schema, s.tracer, s.scanPlans = o.Limit, cmp.Or(o.Schema, known), o.Tracer, &sync.Map{}
	s.log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s.Joins = func(context.Context) *Joining { return nil }
	if err := s.awaitDatabase(ctx, cmp.Or(o.Patience, DefaultPatience)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// awaitDatabase waits until the database answers.
func (s *DB) awaitDatabase(ctx context.Context, patience time.Duration) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 100*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (any, error) {
		err := s.Ping(ctx)
		if err == nil {
			return nil, nil
		}
		if class := s.Dialect.Classify(err); class == internalError || class == diskFull {
			err = backoff.Permanent(err) // waiting does not help
		}
		return nil, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(patience),
		backoff.WithNotify(func(err error, pause time.Duration) {
			s.log.Warn("the database can't be reached; trying again", "error", err, "pause_ms", pause.Milliseconds())
		}))
	if errors.Is(err, ErrFull) {
		err = fmt.Errorf("its disk is full, or can't be written: %w", err)
	}
	if err != nil && !errors.Is(err, ErrSettings) {
		return fmt.Errorf("the database can't be reached: %s: %w", s.location, err)
	}
	return err
}

// Ping returns nil if the database answers now and its settings are those that statements need, or else
// ErrSettings.
func (s *DB) Ping(ctx context.Context) error {
	return s.Read(ctx, func(ctx context.Context) error {
		return s.Dialect.ping(ctx, s.Reader)
	})
}

// Close closes the connections once their running calls have ended.
func (s *DB) Close() error {
	if d, is := s.Dialect.(Postgres); is {
		defer d.Pool.Close()
		return s.Writer.Close()
	}
	return errors.Join(s.Reader.Close(), s.Writer.Close())
}
