package bunstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	every  time.Duration

	mu      sync.Mutex
	tried   time.Time
	refused error // nil: it takes them
}

// check opens a connection if that is due, and returns why Postgres refused the last one. An outage, and a Postgres
// without room for another connection, are not refusals.
func (o *opening) check(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.tried) < o.every {
		return o.refused
	}
	conn, err := pgx.ConnectConfig(ctx, o.config.Copy())
	o.tried, o.refused = time.Now(), nil
	if err == nil {
		_ = conn.Close(ctx)
		return nil
	}
	const noRoom, shutdown = "53", "57"
	if e, is := errors.AsType[*pgconn.PgError](err); is && !strings.HasPrefix(e.Code, noRoom) && !strings.HasPrefix(e.Code, shutdown) {
		o.refused = fmt.Errorf("%w: it refuses new connections: %w", ErrSettings, err)
	}
	return o.refused
}
