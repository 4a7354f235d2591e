package crawl

import (
	"fmt"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/feed"
)

// Plan says what becomes of a batch.
type Plan struct {
	// Ready are the places in the batch of those that can be stored, in an order in
	// which each comes after what it needs.
	Ready []int
	// Missing are, by their places, those that can't be, with what they lack by the
	// fields that name it.
	Missing map[int]fault.Fields
}

// PlanOf plans the batch, of which no two have the same Ref, over what is stored: known
// says what of the batch's needs is, and tree has every stored category with its parent,
// zero for roots.
//
// What waits for itself, be it through others, is missing; so is a category that would
// be above itself.
func PlanOf(batch []Record, known map[Ref]bool, tree map[feed.CategoryID]feed.CategoryID) Plan {
	around := circling(batch, tree)
	p := planner{batch: batch, known: known, at: make(map[Ref]int, len(batch)), state: make([]state, len(batch))}
	for i, r := range batch {
		p.at[r.Ref()] = i
	}
	for i, r := range batch {
		if around[r.Ref()] {
			p.refuse(i, fault.Fields{"parent": {"The parents go around in a circle."}})
		}
	}
	for _, kind := range Kinds() {
		for i, r := range batch {
			if r.Ref().Kind == kind {
				p.visit(i)
			}
		}
	}
	return p.plan
}

// NeedsOf are the references of all needs of the batch, each once.
func NeedsOf(batch []Record) []Ref {
	seen := map[Ref]bool{}
	var refs []Ref
	for _, r := range batch {
		for _, n := range r.Needs() {
			if !seen[n.Ref] {
				seen[n.Ref] = true
				refs = append(refs, n.Ref)
			}
		}
	}
	return refs
}

// circling are the categories of the batch that would be above themselves.
func circling(batch []Record, tree map[feed.CategoryID]feed.CategoryID) map[Ref]bool {
	var shelves []feed.Category
	for _, r := range batch {
		if shelf, is := r.(Shelf); is {
			shelves = append(shelves, shelf.Category)
		}
	}
	around := map[Ref]bool{}
	for _, id := range feed.Circles(tree, shelves) {
		around[NumberRef(Category, id)] = true
	}
	return around
}

type state int

const (
	unseen state = iota
	visiting
	ready
	missing
)

type planner struct {
	batch []Record
	known map[Ref]bool
	at    map[Ref]int
	state []state
	plan  Plan
}

func (p *planner) refuse(i int, wrong fault.Fields) {
	p.state[i] = missing
	if p.plan.Missing == nil {
		p.plan.Missing = map[int]fault.Fields{}
	}
	p.plan.Missing[i] = wrong
}

// visit decides on the record, after those of the batch that it needs. It goes no
// deeper than the longest chain of needs in a batch.
func (p *planner) visit(i int) bool {
	switch p.state[i] {
	case ready:
		return true
	case missing, visiting:
		return false
	}
	p.state[i] = visiting
	var wrong fault.Fields
	for _, n := range p.batch[i].Needs() {
		if !p.has(n.Ref) {
			sentence := fmt.Sprintf("There is no %s %s.", n.Ref.Kind, n.Ref.ID)
			if !slices.Contains(wrong[n.Field], sentence) {
				wrong.Add(n.Field, sentence)
			}
		}
	}
	if len(wrong) > 0 {
		p.refuse(i, wrong)
		return false
	}
	p.state[i] = ready
	p.plan.Ready = append(p.plan.Ready, i)
	return true
}

// has says whether what is needed is stored, or will be by then.
func (p *planner) has(ref Ref) bool {
	at, among := p.at[ref]
	return among && p.visit(at) || p.known[ref]
}
