package event

import (
	"errors"
	"reflect"
	"slices"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/place"
	"plaza/domain/text"
)

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

// TextAfter returns the text that an event with text t has after the change.
func (c Change) TextAfter(t Text) Text {
	if c.Title != nil {
		t.Title = text.Line(*c.Title)
	}
	if c.Content != nil {
		t.Content = *c.Content
	}
	return t
}

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
