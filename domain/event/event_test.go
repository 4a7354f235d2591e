package event_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/place"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func ptr[T any](v T) *T { return &v }

func fieldsOf(t *testing.T, err error) []string {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v is no fault", err)
	var names []string
	for name := range f.Fields {
		names = append(names, name)
	}
	return names
}

func TestEVT02_a_new_event(t *testing.T) {
	today := calendar.DateOf(noon)
	e, err := event.New(3, event.Change{}, today, noon.Add(123*time.Nanosecond))
	require.NoError(t, err, "a draft may be blank")
	s := e.State()
	assert.Equal(t, event.Draft, s.Status)
	assert.Equal(t, event.Public, s.Permission)
	assert.Equal(t, today, s.Date)
	assert.Equal(t, noon, s.Created, "whole microseconds")

	e, err = event.New(3, event.Change{Title: ptr("  Hello "), Publish: ptr(true)}, today, noon)
	require.NoError(t, err)
	assert.Equal(t, event.Normal, e.State().Status)
	assert.Equal(t, "Hello", e.State().Title, "titles are trimmed (GEN-08)")
}

func TestEVT04_publishing(t *testing.T) {
	later := noon.Add(time.Hour)
	t.Run("a draft becomes normal", func(t *testing.T) {
		e := restored(t, func(s *event.State) { s.Status = event.Draft })
		require.NoError(t, e.Apply(event.Change{Publish: ptr(true)}, later))
		assert.Equal(t, event.Normal, e.State().Status)
		assert.Equal(t, later, e.State().Modified)
	})
	t.Run("publishing what is published changes nothing", func(t *testing.T) {
		e := restored(t, func(*event.State) {})
		before := e.State()
		require.NoError(t, e.Apply(event.Change{Publish: ptr(true)}, later))
		assert.Equal(t, before, e.State())
	})
	t.Run("a blank one is refused and nothing of it stays", func(t *testing.T) {
		e := restored(t, func(s *event.State) { s.Status = event.Draft })
		before := e.State()
		err := e.Apply(event.Change{
			Title: ptr(""), Content: ptr(" \t"), HTML: ptr("<p>&nbsp;<br></p>"),
			Permission: ptr(event.Private), Publish: ptr(true),
		}.Sanitised(asSent{}), later)
		assert.Equal(t, []string{"publish"}, fieldsOf(t, err))
		assert.Equal(t, before, e.State())
	})
	t.Run("one that was published before its title counted as blank stays as it is", func(t *testing.T) {
		e := restored(t, func(s *event.State) { s.Title = "\u3164" })
		require.NoError(t, e.Apply(event.Change{Permission: ptr(event.Private)}, later))
		assert.Equal(t, event.Private, e.State().Permission)
		before := e.State()
		assert.Equal(t, []string{"title"}, fieldsOf(t, e.Apply(event.Change{Title: ptr("")}, later)))
		assert.Equal(t, []string{"publish"}, fieldsOf(t, e.Apply(event.Change{Publish: ptr(true)}, later)))
		assert.Equal(t, before, e.State())
	})
	t.Run("any of the four makes it not blank", func(t *testing.T) {
		for _, c := range []event.Change{
			{Title: ptr("x")}, {Content: ptr("x")}, {HTML: ptr("<p>x</p>")},
		} {
			c.Publish = ptr(true)
			_, err := event.New(1, c.Sanitised(asSent{}), calendar.DateOf(noon), noon)
			assert.NoError(t, err)
		}
		e, err := event.New(1, event.Change{}, calendar.DateOf(noon), noon)
		require.NoError(t, err)
		require.NoError(t, e.AddPlate(event.Plate{Photo: "key"}, noon))
		assert.NoError(t, e.Apply(event.Change{Publish: ptr(true)}, noon))
	})
	t.Run("a published one can't be made blank", func(t *testing.T) {
		e := restored(t, func(*event.State) {})
		err := e.Apply(event.Change{Title: ptr("")}, later)
		assert.Equal(t, []string{"title"}, fieldsOf(t, err))
		assert.Equal(t, "A walk by the lake", e.State().Title)
		assert.NoError(t, e.Apply(event.Change{Title: ptr(""), Publish: ptr(false)}, later), "a draft may be blank")
	})
}

