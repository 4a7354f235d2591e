// Package diary holds the use cases of the diary: writing, showing and discussing events.
//
// It decides order and authority; domain/event has the rules. An event that the actor may
// not see is NotFound, like one that does not exist. Related data is loaded once per list,
// never once per event.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package diary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/place"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Diary implements the use cases.
type Diary struct {
	ports  Ports
	limits ratelimit.Limits
	now    func() time.Time
}

// Ports are the ports that a Diary uses.
type Ports struct {
	Events     event.Repository
	Reader     event.Reader
	Discussion event.Discussion
	Related    event.RelatedReader
	Categories feed.Categories
	Directory  user.Directory
	Places     place.Analyser
	Sanitiser  markup.Sanitiser
	Pictures   media.Store
	Addresses  media.Addresses
	Deletions  media.DeletionQueue
	Processor  media.Processor
	Room       quota.Room
	Keys       idempotency.Keys
}

// New returns the use cases over the ports, with the limits on writes; now returns the time.
func New(p Ports, limits ratelimit.Limits, now func() time.Time) *Diary {
	return &Diary{ports: p, limits: limits, now: now}
}

// charge returns what one write of the actor costs.
func (d *Diary) charge(actor access.Actor, a ratelimit.Action) ratelimit.Charge {
	return d.limits.Charge(int64(actor.ID), a, d.now())
}

// today returns the day in the actor's time zone.
func (d *Diary) today(actor access.Actor) calendar.Date { return calendar.DateOf(actor.Local(d.now())) }

// prepare checks the change and sanitises its HTML. It names all wrong fields together,
// those that could not be read and an unknown category included (GEN-08).
func (d *Diary) prepare(ctx context.Context, actor access.Actor, c event.Change, readErr error) (event.Change, error) {
	err := fault.Merge(readErr, c.Check(d.today(actor)).Err())
	if c.Category != nil && *c.Category > 0 {
		known, lookupErr := d.ports.Categories.ByIDs(ctx, []feed.CategoryID{*c.Category})
		if lookupErr == nil && len(known) == 0 {
			lookupErr = fault.Field("category", event.NoCategory)
		}
		err = fault.Merge(err, lookupErr)
	}
	if err != nil {
		return event.Change{}, err
	}
	return c.Sanitised(d.ports.Sanitiser), nil
}

// Write creates an event of the actor (EVT-02). Without a date in the change, its date is
// today in the actor's time zone.
//
// Here and in all use cases, readErr says which fields of the request could not be read, and k
// is its Idempotency-Key, or nil. A request that is repeated with its key returns what the first
// one made, as it is now, and is not charged (GEN-13). A key is reserved only for a valid body.
func (d *Diary) Write(ctx context.Context, actor access.Actor, c event.Change, k *idempotency.Key, readErr error) (View, error) {
	c, err := d.prepare(ctx, actor, c, readErr)
	if err != nil {
		return View{}, err
	}
	now := d.now()
	written, err := event.New(actor.ID, c, d.today(actor), now)
	if err != nil {
		return View{}, err
	}
	written.CompleteKey(k)
	return idempotency.Once(ctx, d.ports.Keys, k, now, idempotency.Lease,
		func(a idempotency.Answer) (View, error) { return d.Read(ctx, actor, event.ID(a.ID), AllParts) },
		func() (View, error) { return d.add(ctx, actor, written) })
}

// add stores a new event with its place.
func (d *Diary) add(ctx context.Context, actor access.Actor, written *event.Event) (View, error) {
	at, err := d.ports.Places.Analyse(ctx, written.Text().Title, written.Text().Content)
	if err != nil {
		return View{}, fmt.Errorf("find place of new event: %w", err)
	}
	if err := written.Locate(written.Text(), at); err != nil {
		return View{}, err
	}
	stored, err := d.ports.Events.Add(ctx, written, d.charge(actor, ratelimit.Event))
	if err != nil {
		return View{}, err
	}
	return d.viewOf(ctx, actor, event.Entry{Event: stored}, alone)
}

// placeTries is how often the place of a text is analysed if others keep changing the text.
const placeTries = 3

// Edit changes the fields of the actor's event that were sent, all or none (EVT-03,
// EVT-20). The stored place always belongs to the stored text.
func (d *Diary) Edit(ctx context.Context, actor access.Actor, id event.ID, c event.Change, readErr error) (View, error) {
	current, err := d.writable(ctx, actor, id)
	if err != nil {
		return View{}, err
	}
	c, err = d.prepare(ctx, actor, c, readErr)
	if err != nil {
		return View{}, err
	}
	for range placeTries {
		entry, err := d.change(ctx, actor, current, c)
		if err == nil {
			return d.viewOf(ctx, actor, entry, alone)
		}
		if !errors.Is(err, event.ErrTextChanged) {
			return View{}, err
		}
		if current, err = d.ports.Events.Get(ctx, id); err != nil {
			return View{}, err
		}
	}
	return View{}, fault.RetryAfter(fault.Conflict, time.Second, "The event is being changed by other requests. Try again.")
}

