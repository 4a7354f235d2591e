// Package growth tells what Plaza needs for many people. Its figures say what one request of each
// kind takes of each tier; BenchmarkGrowth of test/bench measures them. Its model multiplies them by
// people, and says which machine is the first that cannot be large enough. The program in the folder
// print prints both:
//
//	go run -tags nomsgpack ./test/growth/print -requests 100
//
// The figures are of one machine, the one that they name. Processors of other machines differ by
// a factor that is about the same for all kinds of requests.
package growth

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Figures are what was measured in one run.
type Figures struct {
	Day     string // of the run
	Machine string
	Commit  string
	Dataset string
	Kinds   []Kind
}

// Kind is one kind of request in the mix.
type Kind struct {
	Name, What string
	// Share is how many of a thousand requests are of this kind.
	Share int
	// IsPublic reports whether a CDN may keep the answer: everybody gets the same.
	IsPublic bool
	// Alone is what a request takes with one Postgres, Replicated with a replica beside it.
	Alone, Replicated Cost
}

// Cost is what one request takes, on average.
type Cost struct {
	// Milliseconds of a processor. What background processes of Postgres do is included.
	Plaza, Primary, Replica float64
	// Statements without BEGIN and COMMIT.
	PrimaryStatements, ReplicaStatements float64
	// Bytes between Plaza and its client.
	FromClient, ToClient float64
	// Read is what Plaza reads from databases and files, in bytes.
	Read float64
	// Log is what the primary adds to its write-ahead log, in bytes: replicas receive it.
	Log float64
	// Rows is by how much the database grows, in bytes, and Files by how much the pictures do.
	Rows, Files float64
}

// Read returns the figures of a file.
func Read(path string) (f Figures, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	return f, f.check()
}

var errShares = errors.New("the shares of the kinds of requests are not 1000 in all")

func (f Figures) check() error {
	all := 0
	for _, k := range f.Kinds {
		all += k.Share
	}
	if all != 1000 {
		return fmt.Errorf("%w but %d", errShares, all)
	}
	return nil
}

// Write writes the figures into a file.
func (f Figures) Write(path string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
