package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// openEvery is how often a ping opens a connection of its own.
const openEvery = 30 * time.Second

// opening tells whether Postgres takes new connections of the role. Those of the pool live on for up to an
// hour after the role's password has changed, for example.
type opening struct {
	config *pgx.ConnConfig
	Every  time.Duration

	mu      sync.Mutex
	tried   time.Time
	refused error // nil: it takes them
}

// refusals are the classes of errors with which Postgres refuses each new connection: of who logs in, of a database
// that is missing or takes none, and of a privilege. An outage, and a Postgres or a pooler without room, are not among them.
var refusals = []string{"28", "3D", "42", "55"}

// check opens a connection if that is due, and returns why Postgres refuses new ones. That holds until one is opened: a
// caller that does not wait, or an outage, says nothing about it.
func (o *opening) check(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.tried) < o.Every {
		return o.refused
	}
	conn, err := pgx.ConnectConfig(ctx, o.config.Copy())
	if ctx.Err() == nil {
		o.tried = time.Now()
	}
	if err == nil {
		_ = conn.Close(ctx)
		o.refused = nil
	}
	if e, is := errors.AsType[*pgconn.PgError](err); is && slices.Contains(refusals, e.Code[:min(len(e.Code), 2)]) {
		o.refused = fmt.Errorf("%w: it refuses new connections: %w", ErrSettings, err)
	}
	return o.refused
}
