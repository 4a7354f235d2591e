package imported

import (
	"fmt"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/user"
)

// Plan divides a batch into records that can be stored and records that cannot.
type Plan struct {
	// Ready are the indexes of the records that can be stored, each after the records of
	// the batch that it needs.
	Ready []int
	// Missing are the records that cannot be stored, by index, with the problems of the
	// fields that name the missing records.
	Missing map[int]fault.Fields
}

// PlanOf plans the batch, in which no two records have the same Ref. Known holds the
// needs of the batch that are stored. Tree maps every stored category to its parent,
// zero for roots.
//
// A record that needs itself, directly or through others, is missing. So is a category
// that would be its own ancestor. The set of ready records does not depend on the order
// of the batch.
func PlanOf(batch []Record, known map[Ref]bool, tree map[feed.CategoryID]feed.CategoryID) Plan {
	p := planner{batch: batch, known: known, at: make(map[Ref]int, len(batch)), cyclic: map[int]bool{}}
	all := make([]int, len(batch))
	for i, r := range batch {
		p.at[r.Ref()] = i
		all[i] = i
	}
	p.noteCycles(all, tree)
	// A rejected category keeps its stored parent, which may itself close a cycle.
	// Repeat until no cycle is found.
	for p.decide(); p.noteCycles(p.plan.Ready, tree); {
		p.decide()
	}
	return p.plan
}

// Decide returns the outcomes of the records that cannot be stored, and the indexes of the others in
// the order of PlanOf. A user must have no problem with the accounts: the user's own and the one that
// has the phone number; nil means no account. Of users with one phone number the first takes it.
func Decide(
	batch []Record, accounts func(UserRecord) (own, holder *ExistingAccount), known map[Ref]bool, tree map[feed.CategoryID]feed.CategoryID,
) (ready []int, outcomes []Outcome) {
	outcomes = make([]Outcome, len(batch))
	var rest []Record
	var places []int
	taken := map[user.Phone]*ExistingAccount{}
	for i, record := range batch {
		if u, is := record.(UserRecord); is {
			own, holder := accounts(u)
			if of := taken[u.Phone]; of != nil {
				holder = of
			}
			if wrong := u.Problem(own, holder); wrong != nil {
				outcomes[i] = Outcome{Status: Refused, Wrong: wrong}
				continue
			}
			taken[u.Phone] = &ExistingAccount{Source: u.Source, Phone: u.Phone}
		}
		rest, places = append(rest, record), append(places, i)
	}
	plan := PlanOf(rest, known, tree)
	for i, wrong := range plan.Missing {
		outcomes[places[i]] = Outcome{Status: Waits, Wrong: wrong}
	}
	for _, i := range plan.Ready {
		ready = append(ready, places[i])
	}
	return ready, outcomes
}

// NeedsOf returns the references of all needs of the batch, each once.
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
	cyclic map[int]bool // indexes of categories that would be their own ancestors
	state  []state
	plan   Plan
}

// noteCycles adds to p.cyclic the categories at the indexes that would be their own
// ancestors if all of them were stored. It reports whether it found any.
func (p *planner) noteCycles(indexes []int, tree map[feed.CategoryID]feed.CategoryID) bool {
	var categories []feed.Category
	for _, i := range indexes {
		if record, is := p.batch[i].(CategoryRecord); is {
			categories = append(categories, record.Category)
		}
	}
	found := feed.Cycles(tree, categories)
	for _, id := range found {
		p.cyclic[p.at[NumberRef(Category, id)]] = true
	}
	return len(found) > 0
}

// decide discards the plan and makes a new one.
func (p *planner) decide() {
	p.plan, p.state = Plan{}, make([]state, len(p.batch))
	for i := range p.cyclic {
		p.markMissing(i, fault.Fields{"parent": {"The parents form a cycle."}})
	}
	for _, kind := range Kinds() {
		for i, r := range p.batch {
			if r.Ref().Kind == kind {
				p.visit(i)
			}
		}
	}
}

func (p *planner) markMissing(i int, wrong fault.Fields) {
	p.state[i] = missing
	if p.plan.Missing == nil {
		p.plan.Missing = map[int]fault.Fields{}
	}
	p.plan.Missing[i] = wrong
}

// visit decides whether the record is ready, after the records of the batch that it
// needs. Its recursion is as deep as the longest chain of needs in the batch.
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
			sentence := fmt.Sprintf("Not found: %s %s.", n.Ref.Kind, n.Ref.ID)
			if !slices.Contains(wrong[n.Field], sentence) {
				wrong.Add(n.Field, sentence)
			}
		}
	}
	if len(wrong) > 0 {
		p.markMissing(i, wrong)
		return false
	}
	p.state[i] = ready
	p.plan.Ready = append(p.plan.Ready, i)
	return true
}

// has reports whether the record is stored or ready. A stored record counts even if its
// new version in the batch is not ready: otherwise, of two mutually dependent records,
// the one visited first would be accepted.
func (p *planner) has(ref Ref) bool {
	at, among := p.at[ref]
	return p.known[ref] || among && p.visit(at)
}
