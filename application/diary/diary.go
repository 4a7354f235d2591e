// Package diary holds the use cases of keeping a diary: writing events, showing
// them to those who may see them, and talking about them.
//
// It decides order and authority; the rules live in domain/event. Whoever may
// not see an event is told that there is none. Whatever is shown with events is
// fetched once for all of them, never once for each.
package diary

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/place"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Diary holds what the use cases work with.
type Diary struct {
	events     event.Repository
	reader     event.Reader
	discussion event.Discussion
	scenery    event.RelatedReader
	categories feed.Categories
	relations  subscription.Repository
	directory  user.Directory
	places     place.Analyser
	sanitiser  markup.Sanitiser
	pictures   media.Store
	bin        media.DeletionQueue
	studio     media.Processor
	now        func() time.Time
}

// Ports are what a diary needs of the outside.
type Ports struct {
	Events     event.Repository
	Reader     event.Reader
	Discussion event.Discussion
	Related    event.RelatedReader
	Categories feed.Categories
	Relations  subscription.Repository
	Directory  user.Directory
	Places     place.Analyser
	Sanitiser  markup.Sanitiser
	Pictures   media.Store
	Deletions  media.DeletionQueue
	Processor  media.Processor
}

// New returns the use cases over the ports; now tells the time.
func New(p Ports, now func() time.Time) *Diary {
	return &Diary{
		events: p.Events, reader: p.Reader, discussion: p.Discussion, scenery: p.Related,
		categories: p.Categories, relations: p.Relations, directory: p.Directory,
		places: p.Places, sanitiser: p.Sanitiser,
		pictures: p.Pictures, bin: p.Deletions, studio: p.Processor, now: now,
	}
}

// Edit is what an author sends of an event: a new one, or a change of one. Nil
// fields were not sent. The HTML is as the author wrote it.
type Edit struct {
	Title      *string
	Content    *string
	HTML       *string
	Date       *event.Date
	Permission *event.Permission
	Category   *feed.CategoryID // zero: none
	Publish    *bool
}

// Check tells all that is wrong with the fields as such, whatever they refer to.
// HTML is bounded as it was sent, too, so that cleaning it stays cheap.
func (e Edit) Check() fault.Fields {
	return e.change(asWritten{}).Check()
}

// asWritten cleans nothing, for checks that come before.
type asWritten struct{}

func (asWritten) Sanitise(raw string) markup.HTML { return markup.HTML(raw) }

// change is the edit with its HTML cleaned.
func (e Edit) change(s markup.Sanitiser) event.Change {
	c := event.Change{
		Title: e.Title, Content: e.Content, Date: e.Date,
		Permission: e.Permission, Category: e.Category, Publish: e.Publish,
	}
	if e.HTML != nil {
		clean := s.Sanitise(*e.HTML)
		c.HTML = &clean
	}
	return c
}

// CheckEdit is nil when the fields of the edit are right and what they refer to
// is there; else it tells all that is wrong with them at once (GEN-08).
func (d *Diary) CheckEdit(ctx context.Context, e Edit) error {
	wrong := e.Check()
	if e.Category != nil && *e.Category != 0 {
		known, err := d.categories.ByIDs(ctx, []feed.CategoryID{*e.Category})
		if err != nil {
			return err
		}
		if len(known) == 0 {
			wrong.Merge(fault.Fields{"category": {event.NoCategory}})
		}
	}
	return wrong.Err()
}

// prepare is the edit as the domain takes it.
func (d *Diary) prepare(ctx context.Context, e Edit) (event.Change, error) {
	if err := d.CheckEdit(ctx, e); err != nil {
		return event.Change{}, err
	}
	return e.change(d.sanitiser), nil
}

// Write makes a new event of the actor's (EVT-02). Its day is today where the
// actor is, unless the edit says another.
func (d *Diary) Write(ctx context.Context, actor access.Actor, e Edit) (View, error) {
	c, err := d.prepare(ctx, e)
	if err != nil {
		return View{}, err
	}
	now := d.now()
	written, err := event.New(actor.ID, c, event.DateOf(actor.Local(now)), now)
	if err != nil {
		return View{}, err
	}
	at, err := d.places.Analyse(ctx, written.Text().Title, written.Text().Content)
	if err != nil {
		return View{}, fmt.Errorf("finding the place of a new event: %w", err)
	}
	if err := written.Locate(written.Text(), at); err != nil {
		return View{}, err
	}
	stored, err := d.events.Add(ctx, written)
	if err != nil {
		return View{}, err
	}
	return d.view(ctx, actor, event.Entry{Event: stored})
}

// placeTries is how often the place of a text is looked for while others keep
// changing the text.
const placeTries = 3

