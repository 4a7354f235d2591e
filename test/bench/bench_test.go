// Package bench measures Plaza against a floor: a plain server by hand that does
// the same work on the same data. Of most requests it also measures a peer, a server
// in Django REST framework (folder django).
//
// It makes a dataset of its own, the same every time, and loads it into a Postgres
// that it starts, and into SQLite. Plaza, built and run as in production, and the
// floor are processes of their own on that database, and are asked the same by
// connections that cost next to nothing, in turns. Ratios travel from machine to
// machine; absolute figures don't.
//
//	go test -tags nomsgpack,nodynamic -timeout 60m ./test/bench -run '^$' -bench '^BenchmarkPlaza$' -benchtime 1x -scale 1
//
// A floor is worth nothing if it does less, nor is a peer. Thus a test holds every
// answer of theirs against Plaza's, and so does the benchmark before it measures. The floor is asked
// a few scenarios, enough to see what layers, limits and the log take.
//
// A mix of all that clients do is sent at a fixed rate, however long the answers take. What one
// takes counts from when it was due.
package bench

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plaza/test/postgres"
)

var (
	scaleFlag       = flag.Float64("scale", 0.1, "`part` of the whole dataset; 1 is 200,000 users, 1,000,000 publications")
	roundsFlag      = flag.Int("rounds", 5, "`rounds` in which each server is measured once")
	secondsFlag     = flag.Float64("seconds", 0.8, "`seconds` of one measurement")
	mixFlag         = flag.Float64("mix", 10, "`seconds` of each round of the mix at a fixed rate")
	connectionsFlag = flag.Int("connections", 16, "`connections` that ask at once")
	scenariosFlag   = flag.String("scenarios", "", "`names` of scenarios, or size, mix, streams, import, SQLite, by commas (default: all)")
	outFlag         = flag.String("out", "RESULTS.md", "`file` that the results are written to")
	binaryFlag      = flag.String("binary", "", "`path` of the program to measure (default: PLAZA_TEST_PROGRAM, or one that is built)")
)

