// Package calendar is about days without a time or a zone, in the form YYYY-MM-DD (GEN-02). A time
// becomes a day in the time zone that it is in.
package calendar

import (
	"cmp"
	"fmt"
	"regexp"
	"time"

	"plaza/domain/fault"
)

// Date is a calendar day without a time or a zone, like 2026-11-21. The zero Date is
// no day.
type Date struct{ year, month, day int }

const dateForm = "2006-01-02"

// ParseDate parses a day in the form YYYY-MM-DD (GEN-02).
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(dateForm, s)
	if err != nil || t.Year() < 1 {
		return Date{}, fmt.Errorf("%q is not a date in the form YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// Faults of a text that is no day.
var (
	ErrForm  = fault.New(fault.Invalid, "Date has wrong format. Use YYYY-MM-DD.")
	ErrNoDay = fault.New(fault.Invalid, "There is no such day. Use YYYY-MM-DD.")
)

var digitsForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)

// UnmarshalText reads a day as a client sends it.
func (d *Date) UnmarshalText(text []byte) (err error) {
	if *d, err = ParseDate(string(text)); err == nil {
		return nil
	}
	if digitsForm.Match(text) {
		return ErrNoDay
	}
	return ErrForm
}

// DateOf returns the day of the instant in the instant's time zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, int(m), d}
}

// IsZero reports whether d is the zero Date.
func (d Date) IsZero() bool { return d == Date{} }

// String returns the day as YYYY-MM-DD.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day) }

// Time returns midnight of the day in UTC.
func (d Date) Time() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// AddDays returns the day so many days later.
func (d Date) AddDays(n int) Date { return DateOf(d.Time().AddDate(0, 0, n)) }

// First and Last are the first and the last day of the form YYYY-MM-DD.
var First, Last = Date{1, 1, 1}, Date{9999, 12, 31}

const secondsOfDay = 24 * 60 * 60

// Days returns how many days d is after 1970-01-01.
func (d Date) Days() int64 { return d.Time().Unix() / secondsOfDay }

// OfDays returns the day so many days after 1970-01-01, but no day before First or after Last.
func OfDays(n int64) Date {
	return DateOf(time.Unix(min(max(n, First.Days()), Last.Days())*secondsOfDay, 0).UTC())
}

// Begin returns the first instant of the day in the zone. It is not midnight if the clocks pass over midnight.
func (d Date) Begin(zone *time.Location) time.Time {
	midnight := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, zone)
	if DateOf(midnight) != d {
		_, next := midnight.ZoneBounds()
		return next
	}
	return midnight
}

// Compare orders days. It is negative if d is before o.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.year, o.year), cmp.Compare(d.month, o.month), cmp.Compare(d.day, o.day))
}
