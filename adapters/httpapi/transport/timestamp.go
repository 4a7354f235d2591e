package transport

import "time"

// Timestamp is a time on the wire (GEN-02): RFC 3339 in UTC, with six digits of a second's
// fraction, or without a fraction if that is zero.
type Timestamp time.Time

func (t Timestamp) String() string { return string(t.append(nil)) }

// MarshalText writes the timestamp into JSON.
func (t Timestamp) MarshalText() ([]byte, error) {
	const longest = len("2006-01-02T15:04:05.000000Z")
	return t.append(make([]byte, 0, longest)), nil
}

// append writes the seconds in the one layout that package time formats fast.
func (t Timestamp) append(b []byte) []byte {
	at := time.Time(t).UTC()
	b = at.AppendFormat(b, time.RFC3339)
	micros := at.Nanosecond() / 1000
	if micros == 0 {
		return b
	}
	b[len(b)-1] = '.'
	for unit := 100_000; unit > 0; unit /= 10 {
		b = append(b, byte('0'+micros/unit%10))
	}
	return append(b, 'Z')
}
