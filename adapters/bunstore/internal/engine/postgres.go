package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/migrations"
)

// Postgres is the dialect of Postgres. The hot reads bypass database/sql and use
// connections of the same pool directly, which avoids converting values to the few
// types of database/sql.
type Postgres struct {
	Pool    *pgxpool.Pool
	mode    pgx.QueryExecMode // of hot reads and steps
	Opening *opening
}

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

func (Postgres) Migrations() fs.FS {
	folder, _ := fs.Sub(migrations.Postgres, "postgres") // no error: the name is valid
	return folder
}

func (Postgres) PrepareBulk(ctx context.Context, tx bun.IConn, limit time.Duration) error {
	_, err := tx.ExecContext(ctx, "SET LOCAL enable_seqscan = off; SET LOCAL statement_timeout = "+milliseconds(limit))
	return err
}

// The SQLSTATE codes and classes that are not bugs of this program.
var (
	sqlStates = map[string]errorClass{
		"40001": Retryable, "40P01": Retryable, "55P03": Retryable, // serialisation, deadlock, lock not available
		"57014": timedOut, // statement_timeout
		"57P01": unavailable, "57P02": unavailable, "57P03": unavailable, "25006": unavailable, "25P03": unavailable,
		"53100": diskFull,
	}
	sqlClasses = map[string]errorClass{"08": unavailable, "53": unavailable}
)

func (Postgres) Classify(err error) errorClass {
	if coded, is := errors.AsType[*pgconn.PgError](err); is {
		if v, known := sqlStates[coded.Code]; known {
			return v
		}
		return sqlClasses[coded.Code[:2]]
	}
	if _, is := errors.AsType[*pgconn.ConnectError](err); is {
		return unavailable
	}
	if _, is := errors.AsType[net.Error](err); is {
		if errors.Is(err, context.DeadlineExceeded) {
			return timedOut
		}
		return unavailable
	}
	for _, gone := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed} {
		if errors.Is(err, gone) {
			return unavailable
		}
	}
	// pgx exports no error for this text.
	if pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "too many failed attempts acquiring connection") {
		return unavailable
	}
	return internalError
}

func (Postgres) IsDuplicate(err error, table, column string) bool {
	violation, is := errors.AsType[*pgconn.PgError](err)
	return is && violation.Code == "23505" && (table == "" || violation.ConstraintName == table+"_"+column+"_key")
}

func (Postgres) Instant(t time.Time) any { return t }

func (Postgres) interval(d time.Duration) any { return d }

func (Postgres) date(d calendar.Date) any { return d.Time() }

func (Postgres) List(list any) any { return list }

// KeysAtOnce is unlimited: one statement handles all keys.
func (Postgres) KeysAtOnce() int { return math.MaxInt32 }

func (Postgres) Key(list any) any { return list }

func (d Postgres) Query(ctx context.Context, reads ...Step) error {
	conn, err := d.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	steps := make([]*Step, len(reads))
	for i := range reads {
		steps[i] = &reads[i]
	}
	return d.send(ctx, conn.Conn(), steps)
}

// Backup tells the operator to back up Postgres with its own tools.
func (Postgres) Backup(context.Context, string) error {
	return fault.New(fault.Conflict, "Back up Postgres with its own tools: "+
		"pg_dump --format=custom --file=FILE \"$PLAZA_DATABASE_URL\" makes a consistent copy while servers run, and pg_restore restores it.")
}
