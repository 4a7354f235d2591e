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
	"slices"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
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
	// ErrTextChanged is returned if the text changed since it was analysed.
	ErrTextChanged = errors.New("event text changed since it was analysed")
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

// AtCursor returns the place of the published event in a timeline, whose later pages have lesser cursors (EVT-23).
func (s State) AtCursor() page.Cursor {
	return page.Cursor{Rank: s.Published.UnixMicro(), ID: int64(s.ID)}
}

// AtDay returns the place of the event in a list of the zero Ordering (GEN-18).
func (s State) AtDay() page.Cursor {
	return page.Cursor{Rank: s.Date.Days(), Tie: s.Created.UnixMicro(), ID: -int64(s.ID)}
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

// AtCursor is State.AtCursor.
func (e *Event) AtCursor() page.Cursor { return e.s.AtCursor() }

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

// IsHidden reports whether staff have hidden the event.
func (e *Event) IsHidden() bool { return e.s.IsHidden }

// Turn shows the event to its author alone, or again to those who could see it, with what its author changed meanwhile. All its
// plates move. It returns moderation.ErrHidden or ErrNotHidden if nothing changes.
func (e *Event) Turn(isHidden bool, moves media.Moves) (err error) {
	if e.s.IsHidden, err = moderation.Turned(e.s.IsHidden, isHidden); err != nil {
		return err
	}
	for i := range e.s.Plates {
		p := &e.s.Plates[i]
		if p.Photo, err = moves.Of(p.Photo); err != nil {
			return err
		}
	}
	return nil
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

// Text is the part of an event that the analyser reads to find its place.
type Text struct{ Title, Content string }

// Text returns the text that the event's place belongs to.
func (e *Event) Text() Text { return Text{e.s.Title, e.s.Content} }

// Located is an event's text and the place that is stored with it.
type Located struct {
	ID ID
	Text
	Place place.Place
}

// Locate sets the place that was found in the text. It returns ErrTextChanged if the
// event has another text by now.
func (e *Event) Locate(in Text, p place.Place) error {
	if in != e.Text() {
		return ErrTextChanged
	}
	e.s.Place = p
	return nil
}