func TestEVT23_an_event_keeps_when_it_was_first_published(t *testing.T) {
	e, err := event.New(1, event.Change{Title: ptr("A walk"), Publish: ptr(true)}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	assert.Equal(t, noon, e.State().Published)

	e = restored(t, func(s *event.State) { s.Status, s.Published = event.Draft, time.Time{} })
	apply := func(hours int, c event.Change) (at time.Time) {
		at = noon.Add(time.Duration(hours) * time.Hour)
		require.NoError(t, e.Apply(c, at))
		return at
	}
	apply(1, event.Change{Title: ptr("A draft"), Publish: ptr(false)})
	assert.Zero(t, e.State().Published)
	first := apply(2, event.Change{Publish: ptr(true)})
	for i, publish := range []bool{true, false, true} {
		apply(3+i, event.Change{Publish: ptr(publish)})
		assert.Equal(t, first, e.State().Published)
	}
	assert.Equal(t, noon, e.State().Created)
	assert.Equal(t, first.UnixMicro(), e.AtCursor().Rank)

	e = restored(t, func(s *event.State) { s.Status, s.Published = event.Draft, time.Time{} })
	moves := media.NewMoves(nil, media.Viewers, noon)
	for _, p := range e.State().Plates {
		moves.To[p.Photo] = p.Photo
	}
	require.NoError(t, e.Turn(true, moves))
	hidden := apply(1, event.Change{Publish: ptr(true)})
	require.NoError(t, e.Turn(false, moves))
	assert.Equal(t, hidden, e.State().Published, "its author published it then")
}

func TestEVT16_the_place_belongs_to_the_text(t *testing.T) {
	hangzhou := place.Place{Province: "浙江省", City: "杭州市"}
	e := restored(t, func(*event.State) {})
	require.NoError(t, e.Locate(e.Text(), hangzhou))
	require.NoError(t, e.Apply(event.Change{Permission: ptr(event.Private)}, noon))
	assert.Equal(t, hangzhou, e.State().Place, "the text has not changed")

	analysed := e.Text()
	require.NoError(t, e.Apply(event.Change{Content: ptr("elsewhere")}, noon))
	assert.True(t, e.State().Place.IsZero(), "the text has changed")
	assert.ErrorIs(t, e.Locate(analysed, hangzhou), event.ErrTextChanged)
	assert.True(t, e.State().Place.IsZero())
}

func TestEVT20_a_change_writes_only_what_it_carries(t *testing.T) {
	for name, c := range map[string]struct {
		change event.Change
		want   func(*event.State)
	}{
		"nothing":            {event.Change{}, func(s *event.State) { s.Modified = noon }},
		"what it is already": {event.Change{Title: ptr(stateOf().Title), Publish: ptr(true)}, func(s *event.State) { s.Modified = noon }},
		"title":              {event.Change{Title: ptr("x")}, func(s *event.State) { s.Title = "x" }},
		"content":            {event.Change{Content: ptr("x")}, func(s *event.State) { s.Content = "x" }},
		"permission":         {event.Change{Permission: ptr(event.Contact)}, func(s *event.State) { s.Permission = event.Contact }},
		"publish":            {event.Change{Publish: ptr(false)}, func(s *event.State) { s.Status = event.Draft }},
	} {
		e, want := restored(t, func(*event.State) {}), stateOf()
		require.NoError(t, e.Apply(c.change, noon.Add(time.Minute)))
		want.Modified = noon.Add(time.Minute)
		c.want(&want)
		assert.Equal(t, want, e.State(), name)
	}
}

func TestLast_modified_never_goes_back(t *testing.T) {
	e := restored(t, func(*event.State) {})
	require.NoError(t, e.Apply(event.Change{Title: ptr("x")}, noon.Add(-time.Hour)))
	assert.Equal(t, noon, e.State().Modified)
}

// asSent is a sanitiser that changes nothing.
type asSent struct{}

func (asSent) Sanitise(raw string) markup.HTML { return markup.HTML(raw) }

// twice is a sanitiser whose result is longer than what it was given.
type twice struct{}

func (twice) Sanitise(raw string) markup.HTML { return markup.HTML(raw + raw) }

func TestEVT18_only_sanitised_HTML_is_stored(t *testing.T) {
	e := restored(t, func(*event.State) {})
	before := e.State()
	raw := event.Change{HTML: ptr("<p>x</p>")}
	require.Error(t, e.Apply(raw, noon))
	assert.Equal(t, before, e.State())
	_, err := event.New(1, raw, calendar.DateOf(noon), noon)
	require.Error(t, err)
	assert.False(t, fault.Is(err, fault.Invalid), "the caller forgot it, not the client")
	require.NoError(t, e.Apply(raw.Sanitised(twice{}), noon))
	assert.EqualValues(t, "<p>x</p><p>x</p>", e.State().HTML)

	long := event.Change{HTML: ptr(strings.Repeat("h", 33<<10))}
	assert.Empty(t, long.Check(calendar.DateOf(noon)))
	assert.Equal(t, []string{"html_content"}, fieldsOf(t, e.Apply(long.Sanitised(twice{}), noon)))
}

func TestEVT21_limits(t *testing.T) {
	at := func(n int) string { return strings.Repeat("字", n) }
	fits := event.Change{Title: ptr(" " + at(200) + " "), Content: ptr(at(20_000)),
		HTML: ptr(strings.Repeat("h", 64<<10))}
	assert.Empty(t, fits.Check(calendar.DateOf(noon)))
	over := event.Change{Title: ptr(at(201)), Content: ptr(at(20_001)),
		HTML: ptr(strings.Repeat("h", 64<<10+1))}
	assert.Len(t, over.Check(calendar.DateOf(noon)), 3, "all at once")
	odd := event.Change{Title: ptr("a\x00b"), Content: ptr("\xff"), Permission: ptr(event.Permission(5)),
		Date: ptr(calendar.Date{})}
	assert.Len(t, odd.Check(calendar.DateOf(noon)), 4)

	e := restored(t, func(*event.State) {})
	for range event.MaxPlates {
		require.NoError(t, e.AddPlate(event.Plate{Photo: "key"}, noon))
	}
	assert.Equal(t, []string{"photo"}, fieldsOf(t, e.AddPlate(event.Plate{Photo: "key"}, noon)))

	_, err := event.NewComment(1, 1, at(2000), noon)
	assert.NoError(t, err)
	_, err = event.NewComment(1, 1, at(2001), noon)
	assert.Equal(t, []string{"content"}, fieldsOf(t, err))
	_, err = event.NewComment(1, 1, " \n", noon)
	assert.Equal(t, []string{"content"}, fieldsOf(t, err))
}

func TestEVT02_an_event_happens_at_most_a_year_ahead(t *testing.T) {
	day := func(y, m, d int) calendar.Date {
		return calendar.DateOf(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC))
	}
	for _, c := range []struct {
		today, date calendar.Date
		fits        bool
	}{
		{day(2026, 11, 20), day(2027, 11, 20), true}, {day(2026, 11, 20), day(2027, 11, 21), false},
		{day(2028, 2, 29), day(2029, 3, 1), true}, {day(2028, 2, 29), day(2029, 3, 2), false},
		{day(2026, 11, 20), day(1, 1, 1), true}, {day(2026, 11, 20), day(9999, 12, 31), false},
	} {
		assert.Equal(t, c.fits, len(event.Change{Date: &c.date}.Check(c.today)) == 0, "%s on %s", c.date, c.today)
	}
}

