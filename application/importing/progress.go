package importing

import (
	"errors"
	"maps"
	"math"
	"slices"

	"plaza/domain/imported"
)

// The kinds that other records refer to, and all others.
var (
	referredKinds = []imported.Kind{imported.User, imported.Category, imported.Bundle}
	otherKinds    = []imported.Kind{imported.Publication, imported.Node, imported.Demand, imported.HowTo, imported.News}
)

// progress is the state that an import needs to resume.
type progress struct {
	Files   []string       `json:"files"`   // their versions
	Rejects []int64        `json:"rejects"` // bytes of the rejects of each file
	Damage  map[int]damage `json:"damage"`  // of the files, by index

	Reading int   `json:"reading"` // the first is 1
	Last    bool  `json:"last"`    // this reading is the last
	File    int   `json:"file"`    // index of the file that is being read
	Line    int64 `json:"line"`    // everything up to this line of it is done
	Layers  int   `json:"layers"`  // layers of categories that are done
	// Waiting bundles were not stored in this reading, WaitingBefore in the reading before.
	Waiting       int64 `json:"waiting"`
	WaitingBefore int64 `json:"waiting_before"`
}

// damage is why a file could not be read to its end.
type damage string

func (d damage) Error() string { return string(d) }

// Is reports whether the error is imported.ErrDamaged.
func (d damage) Is(err error) bool { return err == imported.ErrDamaged }

// damaged returns the damage of all files, or nil.
func (p progress) damaged() error {
	var all []error
	for _, n := range slices.Sorted(maps.Keys(p.Damage)) {
		all = append(all, p.Damage[n])
	}
	return errors.Join(all...)
}

// wanted returns the kinds that the reading stores. Bundles that still wait are rejected in the
// last one.
func (p progress) wanted() []imported.Kind {
	switch {
	case p.Reading == 1:
		return referredKinds
	case !p.Last:
		return []imported.Kind{imported.Bundle}
	case p.WaitingBefore > 0:
		return append([]imported.Kind{imported.Bundle}, otherKinds...)
	}
	return otherKinds
}

// done returns up to which line of the file everything is done.
func (p progress) done(file int) int64 {
	switch {
	case file < p.File:
		return math.MaxInt64
	case file == p.File:
		return p.Line
	}
	return 0
}

// next returns the progress at the beginning of the next reading. If fewer bundles wait than
// before, others may be stored that need them.
func (p progress) next() progress {
	p.Last = p.Waiting == 0 || p.Waiting == p.WaitingBefore
	p.WaitingBefore, p.Waiting = p.Waiting, 0
	p.Reading, p.File, p.Line = p.Reading+1, 0, 0
	return p
}

// Count counts stored records.
type Count struct {
	New     int64 `json:"new"`
	Changed int64 `json:"changed"`
	Same    int64 `json:"unchanged"`
}

// Stored returns the total.
func (c Count) Stored() int64 { return c.New + c.Changed + c.Same }

// Summary counts the lines of an import and their results.
type Summary struct {
	Lines    int64                   `json:"lines"` // lines read, blank ones included
	Kinds    map[imported.Kind]Count `json:"kinds"`
	Replaced int64                   `json:"replaced"` // lines that could not be stored and were superseded by a later one of the same record
	Rejected int64                   `json:"rejected"`
	Waiting  int64                   `json:"waiting"` // for records that may be in the unread rest of a damaged file
	Done     float64                 `json:"-"`       // part of the work that is done, from 0 to 1
}

// All returns the sum over all kinds.
func (s Summary) All() Count {
	var sum Count
	for _, c := range s.Kinds {
		sum = Count{New: sum.New + c.New, Changed: sum.Changed + c.Changed, Same: sum.Same + c.Same}
	}
	return sum
}

// Records returns the number of records that were stored, replaced or rejected.
func (s Summary) Records() int64 { return s.All().Stored() + s.Replaced + s.Rejected }
