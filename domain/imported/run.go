package imported

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/page"
)

// RunID numbers runs of imports.
type RunID int64

// RunState is whether a run of an import has ended, and how.
type RunState string

const (
	RunUnfinished  RunState = "unfinished"  // it reads still, or was killed: then the same command resumes it
	RunCompleted   RunState = "completed"   // it has read all files to their ends
	RunInterrupted RunState = "interrupted" // the same command resumes it
	RunFailed      RunState = "failed"      // a file is damaged, or storing failed
)

// RunStates returns every state of a run.
func RunStates() []RunState {
	return []RunState{RunUnfinished, RunCompleted, RunInterrupted, RunFailed}
}

// Run is a run of an import.
type Run struct {
	ID           RunID
	State        RunState
	Began, Ended time.Time // Ended is zero until it has
	RunCounts
}

// RunFilter selects runs.
type RunFilter struct {
	State       RunState // empty: any
	IsRejecting bool     // only those of which rejected lines are stored
	page.Span            // of when they began
}

// RunCounts are what a run has read, and what became of it.
type RunCounts struct {
	Files              []string // their names for people
	Lines              int64    // blank ones included
	New, Changed, Same int64    // records that were stored
	Replaced, Rejected int64    // lines that were superseded by later ones, or could not be stored
}

// MaxRejects is how many rejected lines are stored of a run. The files of rejects have all of them.
const MaxRejects = 1000

// RejectedLine tells why a line was rejected, without the line, which may be about a person.
type RejectedLine struct {
	File   string // its name for people
	Line   int64
	Reason string       // a sentence about the whole line; empty: Fields say everything
	Fields fault.Fields // sentences about single fields
}

var ErrNoRun = fault.New(fault.NotFound, "Import not found.")