func TestMain(m *testing.M) {
	if url := os.Getenv(floorOf); url != "" {
		if err := serveFloor(url); err != nil {
			fmt.Fprintln(os.Stderr, "the floor:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	status := postgres.Main(m)
	if all, err := dataDirs(); err == nil {
		_ = os.RemoveAll(all)
	}
	os.Exit(status)
}

// Parts of a run that are no scenarios, as -scenarios calls them: the comparison of
// sizes, the mix of all scenarios, the mix beside streams, the import, and the mix on SQLite.
const (
	sizes    = "size"
	mix      = "mix"
	streams  = "streams"
	imports  = "import"
	onSQLite = "SQLite"
)

func wanted(name string) bool {
	return *scenariosFlag == "" || slices.Contains(strings.Split(*scenariosFlag, ","), name)
}

// BenchmarkPlaza is one run, with -benchtime 1x. It prints its report and writes it
// to the file of -out, and its picture beside it.
func BenchmarkPlaza(b *testing.B) {
	ctx := context.Background()
	r := report{machine: inspect(ctx), began: time.Now(), dataset: newDataset(*scaleFlag)}
	binary := program(ctx, b)
	if *scenariosFlag != onSQLite {
		r.stores = append(r.stores, benchPostgres(ctx, b, binary))
	}
	if wanted(onSQLite) {
		r.stores = append(r.stores, benchSQLite(ctx, b, binary))
	}
	text := r.text()
	fmt.Print("\n", text)
	drawing := strings.TrimSuffix(*outFlag, ".md") + ".svg"
	if err := cmp.Or(os.WriteFile(*outFlag, []byte(text), 0o644), os.WriteFile(drawing, []byte(picture(text)), 0o644)); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(0, "ns/op")
}

// benchedStore is a kind of database, and where one for the dataset, a small one and an
// empty one are.
type benchedStore struct {
	name, version, settings string
	full, small, empty      string
	// tidy lets writers begin alike: without dead rows, and with everybody who has a
	// token seen just now, as noting that is due once a minute, for the first request.
	tidy func() error
}

// Settings of Postgres. As a rule nothing waits for the disk, which would make the
// servers look alike. But the import is compared with COPY on the disk, without a checkpoint.
var (
	forgetful = []string{"fsync=off"}
	lasting   = []string{"fsync=on", "synchronous_commit=on", "checkpoint_timeout=1h"}
)

func postgresIn(ctx context.Context, tb testing.TB, own ...string) benchedStore {
	tb.Helper()
	settings := append([]string{"shared_buffers=1GB", "max_wal_size=8GB", "autovacuum=off"}, own...)
	server := postgres.Start(tb, settings...)
	full := server.URL("postgres")
	if err := cmp.Or(execute(ctx, full, "CREATE DATABASE small"), execute(ctx, full, "CREATE DATABASE blank")); err != nil {
		tb.Fatal(err)
	}
	return benchedStore{
		name: "Postgres", version: postgresVersion(ctx, full), settings: strings.Join(settings, ", "),
		full: full, small: server.URL("small"), empty: server.URL("blank"),
		tidy: func() error {
			return cmp.Or(
				execute(ctx, full, "UPDATE token_uses SET used = now()"),
				execute(ctx, full, "INSERT INTO presence (user_id, seen) SELECT DISTINCT user_id, now() FROM tokens ON CONFLICT (user_id) DO UPDATE "+
					"SET seen = now()"),
				execute(ctx, full, "VACUUM events, event_counts, comments, likes, feed_listings, feed_counters, feed_totals, presence, token_uses, "+
					"search_entries"),
			)
		},
	}
}

// benchPostgres runs all that is wanted over Postgres.
func benchPostgres(ctx context.Context, b *testing.B, binary string) results {
	all := results{benchedStore: postgresIn(ctx, b, forgetful...)}
	if wanted(imports) {
		fmt.Fprintln(os.Stderr, "import")
		row, err := benchImport(ctx, b, binary, postgresIn(ctx, b, lasting...), newFound(*scaleFlag))
		if err != nil {
			b.Fatalf("import: %v", err)
		}
		all.imported = &row
	}
	if *scenariosFlag != imports {
		benchRequests(ctx, b, binary, &all)
	}
	return all
}

// benchRequests runs what asks servers, or the store, about the dataset.
func benchRequests(ctx context.Context, b *testing.B, binary string, all *results) {
	d := newDataset(*scaleFlag)
	all.fill(ctx, b, d)
	plaza := launchPlaza(b, binary, all.full)
	all.rivals = startRivals(ctx, b, all.full)
	for _, sc := range scenarios {
		if !wanted(sc.name) {
			continue
		}
		if err := all.bench(ctx, sc, d, plaza.at); err != nil {
			b.Fatalf("%s: %v", sc.name, err)
		}
	}
	if wanted(sizes) {
		if err := all.benchSizes(ctx, b, binary, d, plaza.at); err != nil {
			b.Fatalf("sizes: %v", err)
		}
	}
	if wanted(mix) {
		all.benchMix(ctx, b, binary, d)
	}
	if wanted(streams) {
		all.benchStreams(ctx, b, binary, d)
	}
}

func (s benchedStore) fill(ctx context.Context, b *testing.B, d *dataset) {
	began := time.Now()
	if err := fill(ctx, s.full, d); err != nil {
		b.Fatalf("%s: %v", s.name, err)
	}
	fmt.Fprintf(os.Stderr, "%s: loaded in %v\n", s.name, time.Since(began).Round(time.Second))
}

// bench measures a scenario, once all servers have shown that they do the same.
func (all *results) bench(ctx context.Context, sc scenario, d *dataset, plaza string) error {
	requests := requestsOf(sc, d, cmp.Or(sc.variety, variety))
	ours, err := sc.ready(plaza, requests)
	if err != nil {
		return err
	}
	var rivals []opponent
	for _, r := range all.rivals {
		if !r.isAsked(sc) {
			continue
		}
		if err := compare(plaza, r.at, sc.some(d, 20)); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		theirs, err := sc.ready(r.at, requests)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		rivals = append(rivals, opponent{sc.contender(r.name, r.at, d, theirs), r.goal(sc)})
	}
	r := asked()
	if sc.isHeavy {
		r.count, r.connections, r.time = min(r.count, 3), min(r.connections, heavyConnections), max(2*time.Second, r.time)
	}
	switch {
	case sc.isWriting:
		r.tidy = all.tidy
	case sc.takesKeys: // so that no presence has to be noted
		if err := all.tidy(); err != nil {
			return err
		}
	}
	measured, err := r.row(ctx, sc.name, sc.what, sc.contender("Plaza", plaza, d, ours), rivals...)
	all.rows = append(all.rows, measured)
	return err
}

// variety is how many different requests a scenario has, unless it says otherwise.
const variety = 4096

// heavyConnections are enough to keep the processors busy with heavy requests.
const heavyConnections = 4

func asked() rounds {
	return rounds{count: *roundsFlag, load: load{
		connections: *connectionsFlag, warmUp: 500 * time.Millisecond, time: time.Duration(*secondsFlag * float64(time.Second)),
	}}
}

func requestsOf(sc scenario, d *dataset, count int) []request {
	all := make([]request, count)
	for i := range all {
		all[i] = sc.request(d, i)
	}
	return all
}

// some are a few requests of the scenario, which were not sent before if they are sent only once.
func (s scenario) some(d *dataset, count int) []request {
	all := requestsOf(s, d, count)
	if s.once {
		for i := range all {
			all[i] = d.next(s)
		}
	}
	return all
}

// contender is asked what the scenario asks.
func (s scenario) contender(name, at string, d *dataset, requests []request) contender {
	if s.once {
		return serverOnce(name, at, func() request { return d.next(s) })
	}
	return server(name, at, requests)
}

// Goals of sizes: the same within a tenth; a deep page costs at most twice as much as page 1.
const (
	sameCost = 0.9
	deepCost = 0.5
)

// benchSizes compares Plaza with itself: where there is a lot, and where there is little.
func (all *results) benchSizes(ctx context.Context, b *testing.B, binary string, d *dataset, plaza string) error {
	little := thousand()
	if err := cmp.Or(all.tidy(), fill(ctx, all.small, little)); err != nil {
		return err
	}
	small := launchPlaza(b, binary, all.small).at
	publications := d.shelves["publication"]
	items := func(d *dataset) string { return thousands(d.publications + d.nodes + d.demands) }
	for _, c := range []struct {
		name, what   string
		lots, little contender
		goal         float64
	}{
		{"page 1 of " + thousands(publications.count(largest)), "page 1 and total_count of a category",
			server("", plaza, []request{page(largest, 1)}),
			server(thousands(publications.count(pinned)), plaza, []request{page(pinned, 1)}), sameCost},
		{"tree of " + items(d), "the tree with meta, by all that the feed has",
			server("", plaza, []request{tree()}), server(items(little), small, []request{tree()}), sameCost},
		{"page " + thousands(d.deepPage()), "a deep page of the largest category",
			server("", plaza, []request{page(largest, d.deepPage())}), server("page 1", plaza, []request{page(largest, 1)}), deepCost},
	} {
		measured, err := asked().row(ctx, c.name, c.what, c.lots, opponent{c.little, c.goal})
		if err != nil {
			return err
		}
		all.rows = append(all.rows, measured)
	}
	return nil
}
