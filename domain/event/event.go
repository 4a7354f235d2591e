// Package event models diary events: what a member wrote about a day, what is
// attached to it, what others said of it, and who may see it.
//
// An event starts as a draft and becomes visible, to those whom its permission
// admits, when it is published. A published event is never blank. The place of
// an event always belongs to its text.
package event

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/place"
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

// MaxPlates is how many attachments an event has at most (EVT-21).
const MaxPlates = 30

// Faults of events.
var (
	ErrNotFound  = fault.New(fault.NotFound, "There is no such event.")
	ErrNotAuthor = fault.New(fault.Denied, "Only its author may change an event.")
	ErrLastPlate = fault.New(fault.Conflict, "This is all that the published event shows; make it a draft, or delete it.")
	// ErrTextChanged says that the text is no longer the one that was analysed.
	ErrTextChanged = errors.New("the event's text is not the analysed one")
)

// State is all there is to know of an event, for the stores. Only Restore makes
// an event of it again.
type State struct {
	ID         ID
	Author     user.ID
	Date       Date // the day on which it happened
	Title      string
	Content    string
	HTML       markup.HTML
	Category   feed.CategoryID // zero: none
	Permission Permission
	Status     Status
	Place      place.Place
	Plates     []Plate // oldest first
	Created    time.Time
	Modified   time.Time
}

// Event is one diary event.
type Event struct{ s State }

// New returns an event that the author writes now. Its date is the given day
// unless the draft names one. What the text limits, the enumerations or the rule
// of blank published events forbid is a fault on the fields.
func New(author user.ID, d Change, today Date, now time.Time) (*Event, error) {
	e := &Event{s: State{Author: author, Date: today, Created: instant.Normalise(now), Modified: instant.Normalise(now)}}
	if err := e.Apply(d, now); err != nil {
		return nil, err
	}
	return e, nil
}

// Restore makes an event of what a store kept, and fails when that breaks an
// invariant: the store's fault then, never the client's.
func Restore(s State) (*Event, error) {
	e := &Event{s: s}
	e.s.Plates = slices.Clone(s.Plates)
	switch {
	case s.ID <= 0 || s.Author <= 0 || s.Date.IsZero() || s.Created.IsZero() || s.Modified.IsZero():
		return nil, fmt.Errorf("event %d is incomplete", s.ID)
	case !slices.Contains(Statuses(), s.Status) || !slices.Contains(Permissions(), s.Permission):
		return nil, fmt.Errorf("event %d has status %d and permission %d", s.ID, s.Status, s.Permission)
	case s.Status == Normal && e.IsBlank():
		return nil, fmt.Errorf("event %d is published and blank", s.ID)
	case len(s.Plates) > MaxPlates:
		return nil, fmt.Errorf("event %d has %d plates", s.ID, len(s.Plates))
	}
	return e, nil
}

// State returns a copy of all there is to know of the event.
func (e *Event) State() State {
	s := e.s
	s.Plates = slices.Clone(s.Plates)
	return s
}

// ID is the event's number; zero until a store has given it one.
func (e *Event) ID() ID { return e.s.ID }

// Author is who wrote the event.
func (e *Event) Author() user.ID { return e.s.Author }

// IsBlank says whether the event shows nothing: no title, no content, no text in
// its HTML and no plate (EVT-04).
func (e *Event) IsBlank() bool {
	return text.IsBlank(e.s.Title) && text.IsBlank(e.s.Content) && e.s.HTML.IsBlank() && len(e.s.Plates) == 0
}

// Listing says how the event stands in the feed: published, public events are
// listed under their category (FED-04).
func (e *Event) Listing() (feed.Listing, bool) {
	if e.s.Status != Normal || e.s.Permission != Public {
		return feed.Listing{}, false
	}
	return feed.Listing{
		Kind: feed.Xfile, ID: int64(e.s.ID), Category: e.s.Category,
		Created: e.s.Created, Updated: e.s.Modified,
	}, true
}

// Text is the part of an event that its place is found in.
type Text struct{ Title, Content string }

// Text returns the text whose place is the event's.
func (e *Event) Text() Text { return Text{e.s.Title, e.s.Content} }

// Located is an event's text and the place that is stored with it.
type Located struct {
	ID ID
	Text
	Place place.Place
}

// Locate gives the event the place that was found in the text; ErrMoved when the
// event's text is another by now.
func (e *Event) Locate(in Text, p place.Place) error {
	if in != e.Text() {
		return ErrTextChanged
	}
	e.s.Place = p
	return nil
}
