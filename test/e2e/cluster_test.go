//go:build soak

package e2e

import (
	"bytes"
	"context"
	crypto "crypto/rand"
	"database/sql"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/cluster"
	"plaza/test/faultproxy"
	"plaza/test/versitygw"
)

// everyRequest is the pace of all clients together, so that the machine has time for all servers.
const everyRequest = 15 * time.Millisecond

// attemptTimeout is longer than Plaza takes when nothing comes back from its database.
const attemptTimeout = 25 * time.Second

// clients send requests at a steady pace, and each one again until it is answered by anything but 502, 503 or 504: a POST with
// one Idempotency-Key, as the guide for clients says.
type clients struct {
	next http.RoundTripper
	pace *time.Ticker
	stop <-chan struct{}
	all  sync.WaitGroup
	end  func() // stops all, and waits for them

	failed atomic.Int64 // requests that were not answered in time
}

var errStopped = errors.New("the load has stopped")

// RoundTrip implements http.RoundTripper.
func (c *clients) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-c.stop:
		return nil, errStopped
	case <-c.pace.C:
	}
	header := req.Header.Clone()
	isPost := req.Method == http.MethodPost
	if isPost {
		header.Set("Idempotency-Key", crypto.Text())
	}
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	for isRepeated := false; ; isRepeated = true {
		res, err := c.attempt(req, header)
		if err == nil && isRepeated && !isPost && res.StatusCode == http.StatusNotFound && req.Method == http.MethodDelete {
			res.StatusCode = http.StatusNoContent // an earlier attempt has deleted it
		}
		if err == nil && !isTemporary(res.StatusCode) && !(isRepeated && isPost && res.StatusCode == http.StatusConflict) {
			return res, nil // after a conflict an earlier attempt goes on
		}
		select {
		case <-again.C:
		case <-req.Context().Done():
			c.failed.Add(1)
			return nil, req.Context().Err()
		}
	}
}

func (c *clients) attempt(req *http.Request, header http.Header) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), attemptTimeout)
	defer cancel()
	try := req.Clone(ctx)
	try.Header = header
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		try.Body = body
	}
	res, err := c.next.RoundTrip(try)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	whole, err := io.ReadAll(res.Body)
	res.Body = io.NopCloser(bytes.NewReader(whole))
	return res, err
}

func isTemporary(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

// large is Plaza past one machine, set up as bootstrap/deploy/cluster says, under a steady load.
type large struct {
	*cluster.Cluster
	apps    []*cluster.App
	servers []*running
	line    *faultproxy.Proxy // between the first server and its PgBouncer
	url     string            // of the balancer
	direct  string            // URL of the database on the primary
	writers *shared
	clients clients
}

func TestCluster(t *testing.T) {
	t.Parallel()
	l := newLarge(t)
	l.load(t)
	l.suffers(t, "a Plaza server is killed", func() { assert.NoError(t, l.servers[1].process.Signal(syscall.SIGKILL)) })
	l.suffers(t, "a replica is killed", func() { l.Replica().Kill() })
	l.suffers(t, "the line from a server to the database is cut", func() { l.line.Break(faultproxy.BlackHole) })
	l.suffers(t, "PgBouncer of a server stops", l.apps[1].StopPooler)
	l.serves(t, "app3")
	for n := range failovers {
		if n%2 == 0 {
			l.suffers(t, "the machine of the primary is killed", func() { l.Primary().Kill() })
		} else {
			l.suffers(t, "Postgres of the primary is killed", func() { l.Primary().KillPostgres() })
		}
	}
	l.stopLoad(t)
	out, errOut, status := run(t, l.apps[0].Settings(), "check", "--data-dir="+t.TempDir(), "--database-url="+l.direct)
	require.Zero(t, status, "%s%s", out, errOut)
	assert.Contains(t, out, "found 0 wrong")
	t.Logf("%d writes were acknowledged", l.writers.acknowledged.Load())
}

func TestNTF04_nothing_is_missed_on_a_Cluster_when_the_server_of_a_stream_dies(t *testing.T) {
	l := newLarge(t)
	missesNothing(t, l.writers, l.servers[0].url, l.url, func() *running { return l.revive(t, 1) })
}

func newLarge(t *testing.T) *large {
	t.Helper()
	pictures := versitygw.Start(t)
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * manyWriters}
	l := &large{clients: clients{next: transport, pace: time.NewTicker(everyRequest)}}
	t.Cleanup(func() {
		l.clients.pace.Stop()
		transport.CloseIdleConnections()
	})
	l.Cluster = cluster.Start(t, map[string]string{
		"MEDIA_URL":    "s3://" + pictures[len("http://"):] + "/" + versitygw.Bucket + "?tls=off&region=" + versitygw.Region,
		"MEDIA_KEY_ID": versitygw.KeyID, "MEDIA_SECRET": versitygw.Secret,
	})
	first := l.App("app1")
	l.apps = []*cluster.App{first}
	l.url, l.direct = first.URL(), first.DatabaseAt(first.Primary())
	l.line = faultproxy.Start(t, "tcp", first.Pooler())
	settings := []string{"--data-dir=" + t.TempDir(), "--database-url=" + l.direct}
	out, errOut, status := run(t, nil, append([]string{"migrate", "up"}, settings...)...)
	require.Zero(t, status, "%s%s", out, errOut)
	l.limitsStatements(t)
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	l.writers = people(t, seed, settings)
	l.servers = []*running{l.begin(t, 0)}
	l.serves(t, "app2")
	l.writers.openTopics(t, l.url)
	return l
}

