//go:build soak

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/cluster"
	"plaza/test/faultproxy"
	"plaza/test/versitygw"
)

// everyRequest is the pace of all clients together, so that the machine has time for all servers.
const everyRequest = 15 * time.Millisecond

// everyOrder is the pace of payers.
const everyOrder = 2 * time.Second

// large is Plaza past one machine, set up as bootstrap/deploy/cluster says, under a steady load.
type large struct {
	*cluster.Cluster
	apps    []*cluster.App
	servers []*running
	line    *faultproxy.Proxy // between the first server and its PgBouncer
	url     string            // of the balancer
	direct  string            // URL of the database on the primary
	writers *shared
	client  *repeater
	walk    *walk
	witness *witness
	newer   string // a program with further migrations

	stop    chan struct{} // of the payers
	over    func()        // ends all clients
	payers  sync.WaitGroup
	clients sync.WaitGroup
	reads   atomic.Int64
	wrong   atomic.Value // what should not have been answered
}

func TestCluster(t *testing.T) {
	t.Parallel()
	l := newLarge(t)
	l.pay(t)
	l.load()
	assert.Zero(t, l.suffers(t, "a Plaza server is killed", l.killServer).failed)
	assert.Zero(t, l.suffers(t, "a replica is killed", l.killReplica).failed)
	l.suffers(t, "the line from a server to the database is cut", l.cutLine)
	l.suffers(t, "PgBouncer of a server stops", l.stopPooler)
	l.serves(t, "app3")
	for n := range failovers {
		if n%2 == 0 {
			l.suffers(t, "the machine of the primary is killed", l.killPrimary)
		} else {
			l.suffers(t, "Postgres of the primary is killed", l.killPostgres)
		}
	}
	assert.Zero(t, l.suffers(t, "an upgrade", func(t *testing.T) { l.roll(t, l.newer) }).failed)
	assert.Zero(t, l.suffers(t, "back to the older program", func(t *testing.T) { l.roll(t, "") }).failed)
	l.finish(t)
}

// newLarge starts everything but the load.
func newLarge(t *testing.T) *large {
	t.Helper()
	pictures := versitygw.Start(t)
	l := &large{stop: make(chan struct{})}
	built := make(chan error, 1) // beside the start of the databases, which mostly wait
	go func() {
		var err error
		l.newer, err = newerPlaza()
		built <- err
	}()
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
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	l.client = newRepeater(t, everyRequest)
	l.writers = people(t, seed, settings)
	l.witness = l.writers.takeWitness()
	l.walk = &walk{random: rand.New(rand.NewPCG(seed, 1)), checkout: &checkout{
		dead: func() {}, poll: "1s", store: settings,
	}}
	l.walk.openAccounts(t)
	l.walk.openWallet(t)
	l.over = sync.OnceFunc(func() {
		close(l.stop)
		l.payers.Wait()
		l.client.stop()
		l.clients.Wait()
	})
	t.Cleanup(func() {
		l.over()
		l.walk.now = nil // its wallet ends after the servers
	})
	l.walk.notifyProxy.leadTo(l.url)
	l.servers = []*running{l.begin(t, 0, "")}
	l.serves(t, "app2")
	l.walk.now = &running{url: l.url, log: l.servers[0].log}
	l.writers.openTopics(t, l.url)
	l.witness.openEvent(t, l.url)
	require.NoError(t, <-built)
	return l
}

// serves adds a machine with a server.
func (l *large) serves(t *testing.T, name string) {
	t.Helper()
	l.apps = append(l.apps, l.App(name))
	l.servers = append(l.servers, l.begin(t, len(l.apps)-1, ""))
}

// begin starts the server of a machine, and returns when it is ready. Without a program it is the one
// under test.
func (l *large) begin(t *testing.T, n int, program string) *running {
	t.Helper()
	args := append([]string{"serve", "--data-dir=" + t.TempDir(), "--log-format=text", "--wallet-poll=" + l.walk.poll, unlimited},
		l.walk.settings...)
	cmd := command(t, context.Background(), args...)
	cmd.Env = append(cmd.Env, l.apps[n].Settings()...)
	if n == 0 {
		cmd.Env = append(cmd.Env, "PLAZA_DATABASE_URL="+l.apps[0].DatabaseAt(l.line.Address()))
	}
	if program != "" {
		cmd.Path, cmd.Args[0] = program, program
	}
	r := beginAs(t, cmd)
	r.listens(t)
	require.Eventually(t, r.isReady, patience, 10*time.Millisecond, "%s", r.log)
	return r
}

// load has all clients write and read until stopLoad.
func (l *large) load() {
	l.client.start()
	c := caller{l.url, &http.Client{Timeout: patience, Transport: l.client}}
	for _, w := range l.writers.writers {
		l.clients.Go(func() {
			for !l.client.isStopped() && w.wrong == "" {
				w.writeAll(c)
			}
		})
	}
	l.clients.Go(func() { l.witness.writesAndReads(c, l.client.isStopped) })
	for n, w := range l.writers.writers[:4] {
		paths := []string{
			eventsPath + "?page_size=5", categoriesPath, fmt.Sprintf("%s?uid=%d", imagesPath, w.uid),
			fmt.Sprintf("%s?event=%d", commentsPath, l.writers.topics[0]),
		}
		l.clients.Go(func() {
			for !l.client.isStopped() {
				status, raw, err := c.send(w.key, http.MethodGet, paths[n], nil)
				if err == nil && status != http.StatusOK {
					l.wrong.Store(fmt.Sprintf("GET %s: %d %s", paths[n], status, raw))
				}
				l.reads.Add(1)
			}
		})
	}
}

