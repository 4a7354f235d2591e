package importing

import (
	"maps"

	"plaza/domain/imported"
)

// Count says what became of records.
type Count struct {
	New     int64 `json:"new"`
	Changed int64 `json:"changed"`
	Same    int64 `json:"unchanged"`
}

// Stored is how many there are.
func (c Count) Stored() int64 { return c.New + c.Changed + c.Same }

// Summary says what became of lines.
type Summary struct {
	Lines    int64                   `json:"lines"` // that were read, blank ones included
	Kinds    map[imported.Kind]Count `json:"kinds"`
	Replaced int64                   `json:"replaced"` // waited, until a later line of the same record was stored
	Rejected int64                   `json:"rejected"`
	Waiting  int64                   `json:"waiting"` // for what a damaged file, or one that was not read to its end, may yet have
}

// All sums the kinds up.
func (s Summary) All() Count {
	var sum Count
	for _, c := range s.Kinds {
		sum = sum.plus(c)
	}
	return sum
}

// Records is how many records something has become of.
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

// count adds what became of the lines that were delivered.
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
