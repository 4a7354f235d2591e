package growth

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// even are figures that are easy to multiply. Half of the requests read what is public.
var even = Figures{
	Day: "2026-11-23", Machine: "A machine.", Commit: "1234567", Dataset: "Some rows.",
	Kinds: []Kind{
		{Name: "page", What: "a page", Share: 500, IsPublic: true,
			Alone:      Cost{Plaza: 2, Primary: 4, PrimaryStatements: 2, ToClient: 1000},
			Replicated: Cost{Plaza: 2, Primary: 1, Replica: 3, PrimaryStatements: 1, ReplicaStatements: 2, ToClient: 1000}},
		{Name: "write", What: "a write", Share: 500,
			Alone:      Cost{Plaza: 2, Primary: 4, PrimaryStatements: 4, Log: 2000, Rows: 200, Files: 100},
			Replicated: Cost{Plaza: 4, Primary: 4, Replica: 1, PrimaryStatements: 5, Log: 2000, Rows: 200, Files: 100}},
	},
}

// plain are assumptions by which a million people send a thousand requests a second, at any time.
var plain = Assumptions{
	Requests: 86.4, Peak: 1, Busy: 0.5, Hits: 0.9, Shared: 0.25, Factor: 2, Years: 1,
	ServerCores: 4, DatabaseCores: 16, LogRate: 10, Disk: 1e3,
}

func TestNeedsAreThePeoplesTimesTheCost(t *testing.T) {
	one := even.Need(1e6, OneDatabase, plain)
	assert.InDelta(t, 1000, one.Rate, 1e-9)
	assert.InDelta(t, 4, one.Plaza, 1e-9, "2 ms, and half of each processor is idle")
	assert.InDelta(t, 8, one.Primary, 1e-9)
	assert.Zero(t, one.Replica)
	assert.Equal(t, 2, one.Servers, "one may be away")
	assert.Equal(t, 1, one.Primaries)
	assert.InDelta(t, 3000, one.PrimaryStatements, 1e-9)
	assert.InDelta(t, 1, one.Log, 1e-9)
	assert.InDelta(t, 0.004, one.ToClients, 1e-9)
	assert.InDelta(t, 86.4e6*365*100/1e12, one.Rows, 1e-9)
	assert.InDelta(t, one.Rows/2, one.Files, 1e-9)

	two := even.Need(1e6, Replicas, plain)
	assert.InDelta(t, 6, two.Plaza, 1e-9)
	assert.InDelta(t, 5, two.Primary, 1e-9)
	assert.InDelta(t, 4, two.Replica, 1e-9)

	three := even.Need(1e6, CDN, plain)
	assert.InDelta(t, 2*(0.05*2+0.5*4), three.Plaza, 1e-9, "one page in ten reaches Plaza")
	assert.InDelta(t, 2*(0.05+2), three.Primary, 1e-9)
	assert.InDelta(t, 2*(0.05*3+0.5), three.Replica, 1e-9)
	assert.InDelta(t, two.Log, three.Log, 1e-9, "writes are as many")

	four := even.Need(1e8, Partitions, plain)
	assert.Equal(t, 26, four.Primaries, "410 processors of 16 each")
	five := even.Need(1e6, Distributed, plain)
	assert.InDelta(t, 2*(three.Primary+three.Replica), five.Primary, 1e-9)
	assert.Zero(t, five.Replica)

	later := plain
	later.Peak = 3
	assert.InDelta(t, 3*one.Primary, even.Need(1e6, OneDatabase, later).Primary, 1e-9)
	assert.InDelta(t, one.Rows, even.Need(1e6, OneDatabase, later).Rows, 1e-9, "rows do not depend on when they are written")
}

