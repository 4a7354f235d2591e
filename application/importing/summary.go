package importing

import (
	"maps"

	"plaza/domain/imported"
)

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
	Replaced int64                   `json:"replaced"` // waiting lines superseded by a later line of the same record
	Rejected int64                   `json:"rejected"`
	Waiting  int64                   `json:"waiting"` // for records that may be in the unread rest of a damaged file
}

// All returns the sum over all kinds.
func (s Summary) All() Count {
	var sum Count
	for _, c := range s.Kinds {
		sum = sum.plus(c)
	}
	return sum
}

// Records returns the number of records that were stored, replaced or rejected.
func (s Summary) Records() int64 { return s.All().Stored() + s.Replaced + s.Rejected }

func (c Count) plus(d Count) Count {
	return Count{New: c.New + d.New, Changed: c.Changed + d.Changed, Same: c.Same + d.Same}
}

func (s *Summary) add(t Summary) {
	kinds := maps.Clone(s.Kinds)
	if kinds == nil {
		kinds = map[imported.Kind]Count{}
	}
	for kind, c := range t.Kinds {
		kinds[kind] = kinds[kind].plus(c)
	}
	*s = Summary{
		Lines: s.Lines + t.Lines, Kinds: kinds, Replaced: s.Replaced + t.Replaced,
		Rejected: s.Rejected + t.Rejected, Waiting: s.Waiting + t.Waiting,
	}
}

// count adds the results of the lines.
func (s *Summary) count(lines []imported.Line, r imported.BatchResult) {
	if s.Kinds == nil {
		s.Kinds = map[imported.Kind]Count{}
	}
	for n, outcome := range r.Outcomes {
		kind := lines[n].Record.Ref().Kind
		c := s.Kinds[kind]
		switch outcome.Status {
		case imported.New:
			c.New++
		case imported.Changed:
			c.Changed++
		case imported.Same:
			c.Same++
		default:
			continue
		}
		s.Kinds[kind] = c
	}
	s.Replaced += int64(r.Replaced)
}
