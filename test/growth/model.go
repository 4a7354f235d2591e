package growth

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Assumptions are what is not measured.
type Assumptions struct {
	Requests float64 // that an active person sends in a day
	Peak     float64 // requests in the busiest second, to those in an average one
	Busy     float64 // the part of its processors that a machine uses in that second
	Hits     float64 // the part of public answers that a CDN has
	Shared   float64 // the part of the primary's work that partitioning by author leaves together
	Factor   float64 // processor time in a distributed engine, to that in Postgres
	Years    float64 // for which everything is kept

	ServerCores   float64 // of a machine with Plaza
	DatabaseCores float64 // of the largest machine with Postgres
	LogRate       float64 // MB a second that a primary can write, and its replicas can replay
	Disk          float64 // TB of the largest machine with Postgres
}

// Usual returns assumptions to begin with.
func Usual() Assumptions {
	return Assumptions{
		Requests: 100, Peak: 3, Busy: 0.5, Hits: 0.9, Shared: 0.3, Factor: 3, Years: 3,
		ServerCores: 8, DatabaseCores: 64, LogRate: 100, Disk: 30,
	}
}

var errAssumption = errors.New("an assumption is out of range")

// Check returns an error unless all assumptions are positive and all parts are at most 1.
func (a Assumptions) Check() error {
	for name, value := range map[string]float64{
		"requests": a.Requests, "peak": a.Peak, "busy": a.Busy, "factor": a.Factor, "years": a.Years, "server-cores": a.ServerCores,
		"database-cores": a.DatabaseCores, "log": a.LogRate, "disk": a.Disk, "shared": a.Shared,
	} {
		if !(value > 0) || math.IsInf(value, 0) {
			return fmt.Errorf("%w: %s must be above 0", errAssumption, name)
		}
	}
	for name, value := range map[string]float64{"busy": a.Busy, "hits": a.Hits, "shared": a.Shared} {
		if !(value >= 0 && value <= 1) {
			return fmt.Errorf("%w: %s must be from 0 to 1", errAssumption, name)
		}
	}
	return nil
}

// Stage is how the tiers are set up. Each stage is the one before, and one thing more.
type Stage int

// Stages, in the order in which they become necessary.
const (
	OneDatabase Stage = iota
	Replicas
	CDN
	Partitions
	Distributed
	stages
)

// String returns the name of the stage.
func (s Stage) String() string {
	return [stages]string{"one Postgres", "replicas", "a CDN for public pages", "partitions by author and month", "a distributed engine"}[s]
}

// perRequest returns what a request of the mix takes of Plaza's machines in the stage, on average.
func (f Figures) perRequest(s Stage, a Assumptions) (sum Cost) {
	for _, k := range f.Kinds {
		c, part := k.Alone, float64(k.Share)/1000
		if s >= Replicas {
			c = k.Replicated
		}
		if s >= CDN && k.IsPublic {
			part *= 1 - a.Hits
		}
		sum.Plaza += part * c.Plaza
		sum.Primary += part * c.Primary
		sum.Replica += part * c.Replica
		sum.PrimaryStatements += part * c.PrimaryStatements
		sum.ReplicaStatements += part * c.ReplicaStatements
		sum.FromClient += part * c.FromClient
		sum.ToClient += part * c.ToClient
		sum.Read += part * c.Read
		sum.Log += part * c.Log
		sum.Rows += part * c.Rows
		sum.Files += part * c.Files
	}
	if s == Distributed {
		sum.Primary, sum.Replica = a.Factor*(sum.Primary+sum.Replica), 0
	}
	return sum
}

// Need is what so many people need.
type Need struct {
	People float64
	Stage  Stage
	Rate   float64 // requests a second in the busiest second
	// Processors, with those that stay idle.
	Plaza, Primary, Replica float64
	// Machines. With partitions, each has a primary. One server more than needed may be away.
	Servers, Primaries, ReplicaMachines int
	PrimaryStatements                   float64 // a second
	Log                                 float64 // MB a second
	ToClients                           float64 // Gbit a second that Plaza sends
	Rows, Files                         float64 // TB, after the years
}

// secondsOfDay are those of a day.
const secondsOfDay = 24 * 60 * 60

// Need returns what so many people need at the stage.
func (f Figures) Need(people float64, s Stage, a Assumptions) Need {
	c := f.perRequest(s, a)
	daily := people * a.Requests
	rate := daily / secondsOfDay * a.Peak
	processors := func(milliseconds float64) float64 { return rate * milliseconds / 1000 / a.Busy }
	const days = 365
	n := Need{
		People: people, Stage: s, Rate: rate,
		Plaza: processors(c.Plaza), Primary: processors(c.Primary), Replica: processors(c.Replica),
		PrimaryStatements: rate * c.PrimaryStatements,
		Log:               rate * c.Log / 1e6, ToClients: rate * c.ToClient * 8 / 1e9,
		Rows: daily * days * a.Years * c.Rows / 1e12, Files: daily * days * a.Years * c.Files / 1e12,
	}
	n.Servers = machines(n.Plaza, a.ServerCores) + 1
	n.Primaries, n.ReplicaMachines = 1, machines(n.Replica, a.DatabaseCores)
	if s >= Partitions {
		n.Primaries = max(machines(n.Primary, a.DatabaseCores), machines(n.Log, a.LogRate), machines(n.Rows, a.Disk))
	}
	return n
}

func machines(need, of float64) int { return max(1, int(math.Ceil(need/of))) }

// Wall is a thing of a stage that cannot be larger, and for how many people it is enough.
type Wall struct {
	People float64 // infinite: it is enough for any number
	What   string
}

// Walls returns those of the stage. A distributed engine has none in this model.
func (f Figures) Walls(s Stage, a Assumptions) []Wall {
	const people = 1e6 // everything grows with them in proportion
	n, part := f.Need(people, s, a), 1.0
	switch s {
	case Partitions:
		part = a.Shared
	case Distributed:
		part = 0
	}
	return []Wall{
		{people * a.DatabaseCores / (n.Primary * part), "processors of the primary"},
		{people * a.LogRate / (n.Log * part), "write-ahead log of the primary"},
		{people * a.Disk / (n.Rows * part), "disk of the primary"},
	}
}

// Wall returns the first wall of the stage.
func (f Figures) Wall(s Stage, a Assumptions) Wall {
	return slices.MinFunc(f.Walls(s, a), func(a, b Wall) int { return cmp.Compare(a.People, b.People) })
}

// higher is how much higher a wall must be to be worth another stage.
const higher = 1.2

// Next returns the first stage after this one that is enough for considerably more people.
func (f Figures) Next(s Stage, a Assumptions) Stage {
	for next := s + 1; next < Distributed; next++ {
		if f.Wall(next, a).People > higher*f.Wall(s, a).People {
			return next
		}
	}
	return Distributed
}

// StageFor returns the first stage that is enough for so many people.
func (f Figures) StageFor(people float64, a Assumptions) Stage {
	for s := range Distributed {
		if f.Wall(s, a).People >= people {
			return s
		}
	}
	return Distributed
}
