package imported

import (
	"fmt"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/feed"
)

// Plan says what becomes of a batch.
type Plan struct {
	// Ready are the places in the batch of those that can be stored, in an order in
	// which each comes after what it needs and is not stored yet.
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
// be above itself. What is ready does not depend on the order of the batch.
func PlanOf(batch []Record, known map[Ref]bool, tree map[feed.CategoryID]feed.CategoryID) Plan {
	p := planner{batch: batch, known: known, at: make(map[Ref]int, len(batch)), around: map[int]bool{}}
	all := make([]int, len(batch))
	for i, r := range batch {
		p.at[r.Ref()] = i
		all[i] = i
	}
	p.noteCircles(all, tree)
	// A category that is not stored after all stays where it is in the tree, if it is
	// there, and may so close a circle that it would have opened.
	for p.decide(); p.noteCircles(p.plan.Ready, tree); {
		p.decide()
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

type state int

const (
	unseen state = iota
	visiting
	ready
	missing
)

type planner struct {
	batch  []Record
	known  map[Ref]bool
	at     map[Ref]int
	around map[int]bool // would be above themselves
	state  []state
	plan   Plan
}

// noteCircles notes those of the categories at the places that would be above themselves, if
// all of them were stored, and says whether there is any.
func (p *planner) noteCircles(places []int, tree map[feed.CategoryID]feed.CategoryID) bool {
	var shelves []feed.Category
	for _, i := range places {
		if shelf, is := p.batch[i].(CategoryRecord); is {
			shelves = append(shelves, shelf.Category)
		}
	}
	circling := feed.Cycles(tree, shelves)
	for _, id := range circling {
		p.around[p.at[NumberRef(Category, id)]] = true
	}
	return len(circling) > 0
}

// decide plans anew.
func (p *planner) decide() {
	p.plan, p.state = Plan{}, make([]state, len(p.batch))
	for i := range p.around {
		p.refuse(i, fault.Fields{"parent": {"The parents go around in a circle."}})
	}
	for _, kind := range Kinds() {
		for i, r := range p.batch {
			if r.Ref().Kind == kind {
				p.visit(i)
			}
		}
	}
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

// has says whether what is needed is stored, or will be by then. What is stored counts
// without its new record: else of two that need each other, the one that is visited
// first would have its way.
func (p *planner) has(ref Ref) bool {
	at, among := p.at[ref]
	return p.known[ref] || among && p.visit(at)
}