func TestPlates_come_and_go(t *testing.T) {
	e := restored(t, func(s *event.State) {
		s.Title, s.Plates = "", []event.Plate{{ID: 1, Photo: "a"}, {ID: 2, Photo: "b"}}
	})
	_, err := e.RemovePlate(9, noon)
	assert.Same(t, event.ErrNoPlate, err)
	gone, err := e.RemovePlate(1, noon.Add(time.Minute))
	require.NoError(t, err)
	assert.EqualValues(t, "a", gone.Photo)
	assert.Equal(t, noon.Add(time.Minute), e.State().Modified)
	_, err = e.RemovePlate(2, noon)
	assert.Same(t, event.ErrLastPlate, err, "a published event is never blank")
	assert.Len(t, e.State().Plates, 1)
}

func TestEVT13_ordering(t *testing.T) {
	day, made := event.ByDate, event.ByCreated
	for _, c := range []struct{ terms, want []event.Term }{
		{nil, []event.Term{{day, true}, {made, true}}},
		{[]event.Term{{made, true}}, []event.Term{{made, true}}},
		{[]event.Term{{made, false}, {day, true}, {made, true}}, []event.Term{{made, false}, {day, true}}},
	} {
		o, err := event.NewOrdering(c.terms...)
		require.NoError(t, err)
		assert.Equal(t, c.want, o.Terms())
	}
	for _, key := range []event.Key{"", "id", "Event_Time"} {
		_, err := event.NewOrdering(event.Term{Key: day}, event.Term{Key: key})
		assert.True(t, fault.Is(err, fault.Invalid), "%q", key)
	}
}

