package ports

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/place"
	"plaza/domain/user"
)

// Events is the suite of event.Repository, event.Reader and event.Discussion, and of the feed that they keep.
func Events(t *testing.T, open Open) {
	for _, part := range []struct {
		name     string
		promises []promise
	}{
		{"Storing", eventStoring}, {"Changing", eventChanging}, {"Removing", eventRemoving},
		{"Listing", eventListing}, {"Locating", eventLocating}, {"What is around", eventRelated}, {"Discussing", eventDiscussing},
		{"Feed", eventFeed},
	} {
		t.Run(part.name, func(t *testing.T) { open.keeps(t, part.promises) })
	}
	t.Run("Changing what was read", func(t *testing.T) {
		open.keeps(t, eventChangingRead)
		open.readingFirst().keeps(t, eventChanging)
		open.readingFirst().keeps(t, eventFeed)
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
	w.Helper()
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
	w.Helper()
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
