package ports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/place"
)

var eventChanging = []promise{
	{"Change stores what fn makes of the event, and returns it with its counts", changeStores},
	{"new plates get their numbers, and the others keep theirs", changePlates},
	{"if fn fails or panics, the context ends inside it, or the event comes to refer to nothing, nothing is stored", changeFails},
	{"Changes at once lose nothing", changesAtOnce},
	{"no reader sees a partial Change", changeNeverHalf},
	{"a Change and a Remove at once leave nothing behind", changeAgainstRemove},
}

var eventRemoving = []promise{
	{"Remove deletes the event, and one of many at once gets what it was", removeAtOnce},
}

// change stores a change that must succeed.
func (w *fixtures) change(id event.ID, fn func(*event.Event) error) event.Entry {
	w.Helper()
	e, err := w.Events.Change(w.Context(), id, fn)
	require.NoError(w, err)
	return w.copy(e)
}

func changeStores(w *fixtures) {
	author := w.newUser()
	e, bystander := w.write(author, noon), w.write(author, noon)
	w.say(e.ID(), author, noon, "One")
	w.like(e.ID(), author, true)
	later := noon.Add(time.Hour)
	for i, edit := range []edit{
		titled("Another"), titled(""), dated(date(w, "2026-02-28")), published(false),
		permitted(event.Private), permitted(event.Public), published(true), under(w.category(1)), under(w.category(2)), under(0),
		func(c *event.Change) { c.Content = new("Content") },
		func(c *event.Change) { c.HTML = new("<p>Text</p>") },
		func(c *event.Change) { c.HTML = new("") },
	} {
		if i == 1 { // a published event is never blank
			w.change(e.ID(), func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: "plates/a"}, later) })
		}
		want := w.entry(e.ID())
		later = later.Add(time.Microsecond)
		require.NoError(w, apply(later, edit)(want.Event))
		got := w.change(e.ID(), apply(later, edit))
		assert.Equal(w, want, got, "%d", i)
		assert.Equal(w, want, w.entry(e.ID()), "%d", i)
	}
	at := place.Place{Province: "北京市", City: "北京市"}
	w.change(e.ID(), func(e *event.Event) error { return e.Locate(e.Text(), at) })
	assert.Equal(w, at, w.entry(e.ID()).State().Place)
	assert.Equal(w, event.Counts{Comments: 1, Likes: 1}, w.entry(e.ID()).Counts)
	assert.Equal(w, stateOf(bystander), stateOf(w.entry(bystander.ID()).Event))
}

func changePlates(w *fixtures) {
	author := w.newUser()
	other := w.stores(w.rich(author))
	e := w.stores(w.rich(author))
	old := e.State().Plates

	// The new plate is added later, by a server whose clock is behind.
	got := w.change(e.ID(), func(e *event.Event) error {
		if _, err := e.RemovePlate(old[0].ID, noon); err != nil {
			return err
		}
		return e.AddPlate(event.Plate{Photo: "plates/c"}, noon)
	})
	plates := got.State().Plates
	require.Len(w, plates, 2)
	assert.Equal(w, old[1], plates[0])
	added := plates[1]
	assert.Equal(w, event.Plate{ID: added.ID, Photo: "plates/c", Created: noon}, added)
	for _, taken := range append(other.State().Plates, old...) {
		assert.NotEqual(w, taken.ID, added.ID)
	}
	assert.Equal(w, stateOf(got.Event), stateOf(w.entry(e.ID()).Event))
	assert.Equal(w, stateOf(other), stateOf(w.entry(other.ID()).Event))
}

// changeFails also shows that an error of fn comes back as it is, and that later calls are served.
func changeFails(w *fixtures) {
	e := w.stores(w.rich(w.newUser()))
	before, listed := w.entry(e.ID()), w.listed()
	unchanged := func() {
		assert.Equal(w, before, w.entry(e.ID()))
		assert.Equal(w, listed, w.listed())
	}
	fails := func(ctx context.Context, end func(*event.Event) error) error {
		defer w.promptly(unchanged)
		_, err := w.Events.Change(ctx, e.ID(), func(e *event.Event) error {
			w.spoil(e)
			return end(e)
		})
		return err
	}
	for _, want := range []error{errBoom, event.ErrLastPlate, event.ErrTextChanged, fault.Field("publish", "No.")} {
		assert.True(w, want == fails(w.Context(), func(*event.Event) error { return want }), "%v", want)
	}
	err := fails(w.Context(), apply(noon, under(9)))
	assert.True(w, fault.Is(err, fault.Internal), "%v", err)
	ctx, leave := context.WithCancel(w.Context())
	assert.ErrorIs(w, fails(ctx, func(*event.Event) error {
		leave()
		return nil
	}), context.Canceled)
	assert.Panics(w, func() { _ = fails(w.Context(), func(*event.Event) error { panic("boom") }) })
	w.change(e.ID(), apply(noon, titled("Another")))
}

