package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plaza/application/following"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/secret"
)

// step is an action of a person at a time.
type step struct {
	at   time.Time
	who  handle
	what string // for errors
	do   action
}

// action runs the step as the given actor.
type action func(ctx context.Context, s *replay, actor access.Actor) error

// plan collects the steps of all tables, and all errors in the tables, before anything is
// written.
type plan struct {
	zones  map[handle]*time.Location
	joined map[handle]time.Time
	told   map[string]time.Time // when each entry was published
	steps  []step
	wrong  []error
}

// tables reads all tables and returns their steps in chronological order; those of the same
// time are in the order of the tables.
func tables(people []imported.UserRecord) ([]step, error) {
	p := &plan{zones: map[handle]*time.Location{}, joined: map[handle]time.Time{}, told: map[string]time.Time{}}
	for _, someone := range people {
		p.joins(someone)
		p.looks(handle(someone.Source))
	}
	for _, f := range follows {
		p.follows(f)
	}
	for _, b := range blocks {
		p.add(p.instant(b.who, b.at), b.who, "blocks "+string(b.whom), func(ctx context.Context, s *replay, actor access.Actor) error {
			return s.following.Block(ctx, actor, s.actors[b.whom].ID)
		})
	}
	for _, d := range diaries {
		for _, e := range d.entries {
			p.writes(d.author, e)
		}
	}
	for _, a := range albums {
		p.attaches(a)
	}
	for _, t := range talks {
		p.talk(t)
	}
	for _, k := range snaps {
		p.keeps(k)
	}
	for _, b := range demoOrders {
		p.addOrder(b)
	}
	p.paysTwice(paidTwice)
	p.moderate()
	slices.SortStableFunc(p.steps, func(a, b step) int { return a.at.Compare(b.at) })
	if err := errors.Join(p.wrong...); err != nil {
		return nil, fmt.Errorf("invalid demo tables: %w", err)
	}
	return p.steps, nil
}

// add plans the step. It notes an error if the person acts before joining.
func (p *plan) add(at time.Time, who handle, what string, do action) {
	p.steps = append(p.steps, step{at, who, what, do})
	if joined, known := p.joined[who]; !known || at.Before(joined) {
		p.note(fmt.Errorf("%s %s before joining", who, what))
	}
}

func (p *plan) note(err error) {
	if err != nil {
		p.wrong = append(p.wrong, err)
	}
}

// localTime is the layout of times in the tables.
const localTime = "2006-01-02 15:04"

// instant parses a time in the person's time zone.
func (p *plan) instant(who handle, local string) time.Time {
	zone, known := p.zones[who]
	if !known {
		p.note(fmt.Errorf("unknown person %q", who))
		return time.Time{}
	}
	at, err := time.ParseInLocation(localTime, local, zone)
	p.note(err)
	return at
}

func (p *plan) joins(someone imported.UserRecord) {
	zone, err := time.LoadLocation(someone.Timezone)
	if err != nil {
		p.note(err)
		return
	}
	who := handle(someone.Source)
	p.zones[who], p.joined[who] = zone, someone.Joined
	p.add(someone.Joined, who, "joins", func(ctx context.Context, s *replay, _ access.Actor) error {
		return s.admit(ctx, someone, zone)
	})
}

// admit sets the password of an imported person, whose account has none.
func (s *replay) admit(ctx context.Context, someone imported.UserRecord, zone *time.Location) error {
	account, err := s.ports.Accounts.ByPhone(ctx, someone.Phone)
	if err != nil {
		return err
	}
	who, id, scopes := handle(someone.Source), account.User, access.DefaultScopes()
	s.actors[who] = access.Actor{ID: id, Scopes: scopes, Zone: zone}
	if err := s.signin.SetScopes(ctx, id, scopeNames(scopes)); err != nil {
		return err
	}
	if err := s.signin.SetStaff(ctx, id, who == staff); err != nil {
		return err
	}
	return s.signin.SetPassword(ctx, id, secret.New(password))
}

func scopeNames(scopes []access.Scope) []string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return names
}

// lastLook is when each person has looked at their notifications, in their time zone. Later ones are unread.
const lastLook = "2026-11-20 07:30"

// looks plans that the person reads all notifications.
func (p *plan) looks(who handle) {
	p.add(p.instant(who, lastLook), who, "looks at notifications", func(ctx context.Context, s *replay, actor access.Actor) error {
		newest, err := s.notifications.List(ctx, actor, page.CursorRequest{})
		if err != nil || len(newest.Items) == 0 {
			return err
		}
		return s.notifications.MarkRead(ctx, actor, newest.Items[0].ID, nil)
	})
}

func (p *plan) follows(f follow) {
	what := fmt.Sprintf("follows %v and %d", f.people, f.categories)
	p.add(p.instant(f.who, f.at), f.who, what, func(ctx context.Context, s *replay, actor access.Actor) error {
		for _, whom := range f.people {
			if _, _, err := s.following.Follow(ctx, actor, following.Target{User: new(s.actors[whom].ID)}, nil, nil); err != nil {
				return err
			}
		}
		for _, c := range f.categories {
			if _, _, err := s.following.Follow(ctx, actor, following.Target{Category: &c}, nil, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// writes plans that the author writes the entry and publishes it immediately or later.
func (p *plan) writes(author handle, e entry) {
	change, err := e.change()
	p.note(err)
	at := p.instant(author, e.at)
	var id event.ID
	p.add(at, author, "writes at "+e.at, func(ctx context.Context, s *replay, actor access.Actor) error {
		shown, err := s.diary.Write(ctx, actor, change, nil, nil)
		if err == nil {
			id = shown.ID()
			s.written[e.key] = id
		}
		return err
	})
	if e.shownAfter > 0 {
		at = at.Add(e.shownAfter)
		p.add(at, author, "publishes the draft of "+e.at, func(ctx context.Context, s *replay, actor access.Actor) error {
			_, err := s.diary.Edit(ctx, actor, id, event.Change{Publish: new(true)}, nil)
			return err
		})
	}
	if e.key == "" {
		return
	}
	if _, taken := p.told[e.key]; taken {
		p.note(fmt.Errorf("duplicate entry key %q", e.key))
	}
	p.told[e.key] = at
}

func noEntry(key string) error { return fmt.Errorf("unknown entry key %q", key) }

// likedAfter is the time from an entry to its likes. All users who may see it have joined by
// then.
const likedAfter = 26 * time.Hour

// talk plans the comments on an entry and its likes.
func (p *plan) talk(t talk) {
	told, known := p.told[t.on]
	if !known {
		p.note(noEntry(t.on))
	}
	for _, c := range t.comments {
		p.add(told.Add(c.after), c.by, "comments on "+t.on, func(ctx context.Context, s *replay, actor access.Actor) error {
			made, err := s.diary.Comment(ctx, actor, s.written[t.on], c.says, nil, nil)
			s.said[remark{c.by, t.on}] = made.ID
			return err
		})
	}
	for _, who := range t.likedBy {
		p.add(told.Add(likedAfter), who, "likes "+t.on, func(ctx context.Context, s *replay, actor access.Actor) error {
			return s.diary.Like(ctx, actor, s.written[t.on], true)
		})
	}
}
