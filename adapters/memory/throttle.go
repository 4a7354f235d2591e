package memory

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/user"
)

// Throttle is the store as access.Throttle.
type Throttle struct{ s *Store }

// Throttle returns the store's counts of failed logins.
func (s *Store) Throttle() Throttle { return Throttle{s} }

var _ access.Throttle = Throttle{}

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error {
		return v.s.failures.begin(a, now)
	})
}

func (v Throttle) IsUsual(ctx context.Context, a access.Attempt, now time.Time) (is bool, err error) {
	err = exec(ctx, v.s, func() error {
		is = v.s.failures.isUsual(a, now)
		return nil
	})
	return is, err
}

func (v Throttle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error {
		v.s.failures.uncount(a)
		if _, has := v.s.telephones[a.Phone.E164()]; has {
			v.s.failures.recordLogin(a, now)
		}
		return nil
	})
}

func (v Throttle) Abandon(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error {
		v.s.failures.uncount(a)
		return nil
	})
}

// failure is an attempt counted as failed.
type failure struct {
	access.Attempt
	at time.Time
}

// group is a key under which failures are counted together. Fields outside of its grouping
// are zero.
type group struct {
	grouping access.Grouping
	phone    user.Phone
	source   access.Source
}

func groupOf(g access.Grouping, a access.Attempt) group {
	switch g {
	case access.ByPair:
		return group{g, a.Phone, a.Source}
	case access.ByUnusual:
		return group{grouping: g, phone: a.Phone}
	default:
		return group{grouping: g, source: a.Source}
	}
}

// failures counts failed logins in sliding windows. Expired windows are dropped whenever their
// number has doubled since the last sweep, so that clients can't exhaust the memory.
type failures struct {
	limits []access.Limit
	counts map[group][]failure
	usual  map[access.Attempt]time.Time // last login
	sweep  int                          // size that triggers the next sweep
}

const firstSweep = 1024

func newFailures(limits []access.Limit) failures {
	return failures{
		limits: limits,
		counts: map[group][]failure{},
		usual:  map[access.Attempt]time.Time{},
		sweep:  firstSweep,
	}
}

func (f *failures) begin(a access.Attempt, now time.Time) error {
	f.prune(now)
	var wait time.Duration
	var counted []group
	usual := f.isUsual(a, now)
	for _, l := range f.limits {
		if l.Grouping == access.ByUnusual && usual {
			continue
		}
		g := groupOf(l.Grouping, a)
		within := f.within(g, l.Window, now)
		if len(within) >= l.Max && !(usual && l.Grouping.SparesUsual()) {
			newest := slices.Clone(within)
			slices.SortFunc(newest, func(a, b failure) int { return b.at.Compare(a.at) })
			wait = max(wait, newest[l.Max-1].at.Add(l.Window).Sub(now))
		}
		counted = append(counted, g)
	}
	if wait > 0 {
		return access.ErrThrottled(wait)
	}
	for _, g := range counted {
		f.counts[g] = append(f.counts[g], failure{a, now})
	}
	return nil
}

// uncount removes the attempt's latest failure from all groups.
func (f *failures) uncount(a access.Attempt) {
	var latest failure
	for _, counted := range f.counts[groupOf(access.BySourceAny, a)] {
		if counted.Attempt == a && !counted.at.Before(latest.at) {
			latest = counted
		}
	}
	for _, l := range f.limits {
		g := groupOf(l.Grouping, a)
		if i := slices.Index(f.counts[g], latest); i >= 0 {
			f.keep(g, slices.Delete(f.counts[g], i, i+1))
		}
	}
}

// recordLogin records a successful login: it clears the failures of the pair, and its source
// becomes a usual one.
func (f *failures) recordLogin(a access.Attempt, now time.Time) {
	delete(f.counts, groupOf(access.ByPair, a))
	if now.After(f.usual[a]) {
		f.usual[a] = now
	}
}

// all yields every failure once: those of the groups of the sources.
func (f *failures) all() iter.Seq[failure] {
	return func(yield func(failure) bool) {
		for g, counted := range f.counts {
			for _, one := range counted {
				if g.grouping == access.BySourceAny && !yield(one) {
					return
				}
			}
		}
	}
}

// forget removes what is counted of the phone.
func (f *failures) forget(phone user.Phone) {
	for g, counted := range f.counts {
		f.keep(g, slices.DeleteFunc(counted, func(c failure) bool { return c.Phone == phone }))
	}
	maps.DeleteFunc(f.usual, func(a access.Attempt, _ time.Time) bool { return a.Phone == phone })
}

func (f *failures) isUsual(a access.Attempt, now time.Time) bool {
	return now.Sub(f.usual[a]) < access.UsualFor
}

// within drops failures older than the window and returns the rest.
func (f *failures) within(g group, window time.Duration, now time.Time) []failure {
	f.keep(g, slices.DeleteFunc(f.counts[g], func(counted failure) bool {
		return now.Sub(counted.at) >= window
	}))
	return f.counts[g]
}

func (f *failures) keep(g group, counted []failure) {
	if len(counted) == 0 {
		delete(f.counts, g)
		return
	}
	f.counts[g] = counted
}

// prune drops expired entries if the maps have reached the sweep size.
func (f *failures) prune(now time.Time) {
	if f.size() < f.sweep {
		return
	}
	for _, l := range f.limits {
		for g := range f.counts {
			if g.grouping == l.Grouping {
				f.within(g, l.Window, now)
			}
		}
	}
	for a := range f.usual {
		if !f.isUsual(a, now) {
			delete(f.usual, a)
		}
	}
	f.sweep = max(firstSweep, 2*f.size())
}

func (f *failures) size() int { return len(f.counts) + len(f.usual) }
