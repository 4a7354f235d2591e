package event_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
)

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

func TestOrdering_is_total_and_ends_with_the_id(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event.State {
			s := stateOf()
			s.ID = event.ID(rapid.IntRange(1, 50).Draw(t, "id"))
			s.Created = noon.Add(time.Duration(rapid.IntRange(0, 2).Draw(t, "created")) * time.Hour)
			s.Date = calendar.DateOf(noon.AddDate(0, 0, rapid.IntRange(0, 2).Draw(t, "day")))
			return s
		}), 2, 12).Draw(t, "states")
		o, err := event.NewOrdering(rapid.SampledFrom([][]event.Term{
			nil, {{event.ByDate, false}}, {{event.ByCreated, true}, {event.ByDate, false}},
		}).Draw(t, "ordering")...)
		require.NoError(t, err)
		slices.SortFunc(states, o.Compare)
		for i := 1; i < len(states); i++ {
			a, b := states[i-1], states[i]
			require.LessOrEqual(t, o.Compare(a, b), 0)
			require.Equal(t, -o.Compare(a, b), o.Compare(b, a))
			if a.Date == b.Date && a.Created.Equal(b.Created) {
				require.LessOrEqual(t, a.ID, b.ID)
			}
		}
	})
}
