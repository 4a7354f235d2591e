package bench

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/growth"
	"plaza/test/postgres"
)

var figuresFlag = flag.String("figures", "", "`file` for what BenchmarkGrowth measures")

// BenchmarkGrowth measures what each kind of request of the mix takes of Plaza, of Postgres and of a
// replica, and writes it into a file for the package growth:
//
//	go test -tags nomsgpack ./test/bench -run '^$' -bench '^BenchmarkGrowth$' -benchtime 1x -scale 1 -seconds 3 -figures ../growth/figures.json
//
// It counts processor time, so a machine that is busy otherwise changes little.
func BenchmarkGrowth(b *testing.B) {
	if *figuresFlag == "" {
		b.Skip("there is no -figures to write to")
	}
	ctx := context.Background()
	d, on := newDataset(*scaleFlag), inspect(ctx)
	f, err := measureGrowth(ctx, b, program(ctx, b), d, time.Duration(*secondsFlag*float64(time.Second)))
	if err != nil {
		b.Fatal(err)
	}
	f.Day, f.Commit = time.Now().UTC().Format(time.DateOnly), on.commit
	f.Machine = fmt.Sprintf("%s, %d cores, %s of memory.", on.cpu, on.cores, on.memory)
	f.Dataset = fmt.Sprintf("%d users, %d publications, %d demands, %d images, %d events.", d.users, d.publications, d.demands, d.images, d.events)
	if err := f.Write(*figuresFlag); err != nil {
		b.Fatal(err)
	}
}

// publicKinds are the scenarios whose answers everybody gets alike, and again and again.
var publicKinds = map[string]bool{"A": true, "304": true, "C": true}

// countingStatements has Postgres count the statements that it runs.
var countingStatements = []string{"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=off"}

// measureGrowth measures the mix with one Postgres, and then with a replica of it.
func measureGrowth(ctx context.Context, tb testing.TB, binary string, d *dataset, lasting time.Duration) (f growth.Figures, err error) {
	tb.Helper()
	settings := slices.Concat(usualSettings, forgetful, countingStatements)
	server := postgres.Start(tb, settings...)
	s := postgresOn(ctx, tb, server, settings)
	if err := fill(ctx, s.full, d); err != nil {
		return f, err
	}
	if err := execute(ctx, s.full, "CREATE EXTENSION pg_stat_statements"); err != nil {
		return f, err
	}
	standby := server.Standby(tb, settings...)
	alone := watched{benchedStore: s, plaza: plazaCommand(tb, binary, s.full, "127.0.0.1:0")}
	if alone.rowSizes, err = rowSizes(ctx, s.full); err != nil {
		return f, err
	}
	beside := alone
	beside.replica, beside.plaza = standby.URL("postgres"), plazaCommand(tb, binary, s.full, "127.0.0.1:0")
	beside.plaza.Env = append(beside.plaza.Env, "PLAZA_DATABASE_REPLICA_URLS="+beside.replica)
	for _, part := range mixture {
		sc := called(part.scenario)
		f.Kinds = append(f.Kinds, growth.Kind{Name: sc.name, What: sc.what, Share: part.share, IsPublic: publicKinds[sc.name]})
	}
	for _, w := range []struct {
		*watched
		into func(*growth.Kind) *growth.Cost
	}{
		{&alone, func(k *growth.Kind) *growth.Cost { return &k.Alone }},
		{&beside, func(k *growth.Kind) *growth.Cost { return &k.Replicated }},
	} {
		if err := w.open(ctx, tb); err != nil {
			return f, err
		}
		for i, k := range f.Kinds {
			cost, err := w.cost(ctx, called(k.Name), d, lasting)
			if err != nil {
				return f, fmt.Errorf("%s: %w", k.Name, err)
			}
			*w.into(&f.Kinds[i]) = cost
			fmt.Fprintf(os.Stderr, "%s: %+v\n", k.Name, cost)
		}
	}
	return f, nil
}

// growthConnections are few, so that no request waits for long.
const growthConnections = 4