// Edit changes the actor's event: only the fields that were sent, and all of them
// or none (EVT-03, EVT-20). The stored place always belongs to the stored text.
func (d *Diary) Edit(ctx context.Context, actor access.Actor, id event.ID, e Edit) (View, error) {
	current, err := d.writable(ctx, actor, id)
	if err != nil {
		return View{}, err
	}
	c, err := d.prepare(ctx, e)
	if err != nil {
		return View{}, err
	}
	for range placeTries {
		entry, err := d.change(ctx, current, c)
		if err == nil {
			return d.view(ctx, actor, entry)
		}
		if !errors.Is(err, event.ErrTextChanged) {
			return View{}, err
		}
		if current, err = d.events.Get(ctx, id); err != nil {
			return View{}, err
		}
	}
	return View{}, fault.RetryAfter(fault.Conflict, time.Second, "This event is being changed by many at once. Try again.")
}

// change stores the change with the place of the text that the event, as it was
// read, will have; event.ErrMoved when that is not the text it would get.
func (d *Diary) change(ctx context.Context, read event.Entry, c event.Change) (event.Entry, error) {
	if c.Title == nil && c.Content == nil {
		return d.events.ChangeRead(ctx, read, func(e *event.Event) error { return e.Apply(c, d.now()) })
	}
	text := c.TextAfter(read.Text())
	at, err := d.places.Analyse(ctx, text.Title, text.Content)
	if err != nil {
		return event.Entry{}, fmt.Errorf("finding the place of event %d: %w", read.ID(), err)
	}
	return d.events.ChangeRead(ctx, read, func(e *event.Event) error {
		if err := e.Apply(c, d.now()); err != nil {
			return err
		}
		return e.Locate(text, at)
	})
}

// MayEdit is nil when the actor may change or delete the event. Who may only see
// it is Denied; for anyone else there is no such event (EVT-07).
func (d *Diary) MayEdit(ctx context.Context, actor access.Actor, id event.ID) error {
	_, err := d.writable(ctx, actor, id)
	return err
}

// Delete removes the actor's event with all that hangs on it (EVT-09).
func (d *Diary) Delete(ctx context.Context, actor access.Actor, id event.ID) error {
	if _, err := d.writable(ctx, actor, id); err != nil {
		return err
	}
	removed, err := d.events.Remove(ctx, id)
	if err != nil {
		return err
	}
	d.removePhotos(ctx, removed.State().Plates...)
	return nil
}

// Read returns one event that the actor may see (EVT-11).
func (d *Diary) Read(ctx context.Context, actor access.Actor, id event.ID) (View, error) {
	entry, err := d.readable(ctx, actor, id)
	if err != nil {
		return View{}, err
	}
	return d.view(ctx, actor, entry)
}

// Own returns a page of the actor's events, drafts included (EVT-10).
func (d *Diary) Own(ctx context.Context, actor access.Actor, o event.Ordering, p page.Request) (page.Page[View], error) {
	return d.list(ctx, actor, event.Query{
		Author: actor.ID, Reach: event.VisibleStates(subscription.Self), Order: o, Page: p,
	})
}

// Of returns a page of what the actor may see of the author's events. An author
// who does not exist is NotFound (EVT-13).
func (d *Diary) Of(ctx context.Context, actor access.Actor, author user.ID, o event.Ordering, p page.Request) (page.Page[View], error) {
	members, err := d.directory.Members(ctx, []user.ID{author})
	if err != nil {
		return page.Page[View]{}, err
	}
	if len(members) == 0 {
		return page.Page[View]{}, fault.New(fault.NotFound, "There is no such user.")
	}
	relation, err := d.relation(ctx, actor, author)
	if err != nil {
		return page.Page[View]{}, err
	}
	return d.list(ctx, actor, event.Query{Author: author, Reach: event.VisibleStates(relation), Order: o, Page: p})
}

func (d *Diary) list(ctx context.Context, actor access.Actor, q event.Query) (page.Page[View], error) {
	p, err := d.reader.List(ctx, q)
	if err != nil {
		return page.Page[View]{}, err
	}
	shown, err := d.views(ctx, actor, p.Items, inList)
	return page.With(p, shown), err
}

// MaxRecentlyCommented is how many events RecentlyCommented returns at most.
const MaxRecentlyCommented = 10

// RecentlyCommented returns the actor's events that were commented last (EVT-12).
func (d *Diary) RecentlyCommented(ctx context.Context, actor access.Actor) ([]View, error) {
	entries, err := d.reader.Commented(ctx, actor.ID, MaxRecentlyCommented)
	if err != nil {
		return nil, err
	}
	return d.views(ctx, actor, entries, inList)
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
	entry, err := d.events.Get(ctx, id)
	if err != nil {
		return event.Entry{}, err
	}
	relation, err := d.relation(ctx, actor, entry.Author())
	if err != nil {
		return event.Entry{}, err
	}
	return entry, check(entry.Event, relation)
}

// relation tells what the actor is to the author; one's own relation needs no
// look-up.
func (d *Diary) relation(ctx context.Context, actor access.Actor, author user.ID) (subscription.Relation, error) {
	if r := subscription.Relate(actor.ID, author, false, false); r == subscription.Self {
		return r, nil
	}
	relations, err := d.relations.Relations(ctx, actor.ID, []user.ID{author})
	return relations[author], err
}
