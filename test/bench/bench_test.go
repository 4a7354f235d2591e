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
// answer of theirs against Plaza's, and so does the benchmark before it measures. Where a floor would be the same library
// calls as Plaza, Plaza is measured alone.
//
// A mix of all that clients do is sent at a fixed rate, however long the answers take. What one
// takes counts from when it was due.
//
// One table is of the store alone, which this process opens itself: how many
// writers fare in one category against a bare insert.
package bench

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/url"
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
	scenariosFlag   = flag.String("scenarios", "",
		"`names` of scenarios, with commas, or size, mix, circle, W, W1, import, SQLite (default: all)")
	outFlag    = flag.String("out", "RESULTS.md", "`file` that the results are written to")
	binaryFlag = flag.String("binary", "", "`path` of the program to measure (default: PLAZA_TEST_PROGRAM, or one that is built)")
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
// sizes, and the mix of all scenarios.
const (
	sizes = "size"
	mix   = "mix"
)

func wanted(name string) bool {
	return *scenariosFlag == "" || slices.Contains(strings.Split(*scenariosFlag, ","), name)
}

// BenchmarkPlaza is one run, with -benchtime 1x. It prints its report and writes it
// to the file of -out, and its picture beside it.
func BenchmarkPlaza(b *testing.B) {
	ctx := context.Background()
	r := report{machine: inspect(ctx), began: time.Now(), dataset: newDataset(*scaleFlag), scale: *scaleFlag}
	binary := program(ctx, b)
	if *scenariosFlag != onSQLite {
		r.stores = append(r.stores, benchStore(ctx, b, binary, postgresIn(ctx, b, forgetful...)))
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
	for _, s := range r.stores {
		for _, row := range slices.Concat(s.rows, s.writers) {
			b.ReportMetric(row.ratio(), s.name+"-"+row.name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// benchedStore is a kind of database, and where one for the dataset and a small
// one are.
type benchedStore struct {
	name, version, settings string
	full, small             string
	copied                  string // empty
	folder                  string // on the disk of the full one
	// tidy lets writers begin alike: without dead rows, and with everybody who has a
	// token seen just now, as noting that is due once a minute, for the first request.
	tidy func() error
	// durable makes another such database, where commits wait for the disk; nil: here
	// they do.
	durable func() benchedStore
	// empty makes databases with nothing in them, where commits wait for the disk.
	empty func() benchedStore
}

// Settings of Postgres. As a rule nothing waits for the disk, which would make the
// servers look alike. But writers are in each other's way for as long as a commit
// takes: theirs are on the disk, and no checkpoint comes between their rounds.
var (
	forgetful = []string{"fsync=off"}
	lasting   = []string{"fsync=on", "synchronous_commit=on", "checkpoint_timeout=1h"}
)

// usualSettings are those of every Postgres here.
var usualSettings = []string{"shared_buffers=1GB", "max_wal_size=8GB", "autovacuum=off"}

func postgresIn(ctx context.Context, tb testing.TB, own ...string) benchedStore {
	settings := slices.Concat(usualSettings, own)
	return postgresOn(ctx, tb, postgres.Start(tb, settings...), settings)
}

// postgresOn is a Postgres that runs, with its settings.
func postgresOn(ctx context.Context, tb testing.TB, server *postgres.Server, settings []string) benchedStore {
	full, small, copied := server.URL("postgres"), "small", "copied"
	if err := cmp.Or(execute(ctx, full, "CREATE DATABASE "+small), execute(ctx, full, "CREATE DATABASE "+copied)); err != nil {
		tb.Fatal(err)
	}
	return benchedStore{
		name: "Postgres", version: postgresVersion(ctx, full), settings: strings.Join(settings, ", "),
		full: full, small: server.URL(small), copied: server.URL(copied), folder: folderOf(full),
		tidy: func() error {
			return cmp.Or(
				execute(ctx, full, "UPDATE token_uses SET used = now()"),
				execute(ctx, full, "INSERT INTO presence (user_id, seen) SELECT DISTINCT user_id, now() FROM tokens ON CONFLICT (user_id) DO UPDATE "+
					"SET seen = now()"),
				execute(ctx, full, "VACUUM events, event_counts, comments, likes, feed_listings, feed_counters, feed_totals, presence, token_uses"),
			)
		},
		durable: func() benchedStore { return postgresIn(ctx, tb, lasting...) },
		empty:   func() benchedStore { return postgresIn(ctx, tb, lasting...) },
	}
}

// benchStore runs all that is wanted over one kind of database.
func benchStore(ctx context.Context, b *testing.B, binary string, s benchedStore) results {
	all := results{benchedStore: s}
	if wanted(imports) {
		benchImports(ctx, b, binary, &all)
	}
	if *scenariosFlag != imports {
		benchRequests(ctx, b, binary, &all)
	}
	return all
}

func benchImports(ctx context.Context, b *testing.B, binary string, all *results) {
	into := all.empty()
	fmt.Fprintf(os.Stderr, "%s, import\n", all.name)
	row, err := benchImport(ctx, b, binary, into, newFound(*scaleFlag))
	if err != nil {
		b.Fatalf("%s, import: %v", all.name, err)
	}
	all.imported, all.importedOn = &row, into.settings
}

// benchRequests runs what asks servers, or the store, about the dataset.
func benchRequests(ctx context.Context, b *testing.B, binary string, all *results) {
	s, d := all.benchedStore, newDataset(*scaleFlag)
	s.fill(ctx, b, d)
	plaza, floor := launchPlaza(b, binary, s.full), startFloor(b, s.full)
	all.peers = append(startDjangos(ctx, b, s), startVariants(b, s.full)...)
	for _, sc := range scenarios {
		if !wanted(sc.name) {
			continue
		}
		if err := all.bench(ctx, sc, d, plaza, floor); err != nil {
			b.Fatalf("%s, %s: %v", s.name, sc.name, err)
		}
	}
	if wanted(sizes) {
		var err error
		if all.sizes, err = benchSizes(ctx, b, binary, s, d, plaza.at); err != nil {
			b.Fatalf("%s, sizes: %v", s.name, err)
		}
	}
	benchMixAndCircle(ctx, b, binary, all, d)
	if slices.ContainsFunc(crowds, func(w crowd) bool { return wanted(w.name) }) {
		benchDurably(ctx, b, all, d)
	}
}

// benchMixAndCircle starts a server of its own, to see how much it takes by itself.
func benchMixAndCircle(ctx context.Context, b *testing.B, binary string, all *results, d *dataset) {
	s := all.benchedStore
	if wanted(mix) || s.name == onSQLite {
		programs := append([]peer{{running: launchPlaza(b, binary, s.full)}}, startVariants(b, s.full)...)
		var err error
		if all.mixes, err = benchMix(ctx, s, programs, d, time.Duration(*mixFlag*float64(time.Second))); err != nil {
			b.Fatalf("%s, mix: %v", s.name, err)
		}
	}
	if wanted(circled) || s.name == onSQLite {
		var err error
		if all.circle, err = benchCircle(ctx, s); err != nil {
			b.Fatalf("%s, circle: %v", s.name, err)
		}
	}
}

// bench measures the scenario against the floor, or alone if the scenario has no floor.
func (all *results) bench(ctx context.Context, sc scenario, d *dataset, plaza running, floor string) error {
	fmt.Fprintf(os.Stderr, "%s, %s: %s\n", all.name, sc.name, sc.what)
	if sc.alone != "" {
		requests, err := sc.ready(plaza.at, requestsOf(sc, d, sc.kinds()))
		if err != nil {
			return err
		}
		measured, err := asked().heavier().solo(ctx, sc.contender("Plaza", plaza.at, d, requests))
		all.alone = append(all.alone, aloneRow{sc, measured})
		return err
	}
	r, err := bout(ctx, all.benchedStore, sc, d, plaza.at, floor, all.peers)
	if err != nil {
		return err
	}
	all.rows = append(all.rows, r)
	return err
}

// benchDurably comes last: the bare insert leaves events that are counted nowhere.
func benchDurably(ctx context.Context, b *testing.B, all *results, d *dataset) {
	s := all.benchedStore
	if s.durable != nil {
		s = s.durable()
		s.fill(ctx, b, d)
	}
	flush, err := flushing(s.folder)
	if err == nil {
		all.writers, all.counted, err = benchWriters(ctx, s, d, asked())
	}
	if err != nil {
		b.Fatalf("%s, writers: %v", s.name, err)
	}
	all.lasting, all.flush = s.settings, flush
}

// folderOf is the folder of a server that test/postgres has started, in which its socket is.
func folderOf(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		panic(err) // test/postgres has made it
	}
	return u.Query().Get("host")
}

func (s benchedStore) fill(ctx context.Context, b *testing.B, d *dataset) {
	began := time.Now()
	if err := fill(ctx, s.full, d); err != nil {
		b.Fatalf("%s: %v", s.name, err)
	}
	fmt.Fprintf(os.Stderr, "%s: loaded in %v\n", s.name, time.Since(began).Round(time.Second))
}

// variety is how many different requests a scenario has, unless it says otherwise.
const variety = 4096

func (s scenario) kinds() int { return cmp.Or(s.variety, variety) }

// contender is asked what the scenario asks.
func (s scenario) contender(name, at string, d *dataset, requests []request) contender {
	if s.once {
		return serverOnce(name, at, func() request { return d.next(s) })
	}
	return server(name, at, requests)
}

func requestsOf(sc scenario, d *dataset, count int) []request {
	all := make([]request, count)
	for i := range all {
		all[i] = sc.request(d, i)
	}
	return all
}

func asked() rounds {
	return rounds{count: *roundsFlag, load: load{
		connections: *connectionsFlag, warmUp: 200 * time.Millisecond, time: time.Duration(*secondsFlag * float64(time.Second)),
	}}
}

// heavyConnections are enough to keep the processors busy with heavy requests.
const heavyConnections = 4

// heavier is for requests that take tens of milliseconds of a processor: fewer rounds, and longer
// ones, of fewer connections.
func (r rounds) heavier() rounds {
	r.count, r.connections = min(r.count, 3), min(r.connections, heavyConnections)
	r.time = max(2*time.Second, r.time)
	return r
}

// bout measures a scenario, once all servers have shown that they do the same.
func bout(ctx context.Context, s benchedStore, sc scenario, d *dataset, plaza, floor string, peers []peer) (row, error) {
	requests := requestsOf(sc, d, sc.kinds())
	ours, theirs, err := sc.prepare(requests, d, plaza, floor)
	if err != nil {
		return row{}, err
	}
	others, err := peersOf(sc, d, plaza, peers, requests)
	if err != nil {
		return row{}, err
	}
	r := asked()
	if sc.isHeavy {
		r = r.heavier()
	}
	switch {
	case sc.isWriting:
		r.tidy = s.tidy
	case sc.takesKeys: // so that no presence has to be noted
		if err := s.tidy(); err != nil {
			return row{}, err
		}
	}
	o, err := r.duel(ctx, sc.contender("floor", floor, d, theirs), sc.contender("Plaza", plaza, d, ours), others...)
	return row{scenario: sc, outcome: o}, err
}

// prepare returns the requests as they are sent to Plaza and to the floor, once both have
// shown that they do the same.
func (s scenario) prepare(requests []request, d *dataset, plaza, floor string) (ours, theirs []request, err error) {
	some := slices.Clone(requests[:min(20, len(requests))])
	if s.once {
		for i := range some {
			some[i] = d.next(s)
		}
	}
	if err := compare(plaza, floor, some); err != nil {
		return nil, nil, err
	}
	if !s.conditional {
		return requests, requests, nil
	}
	if ours, err = having(plaza, requests); err != nil {
		return nil, nil, err
	}
	theirs, err = having(floor, requests)
	return ours, theirs, err
}

// benchSizes compares Plaza with itself: where there is little, and where there is
// a lot.
func benchSizes(ctx context.Context, b *testing.B, binary string, s benchedStore, d *dataset, plaza string) ([]sizeRow, error) {
	little := thousand()
	if err := cmp.Or(s.tidy(), fill(ctx, s.small, little)); err != nil {
		return nil, err
	}
	small := startPlaza(b, binary, s.small)
	publications := d.shelves["publication"]
	rows := []sizeRow{
		{what: "page 1 and total_count, of so many publications in the category", goal: sameCost,
			little: publications.count(pinned), lots: publications.count(largest)},
		{what: "the tree with meta, of so many things in the feed", goal: sameCost,
			little: little.publications + little.nodes + little.demands, lots: d.publications + d.nodes + d.demands},
		{what: "page 1 and a deep page of the largest category, by their numbers", goal: deepCost, little: 1, lots: d.deepPage()},
	}
	contenders := [][2]contender{
		{server("little", plaza, []request{page(pinned, 1)}), server("a lot", plaza, []request{page(largest, 1)})},
		{server("little", small, []request{tree()}), server("a lot", plaza, []request{tree()})},
		{server("page 1", plaza, []request{page(largest, 1)}), server("deep", plaza, []request{page(largest, d.deepPage())})},
	}
	for i, pair := range contenders {
		fmt.Fprintf(os.Stderr, "%s, sizes: %s\n", s.name, rows[i].what)
		var err error
		if rows[i].outcome, err = asked().duel(ctx, pair[0], pair[1]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
