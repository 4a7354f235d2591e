package diary

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"plaza/domain/event"
	"plaza/domain/place"
)

// Places compares the places of all events with their texts: an event that was
// written before the analyser knew better keeps its place until somebody looks.
type Places struct {
	events   event.Repository
	reader   event.Reader
	analyser place.Analyser
}

// NewPlaces returns the use cases over the ports.
func NewPlaces(events event.Repository, reader event.Reader, analyser place.Analyser) *Places {
	return &Places{events: events, reader: reader, analyser: analyser}
}

// Misplaced is an event whose place is not the one that its text is about.
type Misplaced struct {
	Event  event.ID
	Stored place.Place
	Found  place.Place // in the text
	Mended bool
}

// placesAtOnce is how many events are read at once: a few megabytes, even where
// every text is as long as it may be.
const placesAtOnce = 100

// Check goes through all events, drafts too, and finds those whose place is not the
// one that the analyser finds in their text now. With repair it stores that one,
// which is no modification of the event. Servers may go on meanwhile: what they
// change or delete is judged as they leave it.
func (p *Places) Check(ctx context.Context, repair bool) iter.Seq2[Misplaced, error] {
	return func(yield func(Misplaced, error) bool) {
		for after, more := event.ID(0), true; more; {
			some, err := p.reader.Located(ctx, after, placesAtOnce)
			if err != nil {
				yield(Misplaced{}, fmt.Errorf("reading the events after %d: %w", after, err))
				return
			}
			for _, e := range some {
				found, err := p.look(ctx, e, repair)
				if err != nil {
					yield(Misplaced{}, fmt.Errorf("looking at the place of event %d: %w", e.ID, err))
					return
				}
				if found != nil && !yield(*found, nil) {
					return
				}
				after = e.ID
			}
			more = len(some) == placesAtOnce
		}
	}
}

// look is nil when the event's place is the one of its text. What looks wrong was
// read a while ago, so it is judged as it is now. An event whose text becomes another
// each time is told as it was last, and not mended.
func (p *Places) look(ctx context.Context, e event.Located, repair bool) (found *Misplaced, err error) {
	known, err := p.analyse(ctx, e.Text)
	if err != nil || known.at == e.Place {
		return nil, err
	}
	for range placeTries {
		found, err = p.judge(ctx, e.ID, &known, repair)
		switch {
		case err == nil:
			return found, nil
		case errors.Is(err, event.ErrNotFound):
			return nil, nil
		case !errors.Is(err, event.ErrTextChanged):
			return nil, err
		}
	}
	found.Mended = false
	return found, nil
}

// judge says what is wrong with the event as it is now, and mends it; event.ErrMoved
// when its text became another meanwhile. What is known of its text need not be found
// out again.
func (p *Places) judge(ctx context.Context, id event.ID, known *analysed, repair bool) (*Misplaced, error) {
	now, err := p.events.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if now.Text() != known.Text {
		if *known, err = p.analyse(ctx, now.Text()); err != nil {
			return nil, err
		}
	}
	found := &Misplaced{Event: id, Stored: now.State().Place, Found: known.at, Mended: repair}
	if found.Stored == found.Found {
		return nil, nil
	}
	if repair {
		_, err = p.events.ChangeRead(ctx, now, func(e *event.Event) error { return e.Locate(known.Text, known.at) })
	}
	return found, err
}

// analysed is a text and the place that it is about.
type analysed struct {
	event.Text
	at place.Place
}

func (p *Places) analyse(ctx context.Context, t event.Text) (analysed, error) {
	at, err := p.analyser.Analyse(ctx, t.Title, t.Content)
	return analysed{t, at}, err
}
