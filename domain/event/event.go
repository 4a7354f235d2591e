// Package event models diary events: a member's text about a day, its attached
// pictures, comments and likes, and the rules of visibility.
//
// An event is published when it is created, or starts as a draft. Once published, it is
// visible to the users that its permission admits. No change makes a published event blank. The
// place of an event always belongs to its current text.
package event

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/place"
	"plaza/domain/subscription"
	"plaza/domain/text"
	"plaza/domain/user"
)

// ID numbers events.
type ID int64

// Limits of an event (EVT-21).
var (
	TitleLimit   = text.Limit{Chars: 200}
	ContentLimit = text.Limit{Chars: 20_000}
	HTMLLimit    = text.Limit{Bytes: 64 << 10}
)

// MaxPlates is the maximum of attachments of an event (EVT-21).
const MaxPlates = 30

var (
	ErrNotFound  = fault.New(fault.NotFound, "Event not found.")
	ErrNotAuthor = fault.New(fault.Denied, "Only the author may change an event.")
	ErrLastPlate = fault.New(fault.Conflict, "A published event may not be blank. Make it a draft, or delete it.")
)

// State is the complete state of an event, for the stores. Only Restore turns it back
// into an event.
type State struct {
	ID         ID
	Author     user.ID
	Date       calendar.Date // the day on which it happened
	Title      string
	Content    string
	HTML       markup.HTML
	Category   feed.CategoryID // zero: none
	Permission Permission
	Status     Status
	IsHidden   bool // staff have hidden it: only its author sees it until they restore it (MOD-03)
	Place      place.Place
	Plates     []Plate // oldest first, hidden ones among them
	Created    time.Time
	Modified   time.Time
	Published  time.Time        // when the author first published it; zero: never
	Completes  *idempotency.Key // by storing the event or its newest plate; nil: none, and once stored
}

// Event is one diary event.
type Event struct{ s State }

// New returns a new event of the author. Its date is today unless the change sets
// one. A violation of the text limits, the enumerations or the rule that a
// published event is not blank is a fault on the fields.
func New(author user.ID, c Change, today calendar.Date, now time.Time) (*Event, error) {
	e := &Event{s: State{Author: author, Date: today, Created: instant.Normalise(now), Modified: instant.Normalise(now)}}
	if err := e.Apply(c, now); err != nil {
		return nil, err
	}
	return e, nil
}

// Restore returns the event with the stored state. It fails if the state breaks an
// invariant, which is an error of the store, never the client's.
func Restore(s State) (*Event, error) {
	e := &Event{s: s}
	e.s.Plates = slices.Clone(s.Plates)
	switch {
	case s.ID <= 0 || s.Author <= 0 || s.Date.IsZero() || s.Created.IsZero() || s.Modified.IsZero():
		return nil, fmt.Errorf("event %d is incomplete", s.ID)
	case !slices.Contains(Statuses(), s.Status) || !slices.Contains(Permissions(), s.Permission):
		return nil, fmt.Errorf("event %d has status %d and permission %d", s.ID, s.Status, s.Permission)
	case s.Status == Normal && s.Published.IsZero():
		return nil, fmt.Errorf("event %d is published, and was never", s.ID)
	case s.Status == Normal && e.isEmpty():
		return nil, fmt.Errorf("event %d is published and empty", s.ID)
	case len(s.Plates) > MaxPlates:
		return nil, fmt.Errorf("event %d has %d plates", s.ID, len(s.Plates))
	}
	return e, nil
}

// State returns a copy of the complete state of the event.
func (e *Event) State() State {
	s := e.s
	s.Plates = slices.Clone(s.Plates)
	return s
}

// ID returns the event's number. It is zero until the event is stored.
func (e *Event) ID() ID { return e.s.ID }

// CompleteKey sets the key that storing the event completes (GEN-13): with the event if it is
// new, else with its newest plate, which must be new then. The key may be nil.
func (e *Event) CompleteKey(k *idempotency.Key) { e.s.Completes = k }

// Makes returns what storing the state completes its key with. It fails if the state has a key,
// and neither the event nor its newest plate is new.
func (s State) Makes() (idempotency.Kind, error) {
	switch last := len(s.Plates) - 1; {
	case s.Completes == nil:
		return "", nil
	case s.ID == 0:
		return idempotency.Event, nil
	case last >= 0 && s.Plates[last].ID == 0:
		return idempotency.Plate, nil
	}
	return "", fmt.Errorf("event %d completes a key with nothing new", s.ID)
}

// Author returns the uid of the event's author.
func (e *Event) Author() user.ID { return e.s.Author }

// AddsDraft reports whether storing next makes one more draft of its author (GEN-14). The event
// that it replaces is nil if next is new.
func AddsDraft(replaced, next *Event) bool {
	return next.s.Status == Draft && (replaced == nil || replaced.s.Status != Draft)
}

// IsBlank reports whether the event has no title, no content, no text in its HTML and
// no plate that is shown (EVT-04).
func (e *Event) IsBlank() bool {
	return text.IsBlank(e.s.Title) && text.IsBlank(e.s.Content) && e.s.HTML.IsBlank() && len(e.s.ShownPlates()) == 0
}

// isEmpty reports whether the event has not one character and no plate. A stored event may be published, blank
// and not empty: Unicode and IsBlank count more characters as invisible over time.
func (e *Event) isEmpty() bool {
	return e.s.Title == "" && e.s.Content == "" && e.s.HTML == "" && len(e.s.Plates) == 0
}

