package httpapi

import "time"

// timestamp is a point in time as the interface writes it (GEN-02): RFC 3339 in
// UTC, without a fraction of a second when that is zero, else with six digits.
type timestamp time.Time

func (t timestamp) String() string {
	at := time.Time(t).UTC().Truncate(time.Microsecond)
	if at.Nanosecond() == 0 {
		return at.Format("2006-01-02T15:04:05Z")
	}
	return at.Format("2006-01-02T15:04:05.000000Z")
}

// MarshalText writes the timestamp into JSON.
func (t timestamp) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
