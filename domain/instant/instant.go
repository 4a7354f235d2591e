// Package instant normalises points in time to the form that every store can keep:
// UTC, whole microseconds, no monotonic reading (GEN-02).
package instant

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Normalise returns the instant in the stored form, so that every store returns exactly
// the instant that was written.
func Normalise(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond).Round(0) }

// The years that external instants may have. Every store and every client can represent
// them.
const (
	firstYear = 1000
	lastYear  = 9999
)

// Problem returns the sentence about a missing or invalid instant, or an empty text.
func Problem(t time.Time) string {
	switch year := t.UTC().Year(); {
	case t.IsZero():
		return text.Required
	case year < firstYear || year > lastYear:
		return "Enter a time between the years 1000 and 9999."
	}
	return ""
}

// Lifetime normalises the instants of creation and latest update, and returns the
// problems of the fields created and updated. A zero update becomes the creation.
func Lifetime(created, updated *time.Time) fault.Fields {
	*created, *updated = Normalise(*created), Normalise(*updated)
	var wrong fault.Fields
	wrong.Add("created", Problem(*created))
	if updated.IsZero() {
		*updated = *created
		return wrong
	}
	wrong.Add("updated", Problem(*updated))
	if len(wrong) == 0 && updated.Before(*created) {
		wrong.Add("updated", "The update must not be before the creation.")
	}
	return wrong
}

// Timestamp is an instant as the API, exports and the command line's JSON write it (GEN-02): RFC 3339 in UTC, always with
// six digits of a second's fraction, because strict readers take one form only.
type Timestamp time.Time

const form = "2006-01-02T15:04:05.000000Z"

func (t Timestamp) String() string { return time.Time(t).UTC().Format(form) }

// MarshalText writes the timestamp into JSON.
func (t Timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(make([]byte, 0, len(form)), form), nil
}
