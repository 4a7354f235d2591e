package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// loan is a database that tests have one after the other.
type loan struct {
	url      string
	emptying string // the statements that make it as good as new
	isPooled bool   // its sessions outlive those of the test
}

// Lender lends databases of a server that a test names, which is behind a pooler.
type Lender struct{ host *host }

// NewLender returns a lender until the test ends. The URL leads to the server past the pooler, as a superuser.
func NewLender(t testing.TB, url string) *Lender {
	t.Helper()
	h, err := newHost(url)
	must(t, err)
	h.isPooled = true
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Errorf("dropping what was lent: %v", err)
		}
	})
	return &Lender{h}
}

// Lend is like the function of that name. The URL leads past the pooler.
func (l *Lender) Lend(t testing.TB, prepare Prepare) string {
	t.Helper()
	template, err := l.host.template(prepare)
	must(t, err)
	url, err := l.host.lend(t, template)
	must(t, err)
	return url
}

// Reuse returns a function that gives a test what open returns for an empty database. When the test
// ends, the database is emptied and given to the next one as it is, with its sessions: to connect
// costs more than most tests of a store. All is closed when the test all ends.
func Reuse[T io.Closer](all testing.TB, prepare Prepare, open func(url string) (T, error)) func(testing.TB) T {
	all.Helper()
	h, err := shared()
	must(all, err)
	template, err := h.template(prepare)
	must(all, err)
	type opened struct {
		loan
		conn *pgx.Conn // which empties it
		it   T
	}
	var mu sync.Mutex
	var idle []opened
	all.Cleanup(func() {
		for _, o := range idle {
			if err := errors.Join(o.it.Close(), o.conn.Close(context.Background())); err != nil {
				all.Errorf("closing what tests have reused: %v", err)
			}
		}
	})
	take := func(ctx context.Context) (o opened, err error) {
		mu.Lock()
		defer mu.Unlock()
		if last := len(idle) - 1; last >= 0 {
			o, idle = idle[last], idle[:last]
			return o, nil
		}
		if o.loan, err = h.loan(template); err != nil {
			return o, err
		}
		if o.conn, err = pgx.Connect(ctx, o.url); err != nil {
			return o, err
		}
		o.it, err = open(o.url)
		return o, err
	}
	return func(t testing.TB) T {
		t.Helper()
		o, err := take(t.Context())
		must(t, err)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			err := awaitNone(ctx, o.conn, others+" AND state <> 'idle'")
			if err == nil {
				_, err = o.conn.Exec(ctx, o.emptying)
			}
			if err != nil {
				t.Errorf("emptying the test's database: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			idle = append(idle, o)
		})
		return o.it
	}
}

// lend returns the URL of an empty database. When the test ends it is emptied, for the next one.
func (h *host) lend(t testing.TB, template string) (string, error) {
	t.Helper()
	l, err := h.loan(template)
	if err != nil {
		return "", err
	}
	t.Cleanup(func() {
		if err := l.empty(); err != nil {
			t.Errorf("emptying the test's database: %v", err)
			return // and no other test gets it
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.idle[template] = append(h.idle[template], l)
	})
	return l.url, nil
}

// loan is a database that no test has; a new one if need be.
func (h *host) loan(template string) (loan, error) {
	h.mu.Lock()
	if idle := h.idle[template]; len(idle) > 0 {
		defer h.mu.Unlock()
		l := idle[len(idle)-1]
		h.idle[template] = idle[:len(idle)-1]
		return l, nil
	}
	h.mu.Unlock()
	name, at, err := h.create(template)
	if err != nil {
		return loan{}, err
	}
	h.mu.Lock()
	h.kept = append(h.kept, name)
	h.mu.Unlock()
	l := loan{url: at, isPooled: h.isPooled}
	err = l.connected(func(ctx context.Context, conn *pgx.Conn) error {
		l.emptying, err = emptying(ctx, conn)
		return err
	})
	return l, err
}

// The data of a database besides its schema: rows in tables, and how far the numbers have come.
const (
	tablesOf = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations'"
	restarts = "SELECT format('setval(%L, %s, false)', quote_ident(sequencename), start_value) FROM pg_sequences WHERE schemaname = 'public'"
	used     = "SELECT quote_ident(sequencename) FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL"
)

// emptying are the statements that empty the database, which is new and must be empty:
// what it has would be gone from one that was lent before.
func emptying(ctx context.Context, conn *pgx.Conn) (string, error) {
	tables, err := names(ctx, conn, tablesOf)
	if err != nil {
		return "", err
	}
	// TRUNCATE makes a new file for every table, and ALTER SEQUENCE for every sequence. As
	// a replica the server doesn't ask which rows refer to which.
	statements := []string{"SET session_replication_role = replica"}
	for _, table := range tables {
		var isFilled bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+table+")").Scan(&isFilled); err != nil {
			return "", err
		}
		if isFilled {
			return "", fmt.Errorf("a new database has rows in %s, thus it can't be lent", table)
		}
		statements = append(statements, "DELETE FROM "+table)
	}
	advanced, err := names(ctx, conn, used)
	if err == nil && len(advanced) > 0 {
		err = fmt.Errorf("a new database has used numbers of %v, thus it can't be lent", advanced)
	}
	if err != nil {
		return "", err
	}
	sequences, err := names(ctx, conn, restarts)
	if len(sequences) > 0 {
		statements = append(statements, "SELECT "+strings.Join(sequences, ", "))
	}
	return strings.Join(statements, ";"), err
}

func names(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// empty makes the database as good as new.
func (l loan) empty() error {
	return l.connected(func(ctx context.Context, conn *pgx.Conn) error {
		if l.isPooled {
			if _, err := conn.Exec(ctx, endOthers); err != nil {
				return err
			}
		}
		if err := awaitNone(ctx, conn, others); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, l.emptying)
		return err
	})
}

// endOthers ends the sessions that a pooler keeps.
const endOthers = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

// others lists the sessions in the database beside the one that asks.
const others = "SELECT concat_ws(' ', pid, state, query) FROM pg_stat_activity WHERE datname = current_database() AND pid <> " +
	"pg_backend_pid()" +
	" AND backend_type = 'client backend'"

// awaitNone returns when the query finds no sessions, or which ones it finds when the context ends.
func awaitNone(ctx context.Context, conn *pgx.Conn, query string) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		open, err := names(ctx, conn, query)
		if err != nil || len(open) == 0 {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.New("the test has left sessions open: " + strings.Join(open, "; "))
		}
	}
}

// connected outlives the context of the test, which has ended when its database is emptied.
func (l loan) connected(do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, l.url)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, conn), conn.Close(ctx))
}
