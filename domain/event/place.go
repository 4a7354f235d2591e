package event

import (
	"errors"

	"plaza/domain/place"
	"plaza/domain/text"
)

// ErrTextChanged is returned if the text changed since it was analysed.
var ErrTextChanged = errors.New("event text changed since it was analysed")

// Text is the part of an event that the analyser reads to find its place.
type Text struct{ Title, Content string }

// Text returns the text that the event's place belongs to.
func (e *Event) Text() Text { return Text{e.s.Title, e.s.Content} }

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
