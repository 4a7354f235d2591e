package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

const connectTimeout = 5 * time.Second

// openPostgres creates one pool for everything. bun writes values into the text of its queries, so by default no statement is
// kept. The hot reads, whose text is constant, opt in.
func openPostgres(o Options) (*DB, error) {
	config, err := poolConfig(o)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.BuildContextWatcherHandler = onCancel(o)
	s := &DB{location: "Postgres", unreplicated: &atomic.Int64{}}
	config.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Routine == replicationWait {
			s.unreplicated.Add(1)
		}
	}
	var pool *pgxpool.Pool
	config.BeforeClose, config.ShouldPing = pingPolicy(func() { pool.Reset() })
	mode := pgx.QueryExecModeCacheStatement
	if o.Uncached {
		mode = pgx.QueryExecModeExec
	}
	pool, err = pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, fmt.Errorf("create connection pool: %w", err)
	}
	s.Writer = bun.NewDB(stdlib.OpenDBFromPool(pool), pgdialect.New())
	s.Reader = s.Writer
	s.Dialect = Postgres{pool, mode, &opening{config: config.ConnConfig, Every: openEvery}}
	return s, nil
}

// poolConfig returns the settings of the pool.
func poolConfig(o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, errors.New("invalid database URL") // the cause quotes it, including the password
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, connectTimeout)
	config.ConnConfig.Tracer = o.Trace
	switch {
	case o.Connections > 0:
		config.MaxConns = int32(o.Connections)
	case !strings.Contains(o.URL, "pool_max_conns"):
		config.MaxConns = int32(max(16, 4*runtime.GOMAXPROCS(0)))
	}
	params := config.ConnConfig.RuntimeParams
	setDefault(params, "application_name", "plaza")
	maps.Copy(params, trackedSettings)
	if !o.Uncached { // a pooler rejects settings that it would have to repeat for each client
		maps.Copy(params, otherSettings)
		setDefault(params, "statement_timeout", milliseconds(o.Limit))
		setDefault(params, "lock_timeout", milliseconds(o.Limit/2))
		setDefault(params, "idle_in_transaction_session_timeout", milliseconds(3*o.Limit))
		setDefault(params, "plan_cache_mode", "force_generic_plan")
		setDefault(params, "jit", "off")
		setDefault(params, "random_page_cost", "1.1") // most pages are in memory, and today's disks seek fast
	}
	return config, nil
}

// replicationWait is the function of Postgres that waits for the synchronous replica. When a time
// limit or the client ends the wait, the function warns, and the commit is acknowledged all the
// same. The text of the warning depends on the server's language.
const replicationWait = "SyncRepWaitForLSN"

// cancelTimeout is how long Postgres has to end a cancelled statement before the
// connection is closed.
const cancelTimeout = time.Second

// onCancel returns the handler for statements whose request has ended. The driver's
// default closes the connection at once: each client that hangs up then costs a new
// connection, while Postgres continues the statement. This handler keeps the
// connection.
//
// It asks Postgres to cancel the statement. Behind a pooler it gives the statement a fifth of
// the time of a call to finish: PgBouncer before 1.21 can crash on a cancel request. Longer would
// hold up requests whose line to the pooler is dead.
func onCancel(o Options) func(*pgconn.PgConn) ctxwatch.Handler {
	return func(c *pgconn.PgConn) ctxwatch.Handler {
		if o.Uncached {
			return &pgconn.DeadlineContextWatcherHandler{Conn: c.Conn(), DeadlineDelay: o.Limit / 5}
		}
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelTimeout}
	}
}

// pingTimeout is how long Postgres has to answer a ping before the connection counts as dead.
const pingTimeout = time.Second

// pingPolicy makes the pool ping connections that were last used before another was
// found dead. When a server goes away all its connections are dead, and only the first
// request should fail.
//
// A firewall or a takeover can make connections dead without a word, and then each ping
// takes its whole time. So reset drops all idle connections when one does not answer.
func pingPolicy(reset func()) (
	beforeClose func(*pgx.Conn), shouldPing func(context.Context, pgxpool.ShouldPingParams) bool,
) {
	var died atomic.Pointer[time.Time]
	beforeClose = func(c *pgx.Conn) {
		if c.IsClosed() {
			died.Store(new(time.Now()))
			// The driver waits up to 15 seconds for the server's farewell, and the pool opens
			// no other connection in its place.
			c.PgConn().Conn().Close()
		}
	}
	shouldPing = func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		last := died.Load()
		if p.IdleDuration <= time.Second && (last == nil || time.Since(*last) > p.IdleDuration) {
			return false
		}
		// The handler of onCancel would give the ping more time.
		late := time.AfterFunc(pingTimeout, func() { p.Conn.PgConn().Conn().Close() })
		err := p.Conn.Ping(context.WithoutCancel(ctx))
		if late.Stop() && err == nil {
			return false
		}
		if p.Conn.IsClosed() {
			reset()
		}
		return true // the pool pings once more, and closes a connection that is dead
	}
	return beforeClose, shouldPing
}

func setDefault(params map[string]string, name, value string) {
	if _, set := params[name]; !set {
		params[name] = value
	}
}

// What statements and their answers mean depends on these settings, which a server, a database and
// a role may each set. Every connection sets them itself.
var (
	// trackedSettings are those that a pooler also keeps for each of its clients.
	trackedSettings = map[string]string{
		"standard_conforming_strings": "on", "client_encoding": "UTF8", "datestyle": "ISO, MDY", "timezone": "UTC",
	}
	// otherSettings can't be set behind a pooler. There the server must have these values.
	otherSettings = map[string]string{
		"intervalstyle": "postgres", "bytea_output": "hex", "extra_float_digits": "1", "array_nulls": "on", "transform_null_equals": "off",
		"gin_fuzzy_search_limit": "0", "default_transaction_isolation": "read committed", "default_transaction_deferrable": "off",
	}
	// givenSettings are the operator's alone: changing them would go against what they are for.
	givenSettings = map[string]string{
		"server_encoding": "UTF8", "default_transaction_read_only": "off", "session_replication_role": "origin",
	}
)

// ping returns ErrSettings if a setting has another value than statements need, or if Postgres refuses new connections.
func (d Postgres) ping(ctx context.Context, db *bun.DB) error {
	needed := maps.Clone(givenSettings)
	maps.Copy(needed, trackedSettings)
	maps.Copy(needed, otherSettings)
	names := slices.Sorted(maps.Keys(needed))
	values, targets := make([]string, len(names)), []any{}
	for i := range values {
		targets = append(targets, &values[i])
	}
	var schema *string
	query := "SELECT current_setting('" + strings.Join(names, "'), current_setting('") + "'), current_schema()"
	err := db.NewRaw(query).Scan(ctx, append(targets, &schema)...)
	if err != nil {
		return err
	}
	for i, name := range names {
		if want := needed[name]; values[i] != want {
			return fmt.Errorf("%w: %s is %q and must be %q", ErrSettings, name, values[i], want)
		}
	}
	if schema == nil {
		return fmt.Errorf("%w: search_path names no schema that exists and that the role may use", ErrSettings)
	}
	return d.Opening.check(ctx)
}

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

func (d Postgres) pools(*DB) []Pool {
	stat := d.Pool.Stat()
	return []Pool{{
		Name: "requests", Acquired: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Max: int(stat.MaxConns()),
		Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(),
	}}
}
