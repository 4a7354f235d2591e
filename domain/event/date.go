package event

import (
	"cmp"
	"fmt"
	"time"
)

// Date is a day of the calendar, without a time or a zone: 2026-11-21. The zero
// Date is none.
type Date struct{ year, month, day int }

const dateForm = "2006-01-02"

// ParseDate reads a day in the form YYYY-MM-DD (GEN-02).
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(dateForm, s)
	if err != nil || t.Year() < 1 {
		return Date{}, fmt.Errorf("%q is no day of the form YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// DateOf is the day that the instant falls on in its own time zone.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date{y, int(m), d}
}

// IsZero says whether it is no day.
func (d Date) IsZero() bool { return d == Date{} }

// String is the day as YYYY-MM-DD.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day) }

// Time is midnight of the day in UTC.
func (d Date) Time() time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
}

// Compare orders days: negative when d is before o.
func (d Date) Compare(o Date) int {
	return cmp.Or(cmp.Compare(d.year, o.year), cmp.Compare(d.month, o.month), cmp.Compare(d.day, o.day))
}