// cost returns what a request of the scenario takes on average.
func (w *watched) cost(ctx context.Context, sc scenario, d *dataset, lasting time.Duration) (c growth.Cost, err error) {
	if err := w.tidy(); err != nil {
		return c, err
	}
	requests, err := sc.ready(w.at, requestsOf(sc, d, min(sc.kinds(), mixVariety)))
	if err != nil {
		return c, err
	}
	l := load{requests: requests, connections: growthConnections, time: lasting / 5}
	if sc.once {
		l.next = func() request { return d.next(sc) }
	}
	if _, err = loaded(ctx, l, w.at); err != nil { // warms up
		return c, err
	}
	rows, err := rowCounts(ctx, w.full)
	if err == nil && w.replica != "" {
		err = w.awaitReplica(ctx) // a busy machine may have made it slow
	}
	if err != nil {
		return c, err
	}
	before, err := w.used(ctx)
	if err != nil {
		return c, err
	}
	l.time = lasting
	sent, err := loaded(ctx, l, w.at)
	if err != nil {
		return c, err
	}
	after, err := w.used(ctx)
	if err != nil {
		return c, err
	}
	c = after.since(before, sent)
	more, err := rowCounts(ctx, w.full)
	for table, n := range more {
		c.Rows += float64(n-rows[table]) * w.rowSizes[table] / float64(sent.requests.Load())
	}
	return c, err
}

// traffic is what went over the connections of clients.
type traffic struct{ requests, toServer, toClients atomic.Int64 }

// metered counts what goes over a connection.
type metered struct {
	net.Conn
	*traffic
}

func (c metered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.toClients.Add(int64(n))
	return n, err
}

func (c metered) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.toServer.Add(int64(n))
	return n, err
}

// loaded puts the server under the load, and counts all of it.
func loaded(ctx context.Context, l load, at string) (*traffic, error) {
	all := &traffic{}
	_, err := l.together(ctx, func(n int, repeat func(func() error) error) error {
		w, err := dial(at)
		if err != nil {
			return err
		}
		defer w.Close()
		w.conn = metered{w.conn, all}
		w.in = bufio.NewReaderSize(w.conn, 64<<10)
		s := sender{wire: w}
		i := n * len(l.requests) / l.connections
		return repeat(func() error {
			q := l.requests[i%len(l.requests)]
			if l.next != nil {
				q = l.next()
			}
			i++
			all.requests.Add(1)
			return s.send(q)
		})
	})
	if errors.Is(err, errNothingDone) && all.requests.Load() > 0 {
		err = nil
	}
	return all, err
}

func TestGrowth_is_measured_for_each_kind_of_request(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	f, err := measureGrowth(t.Context(), t, program(t.Context(), t), newDataset(tiny), 250*time.Millisecond)
	require.NoError(t, err)
	require.Len(t, f.Kinds, len(mixture))
	for _, k := range f.Kinds {
		for _, c := range []growth.Cost{k.Alone, k.Replicated} {
			assert.Positive(t, c.FromClient, k.Name)
			assert.Positive(t, c.ToClient, k.Name)
			assert.Positive(t, c.Read, k.Name)
			assert.Positive(t, c.PrimaryStatements, k.Name)
		}
		assert.Zero(t, k.Alone.ReplicaStatements, k.Name)
		switch k.Name {
		case "E", "feed": // replicas answer people and publications
			assert.Positive(t, k.Replicated.ReplicaStatements, k.Name)
			assert.Less(t, k.Replicated.PrimaryStatements, k.Alone.PrimaryStatements, k.Name)
		case "comment":
			assert.Greater(t, k.Alone.Rows, 50.0, "a comment is a row")
			assert.Greater(t, k.Alone.Log, 100.0)
			assert.Greater(t, k.Replicated.PrimaryStatements, k.Alone.PrimaryStatements, "a write counts itself for replicas")
		case "upload":
			assert.Greater(t, k.Alone.Files, 10_000.0)
		case "A", "C":
			assert.True(t, k.IsPublic)
			assert.Zero(t, k.Alone.Rows)
		}
	}
	assert.True(t, strings.Contains(f.Report(growth.Usual(), 1e6), "1.0 million"))
}
