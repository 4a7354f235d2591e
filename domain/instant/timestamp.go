package instant

import "time"

// Timestamp is an instant as the API, exports and the command line's JSON write it (GEN-02): RFC 3339 in UTC, always with
// six digits of a second's fraction, because strict readers take one form only.
type Timestamp time.Time

const form = "2006-01-02T15:04:05.000000Z"

func (t Timestamp) String() string { return time.Time(t).UTC().Format(form) }

// MarshalText writes the timestamp into JSON.
func (t Timestamp) MarshalText() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(make([]byte, 0, len(form)), form), nil
}
