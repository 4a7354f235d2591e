package importing

import "plaza/domain/imported"

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