// change stores the change, with the place of the text that results from it. It returns
// event.ErrTextChanged if the text has changed since the event was read.
func (d *Diary) change(ctx context.Context, actor access.Actor, read event.Entry, c event.Change) (event.Entry, error) {
	charge := d.charge(actor, ratelimit.Event)
	if c.Title == nil && c.Content == nil {
		return d.ports.Events.ChangeRead(ctx, read, func(e *event.Event) error { return e.Apply(c, d.now()) }, charge)
	}
	text := c.TextAfter(read.Text())
	at, err := d.ports.Places.Analyse(ctx, text.Title, text.Content)
	if err != nil {
		return event.Entry{}, fmt.Errorf("find place of event %d: %w", read.ID(), err)
	}
	return d.ports.Events.ChangeRead(ctx, read, func(e *event.Event) error {
		if err := e.Apply(c, d.now()); err != nil {
			return err
		}
		return e.Locate(text, at)
	}, charge)
}

// Delete removes the actor's event with its plates, comments and likes (EVT-09).
func (d *Diary) Delete(ctx context.Context, actor access.Actor, id event.ID) error {
	if _, err := d.writable(ctx, actor, id); err != nil {
		return err
	}
	removed, err := d.ports.Events.Remove(ctx, id)
	if err != nil {
		return err
	}
	d.removePhotos(ctx, removed.State().Plates...)
	return nil
}

// Read returns an event that the actor may see (EVT-11).
func (d *Diary) Read(ctx context.Context, actor access.Actor, id event.ID, parts Parts) (View, error) {
	entry, err := d.readable(ctx, actor, id)
	if err != nil {
		return View{}, err
	}
	return d.viewOf(ctx, actor, entry, alone.with(parts))
}

// Own returns a page of the actor's events, drafts included (EVT-10, EVT-25).
func (d *Diary) Own(ctx context.Context, actor access.Actor, q event.Query, parts Parts) (page.Page[View], error) {
	q.Author = actor.ID
	return d.list(ctx, actor, q, parts)
}

// Of returns a page of the author's events that the actor may see. An unknown author is
// NotFound (EVT-13).
func (d *Diary) Of(ctx context.Context, actor access.Actor, q event.Query, parts Parts) (page.Page[View], error) {
	found, err := d.list(ctx, actor, q, parts)
	if len(found.Items) > 0 || err != nil && !fault.Is(err, fault.NotFound) {
		return found, err
	}
	// Only a user without visible events may be unknown.
	members, memberErr := d.ports.Directory.Members(ctx, []user.ID{q.Author})
	switch {
	case memberErr != nil:
		return page.Page[View]{}, memberErr
	case len(members) == 0:
		return page.Page[View]{}, fault.New(fault.NotFound, "User not found.")
	}
	return found, err
}

func (d *Diary) list(ctx context.Context, actor access.Actor, q event.Query, parts Parts) (page.Page[View], error) {
	q.Viewer = actor.ID
	p, err := d.ports.Reader.List(ctx, q)
	if err != nil {
		return page.Page[View]{}, err
	}
	shown, err := d.views(ctx, actor, p.Items, inList.with(parts))
	return page.With(p, shown), err
}

// Timeline returns a part of the events of those whom the actor follows that the actor may see (EVT-23).
func (d *Diary) Timeline(ctx context.Context, actor access.Actor, r page.CursorRequest, parts Parts) (page.CursorPage[View], error) {
	p, err := d.ports.Reader.Timeline(ctx, actor.ID, r)
	if err != nil {
		return page.CursorPage[View]{}, err
	}
	shown, err := d.views(ctx, actor, p.Items, inList.with(parts))
	return page.CursorPage[View]{Items: shown, Next: p.Next}, err
}

// Show returns events that the actor may see as lists have them.
func (d *Diary) Show(ctx context.Context, actor access.Actor, entries []event.Entry, parts Parts) ([]View, error) {
	return d.views(ctx, actor, entries, inList.with(parts))
}

// MaxRecentlyCommented is the maximum number of events that RecentlyCommented returns.
const MaxRecentlyCommented = 10

// RecentlyCommented returns the actor's most recently commented events (EVT-12).
func (d *Diary) RecentlyCommented(ctx context.Context, actor access.Actor, parts Parts) ([]View, error) {
	entries, err := d.ports.Reader.Commented(ctx, actor.ID, MaxRecentlyCommented)
	if err != nil {
		return nil, err
	}
	return d.views(ctx, actor, entries, inList.with(parts))
}

// readable returns the event if the actor may see it.
func (d *Diary) readable(ctx context.Context, actor access.Actor, id event.ID) (event.Entry, error) {
	return d.guarded(ctx, actor, id, (*event.Event).CheckRead)
}

// writable returns the event if the actor may change it.
func (d *Diary) writable(ctx context.Context, actor access.Actor, id event.ID) (event.Entry, error) {
	return d.guarded(ctx, actor, id, (*event.Event).CheckWrite)
}

func (d *Diary) guarded(ctx context.Context, actor access.Actor, id event.ID,
	check func(*event.Event, subscription.Relation) error) (event.Entry, error) {
	entry, relation, err := d.ports.Events.GetFor(ctx, id, actor.ID)
	if err != nil {
		return event.Entry{}, err
	}
	return entry, check(entry.Event, relation)
}
