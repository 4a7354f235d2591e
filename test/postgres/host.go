package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/jackc/pgx/v5"
)

// elsewhere names the server to use in place of one of our own: a URL whose user may create databases.
const elsewhere = "PLAZA_TEST_DATABASE_URL"

// pristine is the template that comes with every server and takes no connections.
const pristine = "template0"

// patience is how long any one step may take on a busy machine.
const patience = time.Minute

var (
	shared    = sync.OnceValues(openShared)
	endShared = func() error { return nil }
)

func openShared() (*host, error) {
	if given := os.Getenv(elsewhere); given != "" {
		h, err := newHost(given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", elsewhere, err)
		}
		endShared = h.close
		return h, nil
	}
	c, err := newCluster(nil)
	if err != nil {
		return nil, err
	}
	endShared = c.remove
	if err := c.start(); err != nil {
		return nil, err
	}
	return newHost(c.url("postgres"))
}

// host is a server on which databases are created and dropped.
type host struct {
	url    string
	prefix string // of names: other processes may use the same server

	isPooled bool // tests use its databases by way of a pooler

	mu        sync.Mutex // guards what follows, and lets one statement run at a time
	conn      *pgx.Conn
	databases int
	templates map[unsafe.Pointer]func() (string, error)
	kept      []string          // databases that stay for as long as the process
	idle      map[string][]loan // by their templates
}

func newHost(at string) (*host, error) {
	if _, err := withDatabase(at, "any"); err != nil {
		return nil, err
	}
	return &host{
		url:       at,
		prefix:    fmt.Sprintf("plaza_test_%d_%.8s", os.Getpid(), rand.Text()),
		templates: map[unsafe.Pointer]func() (string, error){},
		idle:      map[string][]loan{},
	}, nil
}

// withDatabase is the URL with another database in it.
func withDatabase(at, database string) (string, error) {
	u, err := url.Parse(at)
	if err != nil {
		// The error of url.Parse repeats the URL, and with it a password.
		return "", errors.New("this is no URL")
	}
	if u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", fmt.Errorf("a URL that starts with postgres:// is needed, this one starts with %q", u.Scheme)
	}
	query := u.Query()
	query.Del("dbname")
	query.Del("database")
	u.RawQuery = query.Encode()
	u.Path = "/" + database
	return u.String(), nil
}

// template returns the name of the database that prepare has filled.
func (h *host) template(prepare Prepare) (string, error) {
	// Closures from one place share their code, not what they capture: this is the
	// address of the closure, which stays taken while the map holds on to prepare.
	identity := *(*unsafe.Pointer)(unsafe.Pointer(&prepare))
	h.mu.Lock()
	filled, known := h.templates[identity]
	if !known {
		filled = sync.OnceValues(func() (string, error) { return h.fill(prepare) })
		h.templates[identity] = filled
	}
	h.mu.Unlock()
	return filled()
}

func (h *host) fill(prepare Prepare) (string, error) {
	name, at, err := h.create(pristine)
	if err != nil {
		return "", fmt.Errorf("creating a template: %w", err)
	}
	h.mu.Lock()
	h.kept = append(h.kept, name)
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := prepare(ctx, at); err != nil {
		return "", fmt.Errorf("preparing a template: %w", err)
	}
	// A database with connections can't be copied.
	if err := h.exec("ALTER DATABASE %s WITH ALLOW_CONNECTIONS false", name); err != nil {
		return "", fmt.Errorf("closing a template: %w", err)
	}
	return name, nil
}

// copy returns the URL of a copy that the test has until it ends.
func (h *host) copy(t testing.TB, template string) string {
	t.Helper()
	name, at, err := h.create(template)
	if err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
	t.Cleanup(func() {
		if err := h.drop(name); err != nil {
			t.Errorf("dropping the test's database: %v", err)
		}
	})
	return at
}

func (h *host) create(template string) (name, at string, err error) {
	h.mu.Lock()
	h.databases++
	name = fmt.Sprintf("%s_%d", h.prefix, h.databases)
	h.mu.Unlock()
	if at, err = withDatabase(h.url, name); err != nil {
		return "", "", err
	}
	return name, at, h.exec("CREATE DATABASE %s TEMPLATE %s", name, template)
}

// drop ends the sessions that a test has left open.
func (h *host) drop(name string) error { return h.exec("DROP DATABASE %s WITH (FORCE)", name) }

// exec runs a statement on names, which no placeholder can stand for.
func (h *host) exec(statement string, names ...string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if h.conn == nil || h.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, h.url)
		if err != nil {
			return fmt.Errorf("connecting: %w", err)
		}
		h.conn = conn
	}
	quoted := make([]any, len(names))
	for i, name := range names {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	_, err := h.conn.Exec(ctx, fmt.Sprintf(statement, quoted...))
	return err
}

// close drops what is kept from a server that stays.
func (h *host) close() error {
	var all error
	for _, name := range h.kept {
		all = errors.Join(all, h.drop(name))
	}
	if h.conn != nil {
		all = errors.Join(all, h.conn.Close(context.Background()))
	}
	return all
}
