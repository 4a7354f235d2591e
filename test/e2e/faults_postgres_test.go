package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/faultproxy"
	"plaza/test/postgres"
)

// poolSize is how many connections the server keeps to Postgres.
const poolSize = 4

// faultyPostgres is a shop whose database is behind the line.
type faultyPostgres struct {
	*faultyShop
	line *faultproxy.Proxy
	db   *sql.DB // directly

	halfway sync.WaitGroup // an event that was on its way to the database when the line broke

	mu    sync.Mutex
	sent  int
	acked map[string]bool // titles of events
}

func behindPostgres(t *testing.T) behindLine {
	s := &shop{dead: func() {}, poll: "200ms", front: newFront()}
	database := postgres.Empty(t)
	line, through := postgres.Behind(t, database)
	s.store = []string{"--data-dir=" + t.TempDir(), "--database-url=" + through}
	db, err := sql.Open("pgx", database)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	s.openAccounts(t)
	s.openWallet(t)
	s.settings = append(s.settings, fmt.Sprint("--database-connections=", poolSize), unlimited)
	s.opens(t)
	return behindLine{line, s.now, &faultyPostgres{faultyShop: &faultyShop{shop: s}, line: line, db: db, acked: map[string]bool{}}}
}

// title returns the title of another event.
func (p *faultyPostgres) title() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent++
	return fmt.Sprintf("event %d.", p.sent)
}

// write stores an event, and reports whether that was acknowledged.
func (p *faultyPostgres) write(t *testing.T, title string) bool {
	a := ask(p.now, p.payers[0].key, http.MethodPost, eventsPath, nil, diaryEntry{Title: title})
	isStored := succeeds(t, "writing an event", a, http.StatusCreated)
	if isStored {
		p.mu.Lock()
		p.acked[title] = true
		p.mu.Unlock()
	}
	return isStored
}

// breaks breaks the line when an event is on its way to the database.
func (p *faultyPostgres) breaks(t *testing.T, f faultproxy.Fault) {
	t.Helper()
	p.nextOrder(t)
	title := p.title()
	begun := p.line.BreakAt(f, title)
	p.halfway.Go(func() { p.write(t, title) })
	await(t, begun, "the event is not on its way")
}

func (p *faultyPostgres) suffer(t *testing.T, f faultproxy.Fault) (succeeded int64) {
	t.Helper()
	if f == faultproxy.SlowClose { // the end of these connections arrives late
		_, err := p.db.ExecContext(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "+ofThePool)
		require.NoError(t, err)
	}
	defer p.halfway.Wait()
	p.halfway.Go(func() { p.assertAlive(t, f) })
	p.pays(t)
	return atOnce(10, func(n int) bool {
		switch {
		case n < 4:
			return p.write(t, p.title())
		case n < 8:
			a := ask(p.now, p.payers[0].key, http.MethodGet, eventsPath, nil, nil)
			return succeeds(t, "listing events", a, http.StatusOK)
		}
		return p.begins(t)
	})
}

// assertAlive asserts that requests that need no database are served, and that the server
// tells when it should get no others.
func (p *faultyPostgres) assertAlive(t *testing.T, f faultproxy.Fault) {
	assert.Equal(t, http.StatusOK, p.now.askAdmin("/livez").status)
	assert.Equal(t, http.StatusOK, ask(p.now, "", http.MethodGet, "/api/openapi.json", nil, nil).status)
	if slices.Contains(severe, f) {
		assert.Equal(t, http.StatusServiceUnavailable, p.now.askAdmin("/readyz").status)
	}
}

func (p *faultyPostgres) works(t *testing.T) bool {
	return p.now.askAdmin("/readyz").status == http.StatusOK && p.write(t, p.title())
}

// verify asserts that each event is there that was acknowledged, and none twice.
func (p *faultyPostgres) verify(t *testing.T) {
	t.Helper()
	found := map[string]bool{}
	c := newCaller(p.now.url)
	defer c.client.CloseIdleConnections()
	for _, e := range all[eventShown](t, c, p.payers[0].key, eventsPath+"?") {
		assert.False(t, found[e.Title], "%s is there twice", e.Title)
		found[e.Title] = true
	}
	for title := range p.acked {
		assert.True(t, found[title], "%s is lost", title)
	}
	assert.LessOrEqual(t, len(found), p.sent)
	p.faultyShop.verify(t)
}

// ofThePool are the sessions of the server.
const ofThePool = "datname = current_database() AND application_name = 'plaza'"

func (p *faultyPostgres) sessions(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, p.db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE "+ofThePool).Scan(&n))
	return n
}

func (p *faultyPostgres) finish(t *testing.T) {
	t.Helper()
	p.faultyShop.finish(t)
	out, errOut, code := run(t, []string{promptly}, append([]string{"check"}, p.store...)...)
	assert.Zero(t, code, errOut)
	assert.Contains(t, out, "found 0 wrong")
}
