// Package places holds the use case of `plaza check` that compares the stored places of
// events with their texts.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package places

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"plaza/domain/event"
	"plaza/domain/place"
)

// Places implements the use case. Stored places become outdated when the analyser improves.
type Places struct {
	events   event.Repository
	reader   event.Reader
	analyser place.Analyser
}

// New returns the use case over the ports.
func New(events event.Repository, reader event.Reader, analyser place.Analyser) *Places {
	return &Places{events: events, reader: reader, analyser: analyser}
}

// Misplaced is an event whose stored place differs from the place in its text.
type Misplaced struct {
	Event    event.ID
	Stored   place.Place
	Found    place.Place // in the text
	Repaired bool
}

// pageSize is how many events are read at once: a few megabytes at most.
const pageSize = 100

// Check yields the events, drafts included, whose stored place differs from the one that the
// analyser finds in their text. With repair it stores the found place; that does not count
// as a modification of the event. Servers may run meanwhile: an event that they change is
// checked in its new state, one that they delete is skipped.
func (p *Places) Check(ctx context.Context, repair bool) iter.Seq2[Misplaced, error] {
	return func(yield func(Misplaced, error) bool) {
		for after, more := event.ID(0), true; more; {
			some, err := p.reader.Located(ctx, after, pageSize)
			if err != nil {
				yield(Misplaced{}, fmt.Errorf("read events after %d: %w", after, err))
				return
			}
			for _, e := range some {
				found, err := p.checkOne(ctx, e, repair)
				if err != nil {
					yield(Misplaced{}, fmt.Errorf("check place of event %d: %w", e.ID, err))
					return
				}
				if found != nil && !yield(*found, nil) {
					return
				}
				after = e.ID
			}
			more = len(some) == pageSize
		}
	}
}

// maxTries is how often an event is compared if others keep changing its text.
const maxTries = 3

// checkOne returns nil if the event's place matches its text. A mismatch is compared again
// with the event's current state, because e was read a while ago. If the text changes during
// every try, checkOne returns the last mismatch as not repaired.
func (p *Places) checkOne(ctx context.Context, e event.Located, repair bool) (found *Misplaced, err error) {
	known, err := p.analyse(ctx, e.Text)
	if err != nil || known.at == e.Place {
		return nil, err
	}
	for range maxTries {
		found, err = p.compare(ctx, e.ID, &known, repair)
		switch {
		case err == nil:
			return found, nil
		case errors.Is(err, event.ErrNotFound):
			return nil, nil
		case !errors.Is(err, event.ErrTextChanged):
			return nil, err
		}
	}
	found.Repaired = false
	return found, nil
}

// compare returns the mismatch of the event's current state, or nil, and repairs it if repair
// is set. It returns event.ErrTextChanged if the text changes meanwhile. It reuses known if
// the text is the same.
func (p *Places) compare(ctx context.Context, id event.ID, known *analysed, repair bool) (*Misplaced, error) {
	now, err := p.events.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if now.Text() != known.Text {
		if *known, err = p.analyse(ctx, now.Text()); err != nil {
			return nil, err
		}
	}
	found := &Misplaced{Event: id, Stored: now.State().Place, Found: known.at, Repaired: repair}
	if found.Stored == found.Found {
		return nil, nil
	}
	if repair {
		_, err = p.events.ChangeRead(ctx, now, func(e *event.Event) error { return e.Locate(known.Text, known.at) })
	}
	return found, err
}

type analysed struct {
	event.Text
	at place.Place
}

func (p *Places) analyse(ctx context.Context, t event.Text) (analysed, error) {
	at, err := p.analyser.Analyse(ctx, t.Title, t.Content)
	return analysed{t, at}, err
}
