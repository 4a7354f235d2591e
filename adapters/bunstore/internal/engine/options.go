package engine

import (
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	oteltrace "go.opentelemetry.io/otel/trace"
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
