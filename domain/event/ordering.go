package event

import (
	"cmp"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/page"
)

// Key is a property that events can be ordered by.
type Key string

// The keys of EVT-13.
const (
	ByDate    Key = "event_time"
	ByCreated Key = "create_time"
)

// Term is a key with its direction.
type Term struct {
	Key        Key
	Descending bool
}

// String returns the term as clients write it (EVT-13).
func (t Term) String() string {
	if t.Descending {
		return "-" + string(t.Key)
	}
	return string(t.Key)
}

// Ordering is the order of a list, the most significant term first. Events that are
// equal in all terms are ordered by ascending id. The zero Ordering is the latest day
// first, within a day the latest created first.
type Ordering struct{ terms []Term }

var defaultTerms = []Term{{ByDate, true}, {ByCreated, true}}

// errNoKey is the fault of an ordering by something else than a key.
var errNoKey = fault.New(fault.Invalid, "Order by event_time or create_time, with a leading - for descending order.")

// NewOrdering returns the ordering by the terms. Of terms with the same key, the first
// counts. A key other than those of EVT-13 is a fault.
func NewOrdering(terms ...Term) (Ordering, error) {
	var o Ordering
	for _, term := range terms {
		switch {
		case term.Key != ByDate && term.Key != ByCreated:
			return Ordering{}, errNoKey
		case !slices.ContainsFunc(o.terms, func(t Term) bool { return t.Key == term.Key }):
			o.terms = append(o.terms, term)
		}
	}
	return o, nil
}

// Terms returns the terms that precede the id in the order.
func (o Ordering) Terms() []Term {
	if len(o.terms) == 0 {
		return slices.Clone(defaultTerms)
	}
	return slices.Clone(o.terms)
}

// IsDefault reports whether the order is that of the zero Ordering.
func (o Ordering) IsDefault() bool { return slices.Equal(o.Terms(), defaultTerms) }

// Compare orders two events.
func (o Ordering) Compare(a, b State) int {
	for _, t := range o.Terms() {
		c := a.Date.Compare(b.Date)
		if t.Key == ByCreated {
			c = a.Created.Compare(b.Created)
		}
		if t.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a.ID, b.ID)
}

// AtCursor returns the place of the published event in a timeline, whose later pages have lesser cursors (EVT-23).
func (s State) AtCursor() page.Cursor {
	return page.Cursor{Rank: s.Published.UnixMicro(), ID: int64(s.ID)}
}

// AtDay returns the place of the event in a list of the zero Ordering (GEN-18).
func (s State) AtDay() page.Cursor {
	return page.Cursor{Rank: s.Date.Days(), Tie: s.Created.UnixMicro(), ID: -int64(s.ID)}
}

// AtCursor is State.AtCursor.
func (e *Event) AtCursor() page.Cursor { return e.s.AtCursor() }