// Listing returns the event's listing in the feed, and whether it is listed. Published,
// public events are listed under their category (FED-04).
func (e *Event) Listing() (feed.Listing, bool) {
	if !e.VisibleTo(subscription.Stranger) {
		return feed.Listing{}, false
	}
	return feed.Listing{
		Kind: feed.Event, ID: int64(e.s.ID), Category: e.s.Category,
		Created: e.s.Created, Updated: e.s.Modified,
	}, true
}

// Change is an author's edit of an event. Nil fields leave the event unchanged, its
// permission included, so that editing a title never exposes a private event (EVT-06).
type Change struct {
	Title      *string
	Content    *string
	HTML       *string // as sent, not sanitised
	Date       *calendar.Date
	Permission *Permission
	Category   *feed.CategoryID // zero: none
	Publish    *bool            // true: publish; false: make it a draft (EVT-04, EVT-05)

	sanitised *markup.HTML // what New and Apply store of HTML
}

// Sanitised returns the change with its HTML sanitised, as New and Apply need it.
func (c Change) Sanitised(s markup.Sanitiser) Change {
	if c.HTML != nil {
		c.sanitised = new(s.Sanitise(*c.HTML))
	}
	return c
}

// Check returns the faults of the fields that do not depend on the event, where today is the author's. HTML is limited
// as sent, so that sanitising it stays cheap, and once more after that.
func (c Change) Check(today calendar.Date) fault.Fields {
	wrong := c.check()
	if c.Date != nil && c.Date.Time().After(today.Time().AddDate(1, 0, 0)) {
		wrong.Add("event_time", "Choose a day that is at most a year ahead.")
	}
	return wrong
}

// check is Check without the limit of the day, which holds when the day is chosen.
func (c Change) check() fault.Fields {
	var wrong fault.Fields
	if c.Title != nil {
		if p := TitleLimit.Line(new(*c.Title)); p != text.Blank { // that of a draft may be blank
			wrong.Add("title", p)
		}
	}
	if c.Content != nil {
		wrong.Add("content", ContentLimit.Problem(*c.Content))
	}
	if c.HTML != nil {
		wrong.Add("html_content", HTMLLimit.Problem(*c.HTML))
	}
	if c.sanitised != nil && len(wrong["html_content"]) == 0 {
		wrong.Add("html_content", HTMLLimit.Problem(string(*c.sanitised)))
	}
	if c.Date != nil && c.Date.IsZero() {
		wrong.Add("event_time", "Date has wrong format. Use YYYY-MM-DD.")
	}
	if c.Permission != nil && !slices.Contains(Permissions(), *c.Permission) {
		wrong.Add("view_permission", text.NoChoice(*c.Permission, Permissions()...))
	}
	if c.Category != nil && *c.Category < 0 {
		wrong.Add("category", NoCategory)
	}
	return wrong
}

// NoCategory is the sentence about a category that does not exist.
const NoCategory = "Category not found."

// Apply makes the whole change or, if it fails, none of it. An event whose text
// changes loses its place until Locate. An event that becomes or stays published must
// not be blank: the fault is on publish if the change sets it, else on the changed
// texts. A change of neither leaves a stored event as blank as it is. An event keeps the moment at which it was first
// published, also as a draft (EVT-23). HTML that is not sanitised is an error of
// the caller.
func (e *Event) Apply(c Change, now time.Time) error {
	if err := c.check().Err(); err != nil {
		return err
	}
	if c.HTML != nil && c.sanitised == nil {
		return errNotSanitised
	}
	next := e.after(c)
	if next.s.Status == Normal && next.IsBlank() {
		if err := blankFault(c); err != nil {
			return err
		}
	}
	if !reflect.DeepEqual(next.s, e.s) {
		next.s.Modified = later(e.s.Modified, now)
	}
	if next.s.Status == Normal && next.s.Published.IsZero() {
		next.s.Published = next.s.Modified
	}
	*e = next
	return nil
}

var errNotSanitised = errors.New("HTML of an event is not sanitised")

// after returns the event with the change made, without checking the result.
func (e *Event) after(c Change) Event {
	next := Event{s: e.State()}
	s := &next.s
	if t := c.TextAfter(e.Text()); t != e.Text() {
		s.Title, s.Content, s.Place = t.Title, t.Content, place.Place{}
	}
	set(&s.HTML, c.sanitised)
	set(&s.Date, c.Date)
	set(&s.Permission, c.Permission)
	set(&s.Category, c.Category)
	if c.Publish != nil {
		if s.Status = Draft; *c.Publish {
			s.Status = Normal
		}
	}
	return next
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// later returns now, but never a time before the last modification: the clocks of two
// servers may differ.
func later(last, now time.Time) time.Time {
	if now = instant.Normalise(now); now.Before(last) {
		return last
	}
	return now
}

// blankFault returns the fault of a published event that would be blank, or nil if the change has no part in that.
func blankFault(c Change) error {
	const sentence = "A published event may not be blank."
	if c.Publish != nil {
		return fault.Field("publish", sentence)
	}
	var wrong fault.Fields
	if c.Title != nil {
		wrong.Add("title", sentence)
	}
	if c.Content != nil {
		wrong.Add("content", sentence)
	}
	if c.HTML != nil {
		wrong.Add("html_content", sentence)
	}
	return wrong.Err()
}
