package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Throttle is the store as access.Throttle.
type Throttle view

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error { return v.s.failures.begin(a, now) })
}

func (v Throttle) IsUsual(ctx context.Context, a access.Attempt, now time.Time) (bool, error) {
	return read(ctx, v.s, func() (bool, error) { return v.s.failures.isUsual(a, now), nil })
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

func (v Throttle) Forget(ctx context.Context, phone user.Phone) error {
	return exec(ctx, v.s, func() error {
		v.s.failures.all = slices.DeleteFunc(v.s.failures.all, func(c failure) bool { return c.Phone == phone })
		return nil
	})
}

// counts reports whether the failure counts against the attempt in the grouping.
func (f *failure) counts(g access.Grouping, a access.Attempt) bool {
	switch g {
	case access.ByPair:
		return f.inPair && f.Attempt == a
	case access.ByUnusual:
		return f.inUnusual && f.Phone == a.Phone
	default:
		return f.Source == a.Source
	}
}

func (f *failures) begin(a access.Attempt, now time.Time) error {
	var wait time.Duration
	usual := f.isUsual(a, now)
	for _, l := range access.Limits() {
		if usual && l.Grouping.SparesUsual() {
			continue
		}
		var within []time.Time
		after, last := ratelimit.Window(l.Window, now)
		for i := range f.all {
			if at := f.all[i].at; at.After(after) && !at.After(last) && f.all[i].counts(l.Grouping, a) {
				within = append(within, at)
			}
		}
		if len(within) >= l.Max {
			slices.SortFunc(within, func(a, b time.Time) int { return b.Compare(a) })
			wait = max(wait, within[l.Max-1].Add(l.Window).Sub(now))
		}
	}
	if wait > 0 {
		return access.ErrThrottled(wait)
	}
	f.all = append(f.all, failure{a, now, true, !usual})
	return nil
}

// uncount removes the attempt's latest failure.
func (f *failures) uncount(a access.Attempt) {
	latest := -1
	for i, counted := range f.all {
		if counted.Attempt == a && (latest < 0 || !counted.at.Before(f.all[latest].at)) {
			latest = i
		}
	}
	if latest >= 0 {
		f.all = slices.Delete(f.all, latest, latest+1)
	}
}

// recordLogin records a successful login: it clears the failures of the pair, and its source becomes a usual one.
func (f *failures) recordLogin(a access.Attempt, now time.Time) {
	for i := range f.all {
		f.all[i].inPair = f.all[i].inPair && f.all[i].Attempt != a
	}
	if now.After(f.usual[a]) {
		f.usual[a] = now
	}
}

// forget removes what is counted of the phone.
func (f *failures) forget(phone user.Phone) {
	f.all = slices.DeleteFunc(f.all, func(c failure) bool { return c.Phone == phone })
	maps.DeleteFunc(f.usual, func(a access.Attempt, _ time.Time) bool { return a.Phone == phone })
}

func (f *failures) isUsual(a access.Attempt, now time.Time) bool {
	return now.Sub(f.usual[a]) < access.UsualFor
}
