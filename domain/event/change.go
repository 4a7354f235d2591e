package event

import (
	"reflect"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/place"
	"plaza/domain/text"
)

// Change is what an author wants of an event. Nil fields leave it as it is: a
// permission, too, so that mending a title never exposes a private event (EVT-06).
type Change struct {
	Title      *string
	Content    *string
	HTML       *markup.HTML
	Date       *Date
	Permission *Permission
	Category   *feed.CategoryID // zero: none
	Publish    *bool            // true publishes, false makes a draft (EVT-04, EVT-05)
}

// Check tells what is wrong with the fields as such, whatever the event.
func (c Change) Check() fault.Fields {
	var wrong fault.Fields
	if c.Title != nil {
		wrong.Add("title", TitleLimit.Problem(text.Trim(*c.Title)))
	}
	if c.Content != nil {
		wrong.Add("content", ContentLimit.Problem(*c.Content))
	}
	if c.HTML != nil {
		wrong.Add("html_content", HTMLLimit.Problem(string(*c.HTML)))
	}
	if c.Date != nil && c.Date.IsZero() {
		wrong.Add("event_time", "Date has wrong format. Use YYYY-MM-DD.")
	}
	if c.Permission != nil && !slices.Contains(Permissions(), *c.Permission) {
		wrong.Add("view_permission", "This is not a valid choice: 0, 100 or 200.")
	}
	if c.Category != nil && *c.Category < 0 {
		wrong.Add("category", NoCategory)
	}
	return wrong
}

// NoCategory is the sentence about a category that is not there.
const NoCategory = "There is no such category."

// TextAfter returns the text that an event with this one will have.
func (c Change) TextAfter(t Text) Text {
	if c.Title != nil {
		t.Title = text.Trim(*c.Title)
	}
	if c.Content != nil {
		t.Content = *c.Content
	}
	return t
}

// Apply makes the change, all of it or, when it fails, nothing. A text that
// becomes another loses its place until Locate. An event that becomes or stays
// published must not be blank: the fault is on publish where that was asked for,
// else on the texts that were sent.
func (e *Event) Apply(c Change, now time.Time) error {
	if err := c.Check().Err(); err != nil {
		return err
	}
	next := e.after(c)
	if next.s.Status == Normal && next.IsBlank() {
		return blankFault(c)
	}
	if !reflect.DeepEqual(next.s, e.s) {
		next.s.Modified = later(e.s.Modified, now)
	}
	*e = next
	return nil
}

// after is the event with the change made, whether that may be or not.
func (e *Event) after(c Change) Event {
	next := Event{s: e.State()}
	s := &next.s
	if t := c.TextAfter(e.Text()); t != e.Text() {
		s.Title, s.Content, s.Place = t.Title, t.Content, place.Place{}
	}
	set(&s.HTML, c.HTML)
	set(&s.Date, c.Date)
	set(&s.Permission, c.Permission)
	set(&s.Category, c.Category)
	if c.Publish != nil {
		s.Status = Draft
		if *c.Publish {
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

// later is now, but never before the last modification: two servers' clocks may
// differ.
func later(last, now time.Time) time.Time {
	if now = instant.Normalise(now); now.Before(last) {
		return last
	}
	return now
}

// blankFault is the fault of a published event that would show nothing.
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
