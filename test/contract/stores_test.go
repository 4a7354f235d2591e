package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/test/content"
	"plaza/test/postgres"
	"plaza/test/sqlite"
)

// store is what a server keeps its data in, and how many processes share it.
type store struct {
	name     string
	open     func(all *testing.T) fresh // for the tests within one
	servers  int                        // their requests alternate
	isPooled bool                       // a pooler is before the database
	// balance prepares a balancer before the server that gets the settings, to be started when the server runs. nil: none.
	balance func(t *testing.T, settings *settings.Config) (url string, start func())

	fresh fresh // what open has returned
}

// fresh returns the address of an empty store, which is the test's until it ends.
type fresh func(t *testing.T) string

// stores are those that the contract must hold on.
var stores = []store{
	{name: "SQLite", open: onSQLite, servers: 1},
	{name: "Postgres", open: onWatchedPostgres, servers: 1},
	{name: "two_servers", open: onPostgres, servers: 2}, // which share a Postgres
}

func onSQLite(*testing.T) fresh {
	return func(t *testing.T) string { return copyOfSQLite(t, t.TempDir()) }
}

// unusual are the addresses of the databases that onPostgres has lent, whose settings stay.
var unusual sync.Map

func onPostgres(*testing.T) fresh {
	return func(t *testing.T) string {
		at := postgres.Lend(t, migrate)
		if _, is := unusual.LoadOrStore(at, true); !is {
			require.NoError(t, postgres.MakeUnusual(at, false))
		}
		return at
	}
}

var copyOfSQLite = sqlite.Copies(migrate)

func migrate(ctx context.Context, url string) error {
	s, err := bunstore.Open(ctx, bunstore.Options{URL: url})
	if err != nil {
		return err
	}
	_, err = s.Migrate(ctx)
	return errors.Join(err, s.Close())
}

// chosen is the variable with which a developer runs some of the stores only.
const chosen = "PLAZA_TEST_STORES"

func TestMain(m *testing.M) {
	if err := choose(os.Getenv(chosen)); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", chosen, err)
		os.Exit(2)
	}
	os.Exit(postgres.Main(m))
}

// choose leaves the stores that are named; all of them when none is.
func choose(names string) error {
	if names == "" {
		return nil
	}
	var left []store
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(stores, func(s store) bool { return s.name == strings.TrimSpace(name) })
		if at < 0 {
			return fmt.Errorf("there is no store %q", name)
		}
		left = append(left, stores[at])
	}
	stores = left
	return nil
}

// onEach runs the test on every store that runs tests with these needs. With -short no test runs on Postgres: most of its queries
// are those of SQLite, and the suites of the ports run on both.
func onEach(t *testing.T, n needs, test func(t *testing.T, on store)) {
	_ = os.Getenv(chosen) // TestMain reads it too early for Go's test cache to see
	for _, on := range stores {
		if !on.runs(n) {
			continue
		}
		t.Run(on.name, func(t *testing.T) {
			if testing.Short() && on.name != "SQLite" {
				t.Skip("make test-all runs this")
			}
			t.Parallel()
			on.fresh = on.open(t)
			test(t, on)
		})
	}
}

// inTurn hands requests to the servers as a load balancer does that knows no
// sessions. Each finds stored what the former ones have left to be stored beside them.
func inTurn(apps []*bootstrap.App) http.Handler {
	var n atomic.Uint64
	handlers := make([]http.Handler, len(apps))
	for i, app := range apps {
		handlers[i] = app.Handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, app := range apps {
			app.Signin.Settle()
		}
		handlers[n.Add(1)%uint64(len(handlers))].ServeHTTP(w, r)
	})
}

// Content enters by the import, never over HTTP: here it goes into the import store. Each publication, node and
// demand is visible, of this instant and titled after its number, unless it is changed.

// stores imports the things.
func (s *server) stores(t *testing.T, things ...any) {
	t.Helper()
	stores := s.app.Stores
	require.NoError(t, content.Import(t.Context(),
		content.Stores{Accounts: stores.Accounts, Directory: stores.Directory, Imports: stores.Imports}, things...))
}

// storesCategory puts a category under another.
func (s *server) storesCategory(t *testing.T, id, parent feed.CategoryID, name string) {
	t.Helper()
	s.stores(t, feed.Category{ID: id, Parent: parent, Name: name, Slug: strings.ToLower(name)})
}

// storesItem puts a publication, a node and a demand of the number into the category.
func (s *server) storesItem(t *testing.T, by person, id int, in feed.CategoryID) {
	t.Helper()
	s.storesPublication(t, by, id, in)
	s.storesNode(t, by, id, in)
	s.storesDemand(t, by, id, in)
}

