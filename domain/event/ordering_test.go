package event_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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
			s.Date = event.DateOf(noon.AddDate(0, 0, rapid.IntRange(0, 2).Draw(t, "day")))
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

func TestDate(t *testing.T) {
	for _, good := range []string{"2026-11-21", "2024-02-29", "0001-01-01", "9999-12-31"} {
		d, err := event.ParseDate(good)
		require.NoError(t, err, good)
		assert.Equal(t, good, d.String())
		assert.Equal(t, d, event.DateOf(d.Time()))
	}
	for _, bad := range []string{"", "2026-02-29", "2026-13-01", "2026-1-1", "20261121", "0000-01-01",
		"2026-11-21T00:00:00Z", " 2026-11-21", "10000-01-01"} {
		_, err := event.ParseDate(bad)
		assert.Error(t, err, bad)
	}
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	assert.Equal(t, "2026-11-21", event.DateOf(noon.Add(5*time.Hour).In(shanghai)).String(), "its own time zone's day")
}

// FuzzParseDate compares dates with those of the calendar: a date has one form.
func FuzzParseDate(f *testing.F) {
	for _, s := range []string{
		"2026-11-21", "2024-02-29", "2026-02-29", "1900-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "-001-01-01", "2026-1-1", "2026-11-21T00:00:00Z", "2026-11-21 ", "２０２６-11-21", "2026-00-00", "2026-11-31", "\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var year, month, day int
		_, err := fmt.Sscanf(s, "%d-%d-%d", &year, &month, &day)
		isDate := err == nil && year > 0 && year < 10_000 && time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) == s
		d, err := event.ParseDate(s)
		require.Equal(t, isDate, err == nil, "%q", s)
		require.Equal(t, !isDate, d.IsZero())
		if isDate {
			require.Equal(t, s, d.String())
			require.Equal(t, d, event.DateOf(d.Time()))
		}
	})
}
