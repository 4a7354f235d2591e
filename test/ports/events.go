package ports

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/place"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Events is the suite of event.Repository, event.Reader and event.Discussion.
func Events(t *testing.T, open Open) {
	for _, part := range []struct {
		name     string
		promises []promise
	}{
		{"Storing", eventStoring}, {"Changing", eventChanging}, {"Removing", eventRemoving},
		{"Listing", eventListing}, {"Locating", eventLocating}, {"What is around", eventRelated}, {"Discussing", eventDiscussing},
	} {
		t.Run(part.name, func(t *testing.T) { open.keeps(t, part.promises) })
	}
	t.Run("Changing what was read", func(t *testing.T) {
		open.keeps(t, eventChangingRead)
		open.readingFirst().keeps(t, eventChanging)
	})
}

var eventStoring = []promise{
	{"Add stores the event and returns it with its number, its plates with theirs", addEvent},
	{"an event that refers to nothing is an error, and is not stored", addDangling},
	{"Get returns the event with its counts, or ErrNotFound, and so does Remove", getEvent},
	{"texts at their limits come back as they went in", eventTexts},
	{"days and instants come back as they went in", eventTimes},
}

// rich is an event that is not stored yet, none of whose facts is zero.
func (w *fixtures) rich(author user.ID) *event.Event {
	e := w.written(author, noon, titled("In 西湖"), dated(date(w, "2026-02-28")), permitted(event.Contact),
		under(w.category(1)), func(c *event.Change) {
			c.Content, c.HTML = new("O'Brien \\ \"%_\"\n\t "), new("<p>Hello &amp; goodbye</p>")
		}, withTexts("rich"))
	require.NoError(w, e.Locate(e.Text(), place.Place{Province: "浙江省", City: "杭州市", District: "西湖区"}))
	w.attach(e, noon.Add(time.Minute), "plates/b", "plates/a")
	return e
}

// attach adds plates to an event at hand.
func (w *fixtures) attach(e *event.Event, at time.Time, photos ...media.Key) {
	for _, photo := range photos {
		require.NoError(w, e.AddPlate(event.Plate{Photo: photo, Width: 40, Height: 30}, at))
	}
}

func addEvent(w *fixtures) {
	e := w.rich(w.newUser())
	added := w.stores(e)
	require.Positive(w, added.ID())

	want, got := e.State(), added.State()
	want.ID = got.ID
	require.Len(w, got.Plates, 2)
	for i, p := range got.Plates {
		require.Positive(w, p.ID)
		want.Plates[i].ID = p.ID
	}
	assert.Equal(w, want, got)
	assert.NotEqual(w, got.Plates[0].ID, got.Plates[1].ID)
	assert.Equal(w, want, w.entry(got.ID).State())
	assertComplete(w, []event.State{want}, "Completes", "Plates.Bytes", "Plates.Hidden", "IsHidden")
	assert.Zero(w, e.ID(), "what went in stays as it was")
	assert.Zero(w, e.State().Plates[0].ID)
}

func addDangling(w *fixtures) {
	author := w.newUser()
	for name, e := range map[string]*event.Event{
		"category": w.written(author, noon, under(9)),
		"author":   w.written(author+1, noon),
	} {
		_, err := w.Events.Add(w.Context(), e)
		require.Error(w, err, name)
		assert.True(w, fault.Is(err, fault.Internal), "%s: %v", name, err)
		assert.Empty(w, w.list(event.Query{Author: e.Author(), Viewer: e.Author()}).Items, name)
	}
	assert.Empty(w, w.listed())
}

func getEvent(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	assert.Zero(w, w.entry(e.ID()).Counts)
	w.say(e.ID(), other, noon, "One")
	w.say(e.ID(), other, noon, "Two")
	w.like(e.ID(), author, true)
	entry := w.entry(e.ID())
	assert.Equal(w, event.Counts{Comments: 2, Likes: 1}, entry.Counts)
	assert.Equal(w, stateOf(e), stateOf(entry.Event))
	for _, id := range []event.ID{0, -1, e.ID() + 1} {
		w.gone(id)
		_, err := w.Events.Remove(w.Context(), id)
		assert.ErrorIs(w, err, event.ErrNotFound, "%d", id)
	}
}

func eventTexts(w *fixtures) {
	author := w.newUser()
	html := strings.Repeat("🀄", event.HTMLLimit.Bytes/4)
	e := w.written(author, noon, titled(broad(event.TitleLimit.Chars)), func(c *event.Change) {
		c.Content, c.HTML = new(broad(event.ContentLimit.Chars)), &html
	})
	for range event.MaxPlates {
		w.attach(e, noon, media.Key(broad(64)))
	}
	added := w.stores(e)
	stored := w.entry(added.ID())
	assert.True(w, e.Text() == stored.Text())
	assert.True(w, html == string(stored.State().HTML))
	assert.Len(w, stored.State().Plates, event.MaxPlates)

	said := w.say(added.ID(), author, noon, broad(event.CommentLimit.Chars))
	kept, err := w.Discussion.Comment(w.Context(), said.ID)
	require.NoError(w, err)
	assert.True(w, said.Content == kept.Content)
	assert.Equal(w, broad(event.CommentLimit.Chars), kept.Content)
}

func eventTimes(w *fixtures) {
	author := w.newUser()
	for _, day := range []string{"0001-01-01", "0999-12-31", "1969-12-31", "2024-02-29", "2026-03-29", "9999-12-31"} {
		for _, at := range []time.Time{
			noon, time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC),
			time.Date(2026, 3, 29, 2, 30, 0, 1000, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		} {
			e := w.write(author, at, dated(date(w, day)))
			s := w.entry(e.ID()).State()
			assert.Equal(w, stateOf(e), stateOf(w.entry(e.ID()).Event))
			assert.Equal(w, day, s.Date.String())
			assert.True(w, s.Created == at && s.Modified == at, "%v became %v and %v", at, s.Created, s.Modified)
		}
	}
}

// readEveryWay is the event, the only one of its author and of its day, from everything that reads events.
func (w *fixtures) readEveryWay(e *event.Event) ([]*event.Event, error) {
	author, day := e.Author(), e.State().Date
	got, err := w.Events.Get(w.Context(), e.ID())
	if err != nil {
		return nil, err
	}
	list, err := w.EventReader.List(w.Context(), event.Query{Author: author, Viewer: author})
	if err != nil {
		return nil, err
	}
	commented, err := w.EventReader.Commented(w.Context(), author, 10)
	if err != nil {
		return nil, err
	}
	around, err := w.Related.Load(w.Context(), event.RelatedQuery{Viewer: author, Dates: []calendar.Date{day}, Events: 10})
	return slices.Concat([]*event.Event{got.Event}, eventsOf(list.Items), eventsOf(commented), around.Events[day]), err
}

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
