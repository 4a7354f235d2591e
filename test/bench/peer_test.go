package bench

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
	"plaza/test/process"
)

// peer is a server written with another framework. It gives the same answers to the
// scenarios of peerGoals from the same rows.
type peer struct {
	name  string
	about string // what it is made of, and where its rows are
	at    string
}

// peerGoal is how many times the requests a second of a peer Plaza must reach. Zero: the
// floor itself is too near to the peer, and Plaza must be as fast as the floor instead.
type peerGoal float64

// peerGoals are those of the scenarios that peers are asked.
var peerGoals = map[string]peerGoal{"A": 10, "A1": 30, "B": 10, "D": 10, "D1": 0, "E": 0}

// asksPeers reports whether a scenario with peers is wanted.
func asksPeers() bool {
	return slices.ContainsFunc(scenarios, func(sc scenario) bool {
		_, has := peerGoals[sc.name]
		return has && wanted(sc.name)
	})
}

// What test/tools.sh installs for peers: a Python with Django REST framework and gunicorn,
// and the program that is built from the folder pocketbase.
const (
	djangoVariable     = "PLAZA_TEST_DJANGO"
	pocketBaseVariable = "PLAZA_TEST_POCKETBASE"
)

// startPocketBases starts PocketBase with the dataset if it is installed and asked.
func startPocketBases(ctx context.Context, tb testing.TB, d *dataset) []peer {
	program := installed(pocketBaseVariable)
	if program == "" || !asksPeers() {
		return nil
	}
	began := time.Now()
	p := startPocketBase(ctx, tb, program, d)
	fmt.Fprintf(os.Stderr, "PocketBase: loaded in %v\n", time.Since(began).Round(time.Second))
	return []peer{p}
}

// startDjangos starts Django over the database if it is installed, asked and knows that
// kind of database: it reads lists as only Postgres has them.
func startDjangos(ctx context.Context, tb testing.TB, s benchedStore) []peer {
	python := installed(djangoVariable)
	if python == "" || !asksPeers() || s.name != "Postgres" {
		return nil
	}
	return []peer{startDjango(ctx, tb, python, s.full)}
}

func installed(variable string) string {
	path := os.Getenv(variable)
	if path == "" {
		fmt.Fprintf(os.Stderr, "%s is not set: that peer is not measured\n", variable)
	}
	return path
}

// comparePeers fails unless the peers answer the requests as Plaza does.
func comparePeers(plaza string, peers []peer, requests []request) error {
	for _, p := range peers {
		if err := compare(plaza, p.at, requests); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// peerWarmUp is longer than the others': each thread of Django opens a connection first.
const peerWarmUp = 500 * time.Millisecond

// peersOf are the peers that are asked what the scenario asks. It fails unless they answer
// as Plaza does.
func peersOf(sc scenario, plaza string, peers []peer, requests []request) (asked []contender, err error) {
	if _, has := peerGoals[sc.name]; !has {
		return nil, nil
	}
	for _, p := range peers {
		asked = append(asked, contender{p.name, func(ctx context.Context, l load) (measurement, error) {
			l.requests, l.warmUp = requests, max(l.warmUp, peerWarmUp)
			return l.measure(ctx, p.at)
		}})
	}
	return asked, comparePeers(plaza, peers, requests[:20])
}

// toolOf is the path of an installed tool. Without it the test cannot run.
func toolOf(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set; make test-all installs what it names", variable)
	}
	return path
}

func TestPeers_answer_just_as_Plaza_does(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	d := newDataset(tiny)
	for name, start := range map[string]func(*testing.T, string) peer{
		"Django": func(t *testing.T, database string) peer {
			return startDjango(t.Context(), t, toolOf(t, djangoVariable), database)
		},
		"PocketBase": func(t *testing.T, _ string) peer {
			return startPocketBase(t.Context(), t, toolOf(t, pocketBaseVariable), d)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := postgres.New(t, tinyPostgres)
			p := start(t, database)
			assert.Equal(t, name, p.name)
			assert.Regexp(t, name+` v?[0-9]+\.[0-9]+`, p.about, "it says its version")
			_, plaza := serveApp(t, database, quiet)
			for sc := range peerGoals {
				assert.NoError(t, comparePeers(plaza, []peer{p}, tried(called(sc), 20)), sc)
			}
			_, other := serveApp(t, sqliteWith(t, thousand()), quiet)
			assert.ErrorIs(t, comparePeers(other, []peer{p}, tried(called("A1"), 1)), errUnlike, "other rows are found out")
		})
	}
}

// sqliteWith makes a database with another dataset than the tests' own.
func sqliteWith(t *testing.T, d *dataset) string {
	url := "sqlite:" + filepath.Join(t.TempDir(), "other.db")
	require.NoError(t, fill(t.Context(), url, d))
	return url
}

func TestPeers_are_measured_in_the_same_rounds(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	var order []string
	contenderOf := func(name string, rate float64) contender {
		return contender{name, func(context.Context, load) (measurement, error) {
			order = append(order, name)
			return measurement{rate: rate}, nil
		}}
	}
	o, err := rounds{count: 3}.duel(t.Context(), contenderOf("floor", 100), contenderOf("Plaza", 120), contenderOf("peer", 10))
	require.NoError(t, err)
	assert.Equal(t, []string{"floor", "Plaza", "peer", "Plaza", "peer", "floor", "peer", "floor", "Plaza"}, order)
	assert.Equal(t, []float64{1.2, 1.2, 1.2}, o.ratios)
	require.Len(t, o.peers, 1)
	assert.Equal(t, "peer", o.peers[0].name)
	assert.Equal(t, []float64{10, 10, 10}, o.peers[0].floor)
	assert.Equal(t, []float64{12, 12, 12}, o.peers[0].plaza)
}

func TestWorkers_of_Django_end_with_a_bench_that_is_killed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	cmd, printed := djangoCommand(t, toolOf(t, djangoVariable), postgres.New(t, tinyPostgres)), process.NewAnnouncer(address)
	cmd.Stdout = printed
	p, err := process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	var at string
	select {
	case at = <-printed.Found:
	case <-p.Ended():
		require.NoError(t, p.Wait(0))
	}
	w, err := dial(at)
	require.NoError(t, err)
	defer w.Close()
	_, err = w.ask(tried(called("E"), 1)[0].raw)
	require.NoError(t, err, "a worker runs")
	require.NoError(t, p.Signal(syscall.SIGKILL), "as the kernel does when the bench is killed")
	assert.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", at)
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, patience, 50*time.Millisecond, "a worker still listens")
}

func TestA_peer_that_is_slow_is_measured_for_longer(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	quick := contender{"quick", func(context.Context, load) (measurement, error) { return measurement{rate: 100}, nil }}
	slow := contender{"slow", func(_ context.Context, l load) (measurement, error) {
		if l.time < 3*time.Second {
			return measurement{}, errNothingDone
		}
		return measurement{rate: 1}, nil
	}}
	o, err := rounds{count: 2, load: load{time: time.Second}}.duel(t.Context(), quick, quick, slow)
	require.NoError(t, err)
	assert.Equal(t, []float64{100, 100}, o.peers[0].plaza)
}