// stopLoad returns when no client and no session in the database does anything.
func (l *large) stopLoad(t *testing.T) {
	t.Helper()
	l.client.stop()
	l.clients.Wait()
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

// suffers has something happen under load, and asserts afterwards that nothing acknowledged is lost.
func (l *large) suffers(t *testing.T, what string, fault func(t *testing.T)) (noticed figures) {
	t.Helper()
	before := l.writers.acknowledged.Load()
	noticed = l.client.watch(t, func() { fault(t) })
	l.mend(t)
	acknowledged := l.writers.acknowledged.Load() - before
	l.stopLoad(t)
	l.writers.verify(t, l.url)
	for _, w := range l.writers.writers {
		assert.Empty(t, w.wrong)
	}
	assert.Empty(t, l.witness.wrong)
	assert.Nil(t, l.wrong.Load())
	for _, r := range l.servers {
		r.assertSilentOn(t, "DATA RACE", "panic", "level=ERROR")
	}
	require.False(t, t.Failed(), "after: %s", what)
	t.Logf("%s: %v; %d writes were acknowledged, 0 are lost", what, noticed, acknowledged)
	l.load()
	return noticed
}

// mend starts what does not run, and returns when all of it is well.
func (l *large) mend(t *testing.T) {
	t.Helper()
	l.StartAll()
	l.Settle()
	for n, r := range l.servers {
		select {
		case <-r.process.Ended():
			l.servers[n] = l.begin(t, n, "")
		default:
		}
	}
	for _, a := range l.apps {
		a.StartPooler()
	}
	l.line.Break(faultproxy.Reset) // what is under way is lost
	l.line.Mend()
	for _, r := range l.servers {
		require.Eventually(t, r.isReady, patience, 10*time.Millisecond, "%s", r.log)
	}
	l.client.watch(t, func() {})
}

func (l *large) killServer(t *testing.T) {
	require.NoError(t, l.servers[1].process.Signal(syscall.SIGKILL))
}

func (l *large) killReplica(*testing.T) { l.Replica().Kill() }

func (l *large) killPrimary(*testing.T) { l.Primary().Kill() }

func (l *large) killPostgres(*testing.T) { l.Primary().KillPostgres() }

func (l *large) cutLine(*testing.T) { l.line.Break(faultproxy.BlackHole) }

func (l *large) stopPooler(*testing.T) { l.apps[1].StopPooler() }

// roll replaces one server after the other by the program, as the guide says.
func (l *large) roll(t *testing.T, program string) {
	t.Helper()
	migrate := command(t, t.Context(), "migrate", "up", "--database-url="+l.direct, "--data-dir="+t.TempDir())
	if program != "" {
		migrate.Path, migrate.Args[0] = program, program
		out, err := migrate.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for n, r := range l.servers {
		require.NoError(t, r.process.Signal(syscall.SIGTERM))
		require.Zero(t, r.ends(t), "%s", r.log)
		l.servers[n] = l.begin(t, n, program)
	}
}

// pay has people pay until finish.
func (l *large) pay(t *testing.T) {
	t.Helper()
	every := time.NewTicker(everyOrder)
	t.Cleanup(every.Stop)
	l.payers.Go(func() {
		for n := 0; ; n++ {
			p := l.walk.wants(n)
			l.walk.orders = append(l.walk.orders, p)
			makes := func() reply { return p.make(l.walk.now, l.walk.staff) }
			pays := func() reply { return p.pay(l.walk.now, byCode, fmt.Sprint("pay-", n)) }
			if !l.repeats(makes, http.StatusCreated) || !l.repeats(pays, http.StatusOK) {
				return
			}
			l.walk.paysAll(p)
			select {
			case <-every.C:
			case <-l.stop:
				return
			}
		}
	})
}

// repeats sends a request until it succeeds, and reports whether it did before the end.
func (l *large) repeats(send func() reply, status int) bool {
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		a := send()
		if a.status == status {
			return true
		}
		if a.status != 0 && !slices.Contains(passing, a.status) {
			l.wrong.Store(fmt.Sprintf("paying: %d %s", a.status, a.body))
			return false
		}
		select {
		case <-again.C:
		case <-l.stop:
			return false
		}
	}
}

// finish asserts what holds after all: the ledgers agree, and all counts.
func (l *large) finish(t *testing.T) {
	t.Helper()
	l.over()
	l.stopLoad(t)
	for _, p := range l.walk.orders {
		l.walk.isMade(t, p)
	}
	l.walk.settles(t, l.walk.orders...)
	out, errOut, status := run(t, l.apps[0].Settings(), "check", "--data-dir="+t.TempDir(), "--database-url="+l.direct)
	require.Zero(t, status, "%s%s", out, errOut)
	assert.Contains(t, out, "found 0 wrong")
	for _, r := range l.servers {
		r.assertSilentOn(t, "DATA RACE", "panic", "level=ERROR")
		assertNoSecret(t, r.log.String(), l.walk.checkout)
	}
	assert.Positive(t, l.witness.looks, "an own write was looked for")
	t.Logf("%d writes were acknowledged and %d reads answered; of %d orders %d were paid, none twice; "+
		"%d own writes were looked for at once and found",
		l.writers.acknowledged.Load(), l.reads.Load(), len(l.walk.orders), l.walk.paid(), l.witness.looks)
}
