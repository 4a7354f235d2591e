package calendar_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
)

func TestDate(t *testing.T) {
	for _, good := range []string{"2026-11-21", "2024-02-29", "0001-01-01", "9999-12-31"} {
		d, err := calendar.ParseDate(good)
		require.NoError(t, err, good)
		assert.Equal(t, good, d.String())
		assert.Equal(t, d, calendar.DateOf(d.Time()))
	}
	for _, bad := range []string{"", "2026-02-29", "2026-13-01", "2026-1-1", "20261121", "0000-01-01",
		"2026-11-21T00:00:00Z", " 2026-11-21", "10000-01-01"} {
		_, err := calendar.ParseDate(bad)
		assert.Error(t, err, bad)
	}
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	assert.Equal(t, "2026-11-21", calendar.DateOf(time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC).In(shanghai)).String(),
		"its own time zone's day")
}

func TestDate_begins_in_its_zone(t *testing.T) {
	for zone, begin := range map[string]string{
		"Asia/Shanghai": "2026-04-24T00:00:00+08:00", "America/New_York": "2026-04-24T00:00:00-04:00",
		"Africa/Cairo": "2026-04-24T01:00:00+03:00", // clocks pass over midnight
	} {
		location, err := time.LoadLocation(zone)
		require.NoError(t, err)
		day := calendar.DateOf(time.Date(2026, 4, 24, 12, 0, 0, 0, time.UTC))
		assert.Equal(t, begin, day.Begin(location).Format(time.RFC3339))
		assert.Equal(t, day, calendar.DateOf(day.Begin(location)))
		assert.Equal(t, "2026-03-31", day.AddDays(-24).String())
	}
}

// FuzzParseDate compares dates with those of the calendar: a date has one form.
func FuzzParseDate(f *testing.F) {
	for _, s := range []string{
		"2026-11-21", "2024-02-29", "2026-02-29", "1900-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "-001-01-01", "2026-1-1",
		"2026-11-21T00:00:00Z", "2026-11-21 ", "２０２６-11-21", "2026-00-00", "2026-11-31", "\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var year, month, day int
		_, err := fmt.Sscanf(s, "%d-%d-%d", &year, &month, &day)
		isDate := err == nil && year > 0 && year < 10_000 && time.Date(year, time.Month(month), day, 0, 0, 0, 0,
			time.UTC).Format(time.DateOnly) == s
		d, err := calendar.ParseDate(s)
		require.Equal(t, isDate, err == nil, "%q", s)
		require.Equal(t, !isDate, d.IsZero())
		if isDate {
			require.Equal(t, s, d.String())
			require.Equal(t, d, calendar.DateOf(d.Time()))
		}
	})
}