func TestWallsAreWhatIsReachedFirst(t *testing.T) {
	const processors = "processors of the primary"
	for stage, want := range map[Stage]Wall{
		OneDatabase: {2e6, processors}, Replicas: {3.2e6, processors}, CDN: {16 / 4.1 * 1e6, processors},
		Partitions: {16 / 4.1 * 4e6, processors},
	} {
		got := even.Wall(stage, plain)
		assert.Equal(t, want.What, got.What, stage)
		assert.InDelta(t, want.People, got.People, 1, stage)
		need := even.Need(got.People, min(stage, CDN), plain)
		if stage < Partitions {
			assert.InDelta(t, plain.DatabaseCores, need.Primary, 1e-6, "%v: so many people need all of the machine", stage)
		}
	}
	assert.True(t, math.IsInf(even.Wall(Distributed, plain).People, 1))

	narrow := plain
	narrow.LogRate = 1.5
	assert.Equal(t, Wall{1.5e6, "write-ahead log of the primary"}, even.Wall(OneDatabase, narrow))
	narrow = plain
	narrow.Disk = even.Need(1e6, OneDatabase, plain).Rows
	assert.Equal(t, "disk of the primary", even.Wall(Replicas, narrow).What)
	assert.Equal(t, Partitions, even.Next(OneDatabase, narrow), "neither replicas nor a CDN make the disk larger")
	assert.Equal(t, Replicas, even.Next(OneDatabase, plain))
	assert.Equal(t, Distributed, even.Next(Partitions, plain))
}

func TestStagesAreTheFirstThatAreEnough(t *testing.T) {
	for people, want := range map[float64]Stage{
		1e6: OneDatabase, 2e6: OneDatabase, 2.1e6: Replicas, 3.5e6: CDN, 1e7: Partitions, 1e8: Distributed,
	} {
		assert.Equal(t, want, even.StageFor(people, plain), people)
	}
}

func TestAssumptionsAreChecked(t *testing.T) {
	require.NoError(t, Usual().Check())
	for name, change := range map[string]func(*Assumptions){
		"requests": func(a *Assumptions) { a.Requests = 0 },
		"busy":     func(a *Assumptions) { a.Busy = 1.1 },
		"hits":     func(a *Assumptions) { a.Hits = -0.1 },
		"shared":   func(a *Assumptions) { a.Shared = math.NaN() },
		"disk":     func(a *Assumptions) { a.Disk = math.Inf(1) },
	} {
		a := Usual()
		change(&a)
		assert.ErrorContains(t, a.Check(), name+" must be")
	}
}

func TestFiguresAreReadAsTheyWereWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.json")
	require.NoError(t, even.Write(path))
	got, err := Read(path)
	require.NoError(t, err)
	assert.Equal(t, even, got)

	few := even
	few.Kinds = few.Kinds[:1]
	require.NoError(t, few.Write(path))
	_, err = Read(path)
	assert.ErrorIs(t, err, errShares)
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err = Read(path)
	assert.ErrorContains(t, err, path)
}

func TestReportsTellNeedsAndWalls(t *testing.T) {
	text := even.Report(plain, 1e6, 1e7)
	for _, line := range []string{
		"Measured on 2026-11-23, commit 1234567. A machine. Some rows.",
		"| a page | 500 | 2.0 ms | 4.0 ms | 2.0 | 1.0 ms | 3.0 ms | 1.0 kB | 0 | 0, 0 |",
		"| Active people | 1.0 million | 10 million |",
		"| Set up with | one Postgres | partitions by author and month |",
		"| Requests a second, at the peak | 1,000 | 10,000 |",
		"| Primaries: processors, machines | 8.0, 1 | 41, 3 |",
		"| Replicas: processors, machines | – | 13, 1 |",
		"| one Postgres | **2.0 million** | 10 million | 317 million | replicas |",
		"| partitions by author and month | **16 million** | 40 million | 1268 million | a distributed engine |",
	} {
		assert.Contains(t, text, line)
	}
}

func TestNumbersAreShort(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 0.0123: "0.01", 0.5: "0.5", 9.94: "9.9", 9.96: "10", 149.6: "150", 999.6: "1,000", 1234: "1,200", 347_222: "347,200",
		1_500_000: "1.5 million", 100_000_000: "100 million", math.Inf(1): "any number",
	} {
		assert.Equal(t, want, short(n), n)
	}
	assert.Equal(t, "1.2 kB", size(1234))
	assert.Equal(t, "42 B", size(42))
	assert.Equal(t, "0", size(-3))
}

// TestKeptFiguresCanBeRead reads those that the chapter of ARCHITECTURE.md was made from.
func TestKeptFiguresCanBeRead(t *testing.T) {
	f, err := Read("figures.json")
	require.NoError(t, err)
	for _, k := range f.Kinds {
		assert.Positive(t, k.Alone.Plaza, k.Name)
		assert.Positive(t, k.Alone.Primary, k.Name)
		assert.Positive(t, k.Replicated.Primary, k.Name)
	}
}