// spoil changes every field of a rich event.
func (w *fixtures) spoil(e *event.Event) {
	w.Helper()
	w.attach(e, noon.Add(time.Hour), "spoilt")
	_, err := e.RemovePlate(e.State().Plates[0].ID, noon)
	require.NoError(w, err)
	require.NoError(w, e.Apply(change(dated(pi), permitted(event.Public), under(0), withTexts("spoilt")), noon.Add(time.Hour)))
}

func changesAtOnce(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon, published(false))
	w.category(1)
	edits := []edit{
		titled("Title"), dated(date(w, "2026-02-28")), permitted(event.Contact), under(1),
		func(c *event.Change) { c.Content = new("Content") },
		func(c *event.Change) { c.HTML = new("<p>Text</p>") },
		published(true),
	}
	w.succeed(atOnce(many, func(i int) error {
		_, err := w.Events.Change(w.Context(), e.ID(), func(e *event.Event) error {
			if i < len(edits) {
				return e.Apply(change(edits[i]), noon.Add(time.Hour))
			}
			return e.AddPlate(event.Plate{Photo: media.Key(fmt.Sprint("plates/", i))}, noon.Add(time.Hour))
		})
		return err
	}))
	s := w.entry(e.ID()).State()
	numbers, photos := map[event.PlateID]bool{}, map[string]bool{}
	for _, p := range s.Plates {
		numbers[p.ID], photos[string(p.Photo)] = true, true
	}
	assert.Len(w, numbers, many-len(edits))
	assert.Len(w, photos, many-len(edits))
	s.Plates = nil
	assert.Equal(w, event.State{
		ID: e.ID(), Author: author, Date: date(w, "2026-02-28"), Title: "Title", Content: "Content", HTML: "<p>Text</p>",
		Category: feed.CategoryID(1), Permission: event.Contact, Status: event.Normal, Created: noon, Modified: noon.Add(time.Hour),
		Published: noon.Add(time.Hour),
	}, s)
}

// changeNeverHalf moves all that an event shows from its title to a plate and back: halfway it would be blank, or show both.
func changeNeverHalf(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon)
	w.say(e.ID(), author, noon, "One")
	move := func(e *event.Event) error {
		plates := e.State().Plates
		if len(plates) == 0 {
			return errors.Join(e.AddPlate(event.Plate{Photo: "plates/a"}, noon), e.Apply(change(titled("")), noon))
		}
		if err := e.Apply(change(titled("An event")), noon); err != nil {
			return err
		}
		_, err := e.RemovePlate(plates[0].ID, noon)
		return err
	}
	for i, err := range atOnce(4, func(i int) error {
		for range 50 {
			var err error
			if i == 0 {
				_, err = w.Events.Change(w.Context(), e.ID(), move)
			} else {
				err = w.seesWhole(e)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}) {
		assert.NoError(w, err, "%d", i)
	}
}

func (w *fixtures) seesWhole(e *event.Event) error {
	found, err := w.readEveryWay(e)
	for _, e := range found {
		if s := e.State(); (s.Title == "") != (len(s.Plates) == 1) {
			err = errors.Join(err, fmt.Errorf("title %q with %d plates", s.Title, len(s.Plates)))
		}
	}
	return err
}

func changeAgainstRemove(w *fixtures) {
	author := w.newUser()
	for range 8 {
		e := w.write(author, noon)
		var removed *event.Event
		added := atOnce(many, func(i int) media.Key {
			if i == 0 {
				var err error
				removed, err = w.Events.Remove(w.Context(), e.ID())
				assert.NoError(w, err)
				return ""
			}
			photo := media.Key(fmt.Sprint("plates/", i))
			_, err := w.Events.Change(w.Context(), e.ID(), func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: photo}, noon) })
			if err != nil {
				assert.ErrorIs(w, err, event.ErrNotFound)
				return ""
			}
			return photo
		})
		require.NotNil(w, removed)
		gone := []media.Key{}
		for _, p := range removed.State().Plates {
			gone = append(gone, p.Photo)
		}
		added = slices.DeleteFunc(added, func(k media.Key) bool { return k == "" })
		assert.ElementsMatch(w, added, gone, "the pictures of the event, all of which must follow")
		w.gone(e.ID())
		assert.Empty(w, w.listed())
	}
}

func removeAtOnce(w *fixtures) {
	e := w.stores(w.rich(w.newUser()))
	want := w.entry(e.ID()).State()
	assertOneWins(w, atOnce(many, func(int) error {
		removed, err := w.Events.Remove(w.Context(), e.ID())
		if err == nil {
			assert.Equal(w, want, removed.State())
		}
		return err
	}), event.ErrNotFound)
	w.gone(e.ID())
	assert.NotEqual(w, e.ID(), w.write(e.Author(), noon).ID(), "no number is given twice")
}
