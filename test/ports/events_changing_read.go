package ports

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/place"
	"plaza/domain/ratelimit"
)

// eventChangingRead is what ChangeRead promises beyond what Change does, which is held to readFirst.
var eventChangingRead = []promise{
	{"if the event was changed since, fn gets it as it is and nothing is lost", changeReadOld},
	{"if the event was removed since, it is ErrNotFound", changeReadRemoved},
}

// readFirst is a repository whose Change gets the event and makes ChangeRead change
// it, as the diary does: every promise of Change must hold for both together.
type readFirst struct{ event.Repository }

func (r readFirst) Change(ctx context.Context, id event.ID, fn func(*event.Event) error, charges ...ratelimit.Charge) (event.Entry, error) {
	read, err := r.Get(ctx, id)
	if err != nil {
		return event.Entry{}, err
	}
	return r.ChangeRead(ctx, read, fn, charges...)
}

// readingFirst opens the same stores, where Change is that of readFirst.
func (open Open) readingFirst() Open {
	return func(t *testing.T) Stores {
		s := open(t)
		s.Events = readFirst{s.Events}
		return s
	}
}

// got is the event as Get hands it out, by which ChangeRead knows it again.
func (w *fixtures) got(id event.ID) event.Entry {
	w.Helper()
	e, err := w.Events.Get(w.Context(), id)
	require.NoError(w, err)
	return e
}

// changeRead stores a change that must succeed.
func (w *fixtures) changeRead(read event.Entry, fn func(*event.Event) error) event.Entry {
	w.Helper()
	e, err := w.Events.ChangeRead(w.Context(), read, fn)
	require.NoError(w, err)
	return e
}

// same leaves the event as it is.
func same(*event.Event) error { return nil }

// changeReadOld changes, one after the other, all that an event has, each time having read what it was before any of that.
func changeReadOld(w *fixtures) {
	w.category(1)
	w.category(2)
	e := w.stores(w.rich(w.newUser()))
	read, at := w.got(e.ID()), place.Place{Province: "北京市", City: "北京市"}
	want := w.copy(read)
	later := noon.Add(time.Hour)
	for i, fn := range []func(*event.Event) error{
		apply(later, titled("Another")), apply(later.Add(1000), under(2)), apply(later.Add(2000), permitted(event.Public)),
		func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: "plates/c"}, later) },
		func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: "plates/d"}, later) },
		func(e *event.Event) error { return e.Locate(e.Text(), at) },
		func(e *event.Event) error {
			_, err := e.RemovePlate(e.State().Plates[0].ID, later)
			return err
		},
		apply(later.Add(3000), dated(date(w, "2026-03-01"))), apply(later.Add(4000), under(0)), apply(later.Add(5000), published(false)),
	} {
		require.NoError(w, fn(want.Event), "%d", i)
		var ran event.State
		got := w.changeRead(read, func(e *event.Event) error {
			err := fn(e)
			ran = stateOf(e)
			return err
		})
		stored := w.entry(e.ID())
		assert.Equal(w, numberless(want.State()), numberless(stored.State()), "%d", i)
		assert.Equal(w, stored, w.copy(got), "%d", i)
		assert.Equal(w, numberless(want.State()), numberless(ran), "%d: what is stored is what fn made last", i)
		assert.Equal(w, listingsOf([]*event.Event{stored.Event}), w.listed(), "%d", i)
		want = stored // whose plates have their numbers
	}
}

// numberless is the state without the numbers of its plates.
func numberless(s event.State) event.State {
	s.Plates = slices.Clone(s.Plates)
	for i := range s.Plates {
		s.Plates[i].ID = 0
	}
	return s
}

func changeReadRemoved(w *fixtures) {
	e := w.stores(w.rich(w.newUser()))
	read := w.got(e.ID())
	w.remove(e.ID())
	for i, fn := range []func(*event.Event) error{
		func(e *event.Event) error {
			w.spoil(e)
			return nil
		},
		apply(noon.Add(time.Hour), permitted(event.Public)), same, func(*event.Event) error { return errBoom },
	} {
		_, err := w.Events.ChangeRead(w.Context(), read, fn)
		assert.ErrorIs(w, err, event.ErrNotFound, "%d", i)
	}
	w.gone(e.ID())
	assert.Empty(w, w.listed())
}
