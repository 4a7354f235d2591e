package instant

import "time"

// Timestamp is an instant as the API, exports and the command line's JSON write it (GEN-02): RFC 3339 in UTC, always with
// six digits of a second's fraction, because strict readers take one form only.
type Timestamp time.Time

func (t Timestamp) String() string { return string(t.append(nil)) }

// MarshalText writes the timestamp into JSON.
func (t Timestamp) MarshalText() ([]byte, error) {
	const length = len("2006-01-02T15:04:05.000000Z")
	return t.append(make([]byte, 0, length)), nil
}

// append writes the seconds in the one layout that package time formats fast.
func (t Timestamp) append(b []byte) []byte {
	at := time.Time(t).UTC()
	b = at.AppendFormat(b, time.RFC3339)
	b[len(b)-1] = '.'
	micros := at.Nanosecond() / 1000
	for unit := 100_000; unit > 0; unit /= 10 {
		b = append(b, byte('0'+micros/unit%10))
	}
	return append(b, 'Z')
}
