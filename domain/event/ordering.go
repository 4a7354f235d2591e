package event

import (
	"cmp"
	"slices"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/text"
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

// Ordering is the order of a list, the most significant term first. Events that are
// equal in all terms are ordered by ascending id. The zero Ordering is the latest day
// first, within a day the latest created first.
type Ordering struct{ terms []Term }

var defaultTerms = []Term{{ByDate, true}, {ByCreated, true}}

// ParseOrdering parses a comma-separated list of keys; a leading minus sign means
// descending. Blank parts and repeated keys are ignored. An unknown name is a fault on
// ordering.
func ParseOrdering(s string) (Ordering, error) {
	var o Ordering
	var wrong fault.Fields
	for part := range strings.SplitSeq(s, ",") {
		part = text.Trim(part)
		name, descending := strings.CutPrefix(part, "-")
		key := Key(name)
		switch {
		case part == "":
		case key != ByDate && key != ByCreated:
			wrong.Add("ordering", "Order by event_time or create_time, with a leading - for descending order.")
			return Ordering{}, wrong.Err()
		case !slices.ContainsFunc(o.terms, func(t Term) bool { return t.Key == key }):
			o.terms = append(o.terms, Term{key, descending})
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