// limitsStatements asserts that the limits of plaza.sql hold behind PgBouncer.
func (l *large) limitsStatements(t *testing.T) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), l.apps[0].DatabaseAt(l.apps[0].Pooler()))
	require.NoError(t, err)
	var timeout string
	require.NoError(t, conn.QueryRow(t.Context(), "SHOW statement_timeout", pgx.QueryExecModeSimpleProtocol).Scan(&timeout))
	assert.Equal(t, "10s", timeout)
	require.NoError(t, conn.Close(t.Context()))
}

// serves adds a machine with a server.
func (l *large) serves(t *testing.T, name string) {
	t.Helper()
	l.apps = append(l.apps, l.App(name))
	l.servers = append(l.servers, l.begin(t, len(l.apps)-1))
}

func (l *large) begin(t *testing.T, n int) *running {
	t.Helper()
	cmd := command(t, context.Background(), "serve", "--data-dir="+t.TempDir(), "--log-format=text", unlimited)
	cmd.Env = append(cmd.Env, l.apps[n].Settings()...)
	if n == 0 {
		cmd.Env = append(cmd.Env, "PLAZA_DATABASE_URL="+l.apps[0].DatabaseAt(l.line.Address()))
	}
	r := begin(t, cmd)
	require.Eventually(t, r.isReady, patience, 10*time.Millisecond, "%s", r.log)
	return r
}

// revive returns a server, which it starts again if that has ended.
func (l *large) revive(t *testing.T, n int) *running {
	t.Helper()
	select {
	case <-l.servers[n].process.Ended():
		l.servers[n] = l.begin(t, n)
	default:
	}
	return l.servers[n]
}

func (l *large) load(t *testing.T) {
	stop := make(chan struct{})
	l.clients.stop = stop
	c := caller{l.url, &http.Client{Timeout: 2 * patience, Transport: &l.clients}}
	for _, w := range l.writers.writers {
		l.clients.all.Go(func() {
			for w.wrong == "" {
				w.writeAll(c)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	l.clients.end = sync.OnceFunc(func() {
		close(stop)
		l.clients.all.Wait()
	})
	t.Cleanup(l.clients.end)
}

// stopLoad returns when no client and no session in the database does anything.
func (l *large) stopLoad(t *testing.T) {
	t.Helper()
	l.clients.end()
	db, err := sql.Open("pgx", l.direct)
	require.NoError(t, err)
	defer db.Close()
	require.Eventually(t, func() bool {
		var busy int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()").Scan(&busy)
		return err == nil && busy == 0
	}, patience, 10*time.Millisecond)
}

// more waits until more writes are acknowledged.
func (l *large) more(t *testing.T) {
	t.Helper()
	enough := l.writers.acknowledged.Load() + 200
	require.Eventually(t, func() bool { return l.writers.acknowledged.Load() > enough }, 2*patience, 10*time.Millisecond)
}

// suffers has something happen under load. Afterwards it asserts that each request was answered, and nothing acknowledged is lost.
func (l *large) suffers(t *testing.T, what string, fault func()) {
	t.Helper()
	l.more(t)
	fault()
	l.more(t)
	l.mend(t)
	l.more(t)
	l.stopLoad(t)
	l.writers.verify(t, l.url)
	assert.Zero(t, l.clients.failed.Load())
	for _, w := range l.writers.writers {
		assert.Empty(t, w.wrong)
	}
	for _, r := range l.servers {
		r.assertSilentOn(t, "DATA RACE", "panic", "level=ERROR")
	}
	require.False(t, t.Failed(), "after: %s", what)
	t.Logf("%s: %d writes are acknowledged so far", what, l.writers.acknowledged.Load())
	l.load(t)
}

// mend starts what does not run, and returns when all of it is well.
func (l *large) mend(t *testing.T) {
	t.Helper()
	l.StartAll()
	l.Settle()
	for n := range l.servers {
		l.revive(t, n)
	}
	for _, a := range l.apps {
		a.StartPooler()
	}
	l.line.Break(faultproxy.Reset) // what is under way is lost
	l.line.Mend()
	for _, r := range l.servers {
		require.Eventually(t, r.isReady, patience, 10*time.Millisecond, "%s", r.log)
	}
}
