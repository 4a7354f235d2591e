package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/verification"
)

type Codes view

// isWith reports whether both uses are in one group.
func (u codeUse) isWith(other codeUse, g verification.Grouping) bool {
	group := g.Group(u.number, u.from)
	return group != "" && u.kind == other.kind && group == g.Group(other.number, other.from)
}

// wait returns how long the limits on the earlier uses do not admit another.
func (u codeUse) wait(limits []verification.Limit, earlier []codeUse) time.Duration {
	filling := make([]time.Time, len(limits))
	for i, l := range limits {
		var within []time.Time
		after, last := ratelimit.Window(l.Window, u.at)
		for _, e := range earlier {
			if e.at.After(after) && !e.at.After(last) && e.isWith(u, l.Grouping) {
				within = append(within, e.at)
			}
		}
		slices.SortFunc(within, func(a, b time.Time) int { return b.Compare(a) })
		if len(within) >= l.Max {
			filling[i] = within[l.Max-1]
		}
	}
	return verification.Wait(limits, filling, u.at)
}

func (v Codes) Reserve(ctx context.Context, r verification.Request) error {
	return exec(ctx, v.s, func() error {
		c := &v.s.codes
		next := r.Code
		use := codeUse{verification.Requested, next.Number, r.From, instant.Normalise(r.Now)}
		if wait := use.wait(verification.RequestLimits(), c.uses); wait > 0 {
			return verification.ErrTooManyRequests(wait)
		}
		if err := c.take(r.Expense); err != nil {
			return err
		}
		c.uses = append(c.uses, use)
		if live := c.live(next.Number, next.Purpose); live != nil {
			live.Replace()
			c.all[live.State().ID] = live.State()
		}
		c.all[next.ID] = next
		return nil
	})
}

func (v Codes) Take(ctx context.Context, e verification.Expense) error {
	return exec(ctx, v.s, func() error { return v.s.codes.take(e) })
}

// take takes the messages of the budgets.
func (c *codes) take(e verification.Expense) error {
	day := verification.DayOf(e.Now)
	whole, ofCode := codeDay{day, ""}, codeDay{day, e.DiallingCode}
	limit := e.Budget.Codes[e.DiallingCode]
	if e.Budget.Messages > 0 && c.spent[whole] >= e.Budget.Messages || limit > 0 && c.spent[ofCode] >= limit {
		return verification.ErrBudgetSpent(e.Now)
	}
	c.spent[whole] += e.Messages
	c.spent[ofCode] += e.Messages
	return nil
}

// live returns the live code of the number and purpose, or nil.
func (c *codes) live(n verification.Number, p verification.Purpose) *verification.Code {
	state, has := c.all.find(func(s verification.State) bool {
		return s.Number == n && s.Purpose == p && s.Status == verification.Live
	})
	if !has {
		return nil
	}
	code, err := verification.Restore(state)
	if err != nil {
		panic(err) // it was a code's state
	}
	return code
}

func (v Codes) Try(ctx context.Context, a verification.Attempt) (*verification.Code, error) {
	return write(ctx, v.s, func() (*verification.Code, error) {
		c := &v.s.codes
		use := codeUse{verification.Tried, a.Number, a.From, instant.Normalise(a.Now)}
		code := c.live(a.Number, a.Purpose)
		if code == nil || code.Try(a.Now) != nil {
			code, use.number = nil, verification.Number{}
		}
		if wait := use.wait(verification.TryLimits(), c.uses); wait > 0 {
			return nil, verification.ErrTooManyTries(wait)
		}
		c.uses = append(c.uses, use)
		if code == nil {
			return nil, verification.ErrWrongCode
		}
		c.all[code.State().ID] = code.State()
		return code, nil
	})
}

func (v Codes) Taken(ctx context.Context, day time.Time) (verification.Taken, error) {
	return read(ctx, v.s, func() (verification.Taken, error) {
		taken := verification.Taken{Codes: map[string]int64{}}
		for of, messages := range v.s.codes.spent {
			switch {
			case !of.day.Equal(day):
			case of.code == "":
				taken.Messages = messages
			default:
				taken.Codes[of.code] = messages
			}
		}
		return taken, nil
	})
}

// use uses up the codes of the spendings, for a change that allows it. If one can't be, it returns the error and uses up none.
func (c *codes) use(spendings []verification.Spending, change func() error) error {
	var used []verification.State
	for _, s := range spendings {
		state, err := c.all.get(s.Code, verification.ErrWrongCode)
		if err != nil {
			return err
		}
		code, err := verification.Restore(state)
		if err != nil {
			return err
		}
		if err := code.Spend(); err != nil {
			return err
		}
		used = append(used, code.State())
	}
	if err := change(); err != nil {
		return err
	}
	for i, s := range spendings {
		c.all[s.Code] = used[i]
		c.takeBack(s)
	}
	return nil
}

// takeBack removes the latest try of the number from the address.
func (c *codes) takeBack(s verification.Spending) {
	for i, u := range slices.Backward(c.uses) {
		if u.kind == verification.Tried && u.number == s.Number && u.from == s.From {
			c.uses = slices.Delete(c.uses, i, i+1)
			return
		}
	}
}

// forget removes what is stored of the number.
func (c *codes) forget(n verification.Number) {
	c.uses = slices.DeleteFunc(c.uses, func(u codeUse) bool { return u.number == n })
	maps.DeleteFunc(c.all, func(_ verification.ID, s verification.State) bool { return s.Number == n })
}
