package ports

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/user"
)

var eventFeed = []promise{
	{"an event is listed as its Listing says", feedShowings},
	{"Change moves the listing with the event", feedChange},
	{"Remove takes the event off the feed", feedRemove},
	{"after random changes the feed equals the events' listings", eventFeedRandom},
}

func feedShowings(w *fixtures) {
	author := w.newUser()
	w.category(7)
	for _, as := range everything {
		for _, category := range []feed.CategoryID{0, 7} {
			e := w.write(author, noon, shown(as), under(category))
			if as != (event.Exposure{Status: event.Normal, Permission: event.Public}) {
				continue
			}
			assert.Contains(w, w.listed(), feed.Listing{
				Kind: feed.Event, ID: int64(e.ID()), Category: category, Created: noon, Updated: noon,
			})
		}
	}
	assert.Len(w, w.listed(), 2)
}

func feedChange(w *fixtures) {
	w.category(1)
	w.category(2)
	e := w.write(w.newUser(), noon, published(false), under(1))
	later := noon.Add(time.Hour)
	for _, step := range []struct {
		edit     edit
		category feed.CategoryID
		listed   bool
	}{
		{titled("Draft"), 1, false}, {published(true), 1, true}, {titled("Published"), 1, true}, {under(2), 2, true},
		{under(0), 0, true}, {permitted(event.Contact), 0, false}, {under(1), 1, false}, {permitted(event.Public), 1, true},
		{published(false), 1, false}, {published(true), 1, true}, {permitted(event.Private), 1, false},
	} {
		later = later.Add(time.Microsecond)
		w.change(e.ID(), apply(later, step.edit))
		want := []feed.Listing{}
		if step.listed {
			want = []feed.Listing{{Kind: feed.Event, ID: int64(e.ID()), Category: step.category, Created: noon, Updated: later}}
		}
		assert.Equal(w, want, w.listed(), "%+v", step)
	}
}

func feedRemove(w *fixtures) {
	author := w.newUser()
	e, bystander := w.write(author, noon), w.write(author, noon)
	_, err := w.Events.Remove(w.Context(), e.ID())
	require.NoError(w, err)
	listed := w.listed()
	require.Len(w, listed, 1)
	assert.Equal(w, int64(bystander.ID()), listed[0].ID)
	listed[0].Category = 99
	assert.Zero(w, w.listed()[0].Category, "what came out is private")
}

// listed is what the feed lists; nothing is never nil.
func (w *fixtures) listed() []feed.Listing {
	w.Helper()
	return append([]feed.Listing{}, w.Listings(w.T)...)
}

// listingsOf is what the feed should list, were these all the events.
func listingsOf(events []*event.Event) []feed.Listing {
	all := []feed.Listing{}
	for _, e := range events {
		if l, listed := e.Listing(); listed {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b feed.Listing) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// step does something at random to one of the events, and returns what there is
// then.
func (w *fixtures) step(c random, at time.Time, authors []user.ID, events []*event.Event) []*event.Event {
	w.Helper()
	edits := c.edits()
	if len(events) == 0 || c.IntN(3) == 0 {
		return append(events, w.write(pick(c, authors...), at, edits...))
	}
	i := c.IntN(len(events))
	id := events[i].ID()
	switch c.IntN(4) {
	case 0:
		_, err := w.Events.Remove(w.Context(), id)
		require.NoError(w, err)
		return slices.Delete(events, i, i+1)
	case 1:
		_, err := w.Events.Change(w.Context(), id, func(e *event.Event) error {
			return errors.Join(e.Apply(change(edits...), at), errBoom)
		})
		require.ErrorIs(w, err, errBoom)
	default:
		events[i] = w.change(id, apply(at, edits...)).Event
	}
	return events
}

func eventFeedRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		w.category(1)
		w.category(2)
		authors := []user.ID{w.newUser(), w.newUser()}
		var events []*event.Event
		for i := range 60 {
			events = w.step(c, noon.Add(time.Duration(i)*time.Second), authors, events)
			require.Equal(w, listingsOf(events), w.listed(), "after %d steps", i+1)
		}
		for _, e := range events {
			assert.Equal(w, stateOf(e), stateOf(w.entry(e.ID()).Event))
		}
	})
}
