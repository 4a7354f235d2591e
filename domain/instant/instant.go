// Package instant gives points in time the one form that every store keeps:
// UTC, whole microseconds, no monotonic reading (GEN-02).
package instant

import "time"

// Of returns the instant in the stored form; what was written is then what is
// read back, on every store.
func Of(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond).Round(0) }
