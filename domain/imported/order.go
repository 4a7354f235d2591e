package imported

import (
	"fmt"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/user"
)

// Decide returns the indexes of the records that can be stored, each after the records of the batch that it
// needs, and the outcomes of all others. No two records of the batch have the same Ref. Known holds the needs
// of the batch that are stored. Tree maps every stored category to its parent, zero for roots.
//
// A record that needs itself, directly or through others, waits. So does a category that would be its own
// ancestor. A user must have no problem with the accounts: the user's own and the one that has the phone
// number; nil means no account. Of users with one phone number the first takes it. Otherwise the outcomes do
// not depend on the order of the batch. Without accounts, users have no problem.
func Decide(
	batch []Record, accounts func(UserRecord) (own, holder *ExistingAccount), known map[Ref]bool, tree map[feed.CategoryID]feed.CategoryID,
) (ready []int, outcomes []Outcome) {
	p := planner{batch: batch, known: known, at: make(map[Ref]int, len(batch)), rejected: map[int]Outcome{}}
	all := make([]int, len(batch))
	for i, r := range batch {
		p.at[r.Ref()] = i
		all[i] = i
	}
	if accounts != nil {
		p.rejectUsers(accounts)
	}
	p.rejectCycles(all, tree)
	// A rejected category keeps its stored parent, which may itself close a cycle.
	// Repeat until no cycle is found.
	for p.decide(); p.rejectCycles(p.ready, tree); {
		p.decide()
	}
	return p.ready, p.outcomes
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
	batch    []Record
	known    map[Ref]bool
	at       map[Ref]int
	rejected map[int]Outcome // users with a problem, and categories that would be their own ancestors
	state    []state
	ready    []int
	outcomes []Outcome
}

func (p *planner) rejectUsers(accounts func(UserRecord) (own, holder *ExistingAccount)) {
	taken := map[user.Phone]*ExistingAccount{}
	for i, record := range p.batch {
		u, is := record.(UserRecord)
		if !is {
			continue
		}
		own, holder := accounts(u)
		if of := taken[u.Phone]; of != nil {
			holder = of
		}
		if wrong := u.Problem(own, holder); wrong != nil {
			p.rejected[i] = Outcome{Refused, wrong}
		} else {
			taken[u.Phone] = &ExistingAccount{Source: u.Source, Phone: u.Phone}
		}
	}
}

// rejectCycles rejects the categories at the indexes that would be their own ancestors if all
// of them were stored. It reports whether it found any.
func (p *planner) rejectCycles(indexes []int, tree map[feed.CategoryID]feed.CategoryID) bool {
	var categories []feed.Category
	for _, i := range indexes {
		if record, is := p.batch[i].(CategoryRecord); is {
			categories = append(categories, record.Category)
		}
	}
	found := feed.Cycles(tree, categories)
	for _, id := range found {
		p.rejected[p.at[NumberRef(Category, id)]] = Outcome{Waits, fault.Fields{"parent": {"The parents form a cycle."}}}
	}
	return len(found) > 0
}

// decide decides anew which records are ready.
func (p *planner) decide() {
	p.ready, p.state, p.outcomes = nil, make([]state, len(p.batch)), make([]Outcome, len(p.batch))
	for i, outcome := range p.rejected {
		p.state[i], p.outcomes[i] = missing, outcome
	}
	for _, kind := range Kinds() {
		for i, r := range p.batch {
			if r.Ref().Kind == kind {
				p.visit(i)
			}
		}
	}
}

// visit decides whether the record is ready, after the records of the batch that it
// needs. Its recursion is as deep as the longest chain of needs in the batch.
func (p *planner) visit(i int) bool {
	if p.state[i] != unseen {
		return p.state[i] == ready
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
		p.state[i], p.outcomes[i] = missing, Outcome{Waits, wrong}
		return false
	}
	p.state[i] = ready
	p.ready = append(p.ready, i)
	return true
}

// has reports whether the record is stored or ready. A stored record counts even if its
// new version in the batch is not ready: otherwise, of two mutually dependent records,
// the one visited first would be accepted.
func (p *planner) has(ref Ref) bool {
	at, among := p.at[ref]
	return p.known[ref] || among && p.visit(at)
}
