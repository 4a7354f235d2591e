package people_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/gazetteer"
	"plaza/application/places"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/place"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/usecases"
)

var (
	nowhere  place.Place
	beijing  = place.Place{Province: "北京市", City: "北京市"}
	hangzhou = place.Place{Province: "浙江省", City: "杭州市"}
	shanghai = place.Place{Province: "上海市", City: "上海市"}
)

// placesFixture has events over memory, and the test doubles of the use case.
type placesFixture struct {
	*testing.T
	store    *memory.Store
	author   user.ID
	analyser *meddlingAnalyser
	events   *crossedEvents
	read     *countedPages
}

// crossedEvents is a repository that runs another change after an event was read. It counts its
// calls.
type crossedEvents struct {
	event.Repository
	behind        func()
	gets, changes int
}

func (c *crossedEvents) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	c.gets++
	e, err := c.Repository.Get(ctx, id)
	c.behind()
	return e, err
}

func (c *crossedEvents) ChangeRead(
	ctx context.Context, e event.Entry, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	c.changes++
	return c.Repository.ChangeRead(ctx, e, fn, charges...)
}

// countedPages counts how often events are read.
type countedPages struct {
	event.Reader
	n int
}

func (p *countedPages) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	p.n++
	return p.Reader.Located(ctx, after, limit)
}

func newPlacesFixture(t *testing.T) *placesFixture {
	t.Helper()
	a := &placesFixture{T: t, store: memory.New(), analyser: &meddlingAnalyser{gazetteer.New(), func() {}}}
	a.events = &crossedEvents{Repository: a.store.Events, behind: func() {}}
	a.read = &countedPages{Reader: a.store.EventReader}
	a.author = usecases.OpenAccount(t, a.store, "+86-13900000001")
	return a
}

// before adds an event with the place that an older analyser has found.
func (a *placesFixture) before(title string, then place.Place, edits ...func(*event.Change)) event.ID {
	a.Helper()
	change := event.Change{Title: &title, Publish: new(true)}
	for _, e := range edits {
		e(&change)
	}
	e, err := event.New(a.author, change, calendar.DateOf(usecases.Noon), usecases.Noon)
	require.NoError(a, err)
	require.NoError(a, e.Locate(e.Text(), then))
	added, err := a.store.Events.Add(a.Context(), e)
	require.NoError(a, err)
	return added.ID()
}

// retitle changes the title and stores the place with it.
func (a *placesFixture) retitle(id event.ID, title string, found place.Place) {
	a.Helper()
	_, err := a.store.Events.Change(a.Context(), id, func(e *event.Event) error {
		return errors.Join(e.Apply(event.Change{Title: &title}, usecases.Noon), e.Locate(e.Text(), found))
	})
	require.NoError(a, err)
}

func (a *placesFixture) remove(id event.ID) {
	a.Helper()
	_, err := a.store.Events.Remove(a.Context(), id)
	require.NoError(a, err)
}

func (a *placesFixture) check(repair bool) []places.Misplaced {
	a.Helper()
	var found []places.Misplaced
	for m, err := range places.New(a.events, a.read, a.analyser).Check(a.Context(), repair) {
		require.NoError(a, err)
		found = append(found, m)
	}
	return found
}

func (a *placesFixture) state(id event.ID) event.State {
	a.Helper()
	e, err := a.store.Events.Get(a.Context(), id)
	require.NoError(a, err)
	return e.State()
}

func asDraft(e *event.Change) { e.Publish = new(false) }

func withContent(content string) func(*event.Change) {
	return func(e *event.Change) { e.Content = &content }
}

func asPrivate(e *event.Change) { e.Permission = new(event.Private) }

func TestEVT16_events_of_before_are_found_and_mended(t *testing.T) {
	a := newPlacesFixture(t)
	late := a.before("杭州的秋天", nowhere)
	a.before("北京的秋天", beijing)
	other := a.before("秋天", hangzhou, asDraft, withContent("上海的秋天"))
	none := a.before("Autumn", beijing, asPrivate)
	a.before("Winter", nowhere)
	want := []places.Misplaced{
		{Event: late, Stored: nowhere, Found: hangzhou}, {Event: other, Stored: hangzhou, Found: shanghai},
		{Event: none, Stored: beijing, Found: nowhere},
	}
	assert.Equal(t, want, a.check(false))
	assert.Equal(t, want, a.check(false), "nothing is repaired without repair")
	assert.Zero(t, a.events.changes)

	for i := range want {
		want[i].Repaired = true
	}
	assert.Equal(t, want, a.check(true))
	for _, m := range want {
		assert.Equal(t, m.Found, a.state(m.Event).Place)
	}
	assert.Empty(t, a.check(true))
	assert.Equal(t, 3, a.events.changes)
}

func TestEVT16_every_event_is_looked_at_however_many_there_are(t *testing.T) {
	t.Parallel()
	for _, many := range []int{0, 1, 99, 100, 101, 305} {
		a := newPlacesFixture(t)
		var want []places.Misplaced
		for i := range many {
			if i%7 == 0 {
				a.remove(a.before("Not for long", beijing))
			}
			id := a.before(fmt.Sprint("杭州的秋天 ", i), nowhere)
			want = append(want, places.Misplaced{Event: id, Found: hangzhou})
		}
		assert.Equal(t, want, a.check(false), "%d, each once", many)
		for i := range want {
			want[i].Repaired = true
		}
		assert.Equal(t, want, a.check(true), "%d", many)
		assert.Empty(t, a.check(false), "%d", many)
	}
}

func TestEVT16_a_text_that_is_edited_while_places_are_mended_keeps_its_own(t *testing.T) {
	for name, meddle := range map[string]func(a *placesFixture, do func()){
		"after its page was read": func(a *placesFixture, do func()) { a.analyser.meddle = do },
		"after it was got":        func(a *placesFixture, do func()) { a.events.behind = do },
	} {
		for _, repair := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, repair %t", name, repair), func(t *testing.T) {
				a := newPlacesFixture(t)
				id := a.before("杭州的秋天", nowhere)
				times := 0
				meddle(a, func() {
					if times++; times == 1 {
						a.retitle(id, "北京的秋天", beijing)
					}
				})
				found := a.check(repair)
				s := a.state(id)
				assert.Equal(t, "北京的秋天", s.Title, "no edit is lost")
				assert.Equal(t, beijing, s.Place)
				if repair || name == "after its page was read" {
					assert.Empty(t, found, "it is right by now")
				}
			})
		}
	}
}
