// Package instant gives points in time the one form that every store keeps:
// UTC, whole microseconds, no monotonic reading (GEN-02).
package instant

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Normalise returns the instant in the stored form; what was written is then what is
// read back, on every store.
func Normalise(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond).Round(0) }

// The years of what others tell us of. Within them every store, and every client,
// can write an instant down.
const (
	firstYear = 1000
	lastYear  = 9999
)

// Problem is the sentence that says what is wrong with an instant that must be there;
// empty when nothing is.
func Problem(t time.Time) string {
	switch year := t.UTC().Year(); {
	case t.IsZero():
		return text.Required
	case year < firstYear || year > lastYear:
		return "Enter a time between the years 1000 and 9999."
	}
	return ""
}

// Lifetime puts the instants of a creation and of the latest update into the stored
// form, and tells what is wrong with them, as the fields created and updated. What was
// never updated was last updated when it was created.
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
		wrong.Add("updated", "This is before it was created.")
	}
	return wrong
}