func (s *server) content(by person, title string, in feed.CategoryID) publication.Content {
	now := s.clock.Now()
	return publication.Content{
		Title: title, Summary: "Of " + title, Author: by.id, Language: "en", Category: in, Published: true, Created: now, Updated: now,
	}
}

func (s *server) storesPublication(
	t *testing.T, by person, id int, in feed.CategoryID, change ...func(*publication.Publication),
) {
	t.Helper()
	p := publication.Publication{
		ID: publication.ID(id), Bundle: publication.Bundle{ID: publication.BundleID(1000 + id)}, Node: publication.NodeID(2000 + id),
		Content: s.content(by, fmt.Sprintf("publication %d", id), in),
	}
	for _, c := range change {
		c(&p)
	}
	s.stores(t, p)
}

func (s *server) storesNode(t *testing.T, by person, id int, in feed.CategoryID, change ...func(*publication.Node)) {
	t.Helper()
	n := publication.Node{ID: publication.NodeID(id), Content: s.content(by, fmt.Sprintf("node %d", id), in)}
	for _, c := range change {
		c(&n)
	}
	s.stores(t, n)
}

func (s *server) storesDemand(t *testing.T, by person, id int, in feed.CategoryID, change ...func(*demand.Demand)) {
	t.Helper()
	now := s.clock.Now()
	d := demand.Demand{
		ID: demand.ID(id), Title: fmt.Sprintf("demand %d", id), Description: "Wanted", Author: by.id, Category: in,
		Closed: now.Add(day), Start: now.Add(2 * day), End: now.Add(3 * day), Published: true, Created: now, Updated: now,
	}
	for _, c := range change {
		c(&d)
	}
	s.stores(t, d)
}

// cover is a picture with one size.
func cover(size string) media.Picture {
	return media.Picture{
		Path:  "https://covers.example/lake.jpg",
		Sizes: []media.Size{{Name: size, Width: 320, Height: 180, Path: "https://covers.example/lake-small.jpg"}},
	}
}

// statements are the texts of all statements that servers have sent to a Postgres, without their parameters.
type statements struct {
	mu    sync.Mutex
	texts map[string]bool
}

// onWatchedPostgres is onPostgres with a proxy before it, which reads the statements. When all tests on it have ended, none may have had
// a text of a client in it: such a text belongs into a parameter, or else a setting of the server could change what it means.
func onWatchedPostgres(all *testing.T) fresh {
	seen, lent := &statements{texts: map[string]bool{}}, onPostgres(all)
	watch := sync.OnceFunc(func() { all.Cleanup(func() { seen.assertOwn(all) }) })
	return func(t *testing.T) string {
		watch()
		line, at := postgres.Behind(t, lent(t))
		line.Tap(seen.open)
		return at
	}
}

// open returns where to write what a client sends on a connection.
func (s *statements) open() io.WriteCloser {
	sent, into := io.Pipe()
	go func() { // until the connection ends
		defer io.Copy(io.Discard, sent)
		messages := pgproto3.NewBackend(sent, io.Discard)
		_, err := messages.ReceiveStartupMessage()
		for err == nil {
			var m pgproto3.FrontendMessage
			m, err = messages.Receive()
			switch m := m.(type) {
			case *pgproto3.Parse:
				s.note(m.Query)
			case *pgproto3.Query:
				s.note(m.String)
			}
		}
	}()
	return into
}

func (s *statements) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts[text] = true
}

var (
	literal = regexp.MustCompile(`'((?:[^']|'')*)'`)
	made    = regexp.MustCompile(`^([0-9:. +TZ-]+|[a-z_]+_id_seq)$`) // instants and names of sequences
)

// assertOwn asserts that each text within a statement stands in the program, as the scopes of an account do, or is made by it.
func (s *statements) assertOwn(t *testing.T) {
	var program strings.Builder
	for _, pattern := range []string{"../../adapters/bunstore/*.go", "../../adapters/bunstore/*/*.go",
		"../../adapters/bunstore/internal/engine/*.go", "../../migrations/postgres/*.sql", "../../domain/*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			if !strings.HasSuffix(name, "_test.go") {
				program.Write(text)
			}
		}
	}
	own := program.String()
	assert.NotEmpty(t, s.texts)
	for text := range s.texts {
		for _, found := range literal.FindAllStringSubmatch(text, -1) {
			for word := range strings.SplitSeq(strings.Trim(found[1], "{}"), ",") {
				assert.True(t, strings.Contains(own, word) || made.MatchString(word), "%s in %s", found[0], text)
			}
		}
	}
	t.Logf("%d statements", len(s.texts))
}