func TestEVT08_who_may_see_what(t *testing.T) {
	const self, contact, stranger, blocked = subscription.Self, subscription.Contact, subscription.Stranger, subscription.Blocked
	for _, c := range []struct {
		status     event.Status
		permission event.Permission
		seenBy     []subscription.Relation
	}{
		{event.Draft, event.Public, []subscription.Relation{self}},
		{event.Draft, event.Contact, []subscription.Relation{self}},
		{event.Draft, event.Private, []subscription.Relation{self}},
		{event.Normal, event.Public, []subscription.Relation{self, contact, stranger}},
		{event.Normal, event.Contact, []subscription.Relation{self, contact}},
		{event.Normal, event.Private, []subscription.Relation{self}},
	} {
		e := restored(t, func(s *event.State) { s.Status, s.Permission = c.status, c.permission })
		for _, r := range []subscription.Relation{self, contact, stranger, blocked} {
			want := false
			for _, seer := range c.seenBy {
				want = want || seer == r
			}
			assert.Equal(t, want, e.VisibleTo(r), "status %d, permission %d, %v", c.status, c.permission, r)
		}
	}
}

func TestEVT07_reading_and_writing(t *testing.T) {
	shown := restored(t, func(s *event.State) { s.Permission = event.Contact })
	assert.NoError(t, shown.CheckRead(subscription.Contact))
	assert.Same(t, event.ErrNotFound, shown.CheckRead(subscription.Stranger))
	assert.NoError(t, shown.CheckWrite(subscription.Self))
	assert.Same(t, event.ErrNotAuthor, shown.CheckWrite(subscription.Contact))
	assert.Same(t, event.ErrNotFound, shown.CheckWrite(subscription.Stranger))
}

func TestFED04_only_public_published_events_are_listed(t *testing.T) {
	for _, status := range event.Statuses() {
		for _, permission := range event.Permissions() {
			e := restored(t, func(s *event.State) {
				s.Status, s.Permission, s.Category = status, permission, 4
			})
			l, listed := e.Listing()
			assert.Equal(t, e.VisibleTo(subscription.Stranger), listed)
			if listed {
				assert.EqualValues(t, 4, l.Category)
				assert.EqualValues(t, e.ID(), l.ID)
				assert.Equal(t, e.State().Modified, l.Updated)
			}
		}
	}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func stateOf() event.State {
	return event.State{
		ID: 7, Author: 1, Date: calendar.DateOf(noon), Title: "A walk by the lake",
		Status: event.Normal, Created: noon, Modified: noon, Published: noon,
	}
}

func restored(t *testing.T, but func(*event.State)) *event.Event {
	t.Helper()
	s := stateOf()
	but(&s)
	e, err := event.Restore(s)
	require.NoError(t, err)
	return e
}

func TestRestore_refuses_what_breaks_an_invariant(t *testing.T) {
	for name, breakIt := range map[string]func(*event.State){
		"no id":             func(s *event.State) { s.ID = 0 },
		"no author":         func(s *event.State) { s.Author = 0 },
		"no date":           func(s *event.State) { s.Date = calendar.Date{} },
		"no creation":       func(s *event.State) { s.Created = time.Time{} },
		"an odd status":     func(s *event.State) { s.Status = 50 },
		"an odd permission": func(s *event.State) { s.Permission = 50 },
		"published, empty":  func(s *event.State) { s.Title = "" },
		"published, never":  func(s *event.State) { s.Published = time.Time{} },
		"31 plates":         func(s *event.State) { s.Plates = make([]event.Plate, 31) },
	} {
		s := stateOf()
		breakIt(&s)
		_, err := event.Restore(s)
		require.Error(t, err, name)
		assert.Equal(t, fault.Internal, fault.KindOf(err), name)
	}
}

func TestState_and_Restore_share_nothing(t *testing.T) {
	s := stateOf()
	s.Plates = []event.Plate{{ID: 1, Photo: "a"}}
	e, err := event.Restore(s)
	require.NoError(t, err)
	s.Plates[0].Photo = "b"
	out := e.State()
	out.Plates[0].Photo = "c"
	assert.EqualValues(t, "a", e.State().Plates[0].Photo)
}

func TestEVT19_who_may_delete_a_comment(t *testing.T) {
	c := event.Comment{Author: 2}
	for who, may := range map[user.ID]bool{0: false, 1: true, 2: true, 3: false} {
		assert.Equal(t, may, c.RemovableBy(who, 1), "%d", who)
	}
}
