package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/place"
)

var eventLocating = []promise{
	{"Located returns the texts and places of everybody's events, drafts too, by ascending id", locatedAll},
	{"Located returns those after the id, at most limit", locatedAfter},
	{"a place that changes is found with the text that it belongs to", locatedAgain},
	{"going on after the last one leads through all events, also when others are written or removed meanwhile", locatedMeanwhile},
}

func (w *fixtures) located(after event.ID, limit int) []event.Located {
	w.Helper()
	some, err := w.EventReader.Located(w.Context(), after, limit)
	require.NoError(w, err)
	return some
}

// placed stores an event with the title, which is in the place. It was created
// before all that are stored already.
func (w *fixtures) placed(title string, at place.Place, edits ...edit) event.Located {
	w.Helper()
	author := w.newUser()
	e := w.written(author, noon.Add(-time.Duration(author)*time.Minute), append(edits, titled(title))...)
	require.NoError(w, e.Locate(e.Text(), at))
	e, err := w.Events.Add(w.Context(), e)
	require.NoError(w, err)
	return event.Located{ID: e.ID(), Text: e.Text(), Place: at}
}

var (
	hangzhou = place.Place{Province: "浙江省", City: "杭州市", District: "西湖区"}
	peking   = place.Place{Province: "北京市", City: "北京市"}
)

func locatedAll(w *fixtures) {
	assert.Empty(w, w.located(0, 10))
	var all []event.Located
	for _, as := range everything {
		all = append(all,
			w.placed("In 西湖", hangzhou, shown(as), func(c *event.Change) { c.Content = new("O'Brien \\ \"%_\"\n\t ") }),
			w.placed("Nowhere", place.Place{}, shown(as)))
	}
	assert.Equal(w, all, w.located(0, len(all)+1))
	assert.Equal(w, all, w.located(0, len(all)))
}

func locatedAfter(w *fixtures) {
	var all []event.Located
	for range 5 {
		all = append(all, w.placed("In 西湖", hangzhou))
	}
	assert.Equal(w, all[:2], w.located(0, 2))
	assert.Equal(w, all[:1], w.located(-1, 1))
	assert.Equal(w, all[2:4], w.located(all[1].ID, 2))
	assert.Equal(w, all[4:], w.located(all[3].ID, 2))
	assert.Empty(w, w.located(all[4].ID, 2))
	for _, none := range []int{0, -1} {
		assert.Empty(w, w.located(0, none))
	}
}

func locatedAgain(w *fixtures) {
	e := w.placed("In 西湖", hangzhou)
	e.Place = peking
	w.change(e.ID, func(found *event.Event) error { return found.Locate(e.Text, peking) })
	assert.Equal(w, []event.Located{e}, w.located(0, 10))
	w.change(e.ID, apply(noon.Add(time.Hour), titled("Elsewhere")))
	e.Title, e.Place = "Elsewhere", place.Place{}
	assert.Equal(w, []event.Located{e}, w.located(0, 10))
}

func locatedMeanwhile(w *fixtures) {
	var kept []event.Located
	var removed []event.ID
	for i := range 20 {
		e := w.placed("In 西湖", hangzhou)
		if i%4 == 0 {
			removed = append(removed, e.ID)
			continue
		}
		kept = append(kept, e)
	}
	seen := map[event.ID]event.Located{}
	for after := event.ID(0); ; {
		some := w.located(after, 3)
		if len(some) == 0 {
			break
		}
		for _, e := range some {
			require.Greater(w, e.ID, after)
			seen[e.ID], after = e, e.ID
		}
		if len(removed) > 0 {
			_, err := w.Events.Remove(w.Context(), removed[0])
			require.NoError(w, err)
			removed = removed[1:]
			kept = append(kept, w.placed("Written later", peking))
		}
	}
	for _, e := range kept {
		assert.Equal(w, e, seen[e.ID])
	}
}
