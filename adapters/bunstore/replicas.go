package bunstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultMaxLag is how old what a replica shows may be by default.
const DefaultMaxLag = 5 * time.Second

// Time limits of replicas.
const (
	// replicaTimeout is how long a replica may take for a read or a check. The primary answers
	// a read that takes longer.
	replicaTimeout = time.Second
	// replicaPause is how long a replica that failed is left alone.
	replicaPause = 5 * time.Second
	// checkInterval is the time between two checks of the replicas, or a fifth of the maximum
	// lag if that is less.
	checkInterval = time.Second
)

// replicas are hot standbys of the primary, which answer the reads of replicaReads. Every such
// read proves in its own round trip that the replica is new enough, so correctness depends on
// neither clocks nor what the process remembers: see answer. A goroutine checks the replicas;
// the first such read starts it, and close ends it.
type replicas struct {
	all     []*replica
	monitor *pgxpool.Pool // to the primary: one connection, so that a check never waits for requests
	mode    pgx.QueryExecMode
	sql     replicaStatements
	reads   map[string]bool // the statements of replicaReads
	maxLag  time.Duration
	log     *slog.Logger

	progress  progress
	turn      atomic.Uint32
	onPrimary atomic.Int64 // reads of the list that the primary answered

	begun   sync.Once
	end     context.CancelFunc // nil: the checks have not begun
	checked sync.WaitGroup
}

// replica is one replica. It is used while ready is set.
type replica struct {
	postgres
	name  string // host and port
	ready atomic.Bool
	log   *slog.Logger

	mu      sync.Mutex
	retryAt time.Time // of the next check after a failure
	shown   time.Time // what the primary had committed then, the replica shows; zero: unknown
	began   time.Time // of the process's use of it
	noted   string    // why it is not used, as logged last; empty: it is used

	served, behind, failed atomic.Int64 // reads
}

// openReplicas returns the replicas of the options, or nil if there are none. It connects to
// none: a replica that is down must not keep a server from starting.
func openReplicas(o Options, mode pgx.QueryExecMode) (*replicas, error) {
	if len(o.Replicas) == 0 {
		return nil, nil
	}
	monitor, err := poolConfig(o, o.URL)
	if err != nil {
		return nil, err
	}
	monitor.MaxConns, monitor.MinConns, monitor.MinIdleConns = 1, 0, 0
	r := &replicas{maxLag: o.MaxLag, mode: mode, log: o.Log, sql: newReplicaStatements(postgres{})}
	if r.monitor, err = pgxpool.NewWithConfig(context.Background(), monitor); err != nil {
		return nil, fmt.Errorf("create connection pool: %w", err)
	}
	for _, url := range o.Replicas {
		opened, err := openReplica(o, url, mode)
		if err == nil {
			for _, other := range r.all {
				if other.name == opened.name {
					err = fmt.Errorf("replica %s is listed twice", opened.name)
				}
			}
			r.all = append(r.all, opened)
		}
		if err != nil {
			r.close()
			return nil, err
		}
	}
	return r, nil
}

func openReplica(o Options, url string, mode pgx.QueryExecMode) (*replica, error) {
	o.Limit = replicaTimeout
	config, err := poolConfig(o, url)
	if err != nil {
		return nil, errors.New("invalid URL of a replica")
	}
	r := &replica{
		name: net.JoinHostPort(config.ConnConfig.Host, strconv.Itoa(int(config.ConnConfig.Port))), log: o.Log, began: time.Now(),
	}
	config.ConnConfig.ConnectTimeout = min(config.ConnConfig.ConnectTimeout, replicaTimeout)
	// A read that is given up closes its connection at once: the primary answers it, and must
	// not wait for a replica that is half dead.
	config.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn()}
	}
	config.ShouldPing = func(context.Context, pgxpool.ShouldPingParams) bool { return false } // the primary answers a read that fails
	config.BeforeClose = func(c *pgx.Conn) {
		if c.IsClosed() || !r.ready.Load() {
			c.PgConn().Conn().Close() // without waiting for the farewell of a server that may be dead
		}
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fmt.Errorf("create connection pool of replica %s: %w", r.name, err)
	}
	r.postgres = postgres{pool: pool, mode: mode}
	return r, nil
}

// close ends the checks and closes the connections.
func (r *replicas) close() {
	r.begun.Do(func() {}) // not from now on
	if r.end != nil {
		r.end()
		r.checked.Wait()
	}
	for _, one := range r.all {
		one.pool.Close()
	}
	r.monitor.Close()
}

// use lets the replica be used, or not for the reason. It logs when that changes.
func (r *replica) use(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready.Store(reason == "")
	if reason == r.noted {
		return
	}
	if r.noted = reason; reason == "" {
		r.log.Info("replica is used", "replica", r.name)
	} else {
		r.log.Warn("replica is not used; the primary answers its reads", "replica", r.name, "reason", reason)
	}
}

// fail leaves the replica alone for a while.
func (r *replica) fail(err error) {
	r.mu.Lock()
	r.retryAt = time.Now().Add(replicaPause)
	r.mu.Unlock()
	r.use(err.Error())
	r.pool.Reset() // each idle connection may be as dead
}

// Replica describes a replica of the database.
type Replica struct {
	Name   string // host and port
	IsUsed bool
	// Lag is how old what it shows is at most, by the last check.
	Lag time.Duration
	// Served are the reads that it answered, Behind those for which it was not new enough,
	// Failed those in which it failed. The primary answered all but the first.
	Served, Behind, Failed int64
}

// Replicas describes the replicas of the database. It also returns how many reads the primary
// answered that a replica might have.
func (s *Store) Replicas() (all []Replica, onPrimary int64) {
	if s.replicas == nil {
		return nil, 0
	}
	now := time.Now()
	for _, r := range s.replicas.all {
		all = append(all, Replica{
			Name: r.name, IsUsed: r.ready.Load(), Lag: r.lag(now),
			Served: r.served.Load(), Behind: r.behind.Load(), Failed: r.failed.Load(),
		})
	}
	return all, s.replicas.onPrimary.Load()
}

// lag returns how old what the replica shows is at most. It is the time since the beginning if
// no check has told yet.
func (r *replica) lag(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shown.IsZero() {
		return now.Sub(r.began)
	}
	return now.Sub(r.shown)
}
