package transport

import (
	"bytes"
	"encoding/json"
	"sync"

	"plaza/domain/instant"
)

// Timestamp is a time on the wire (GEN-02).
type Timestamp = instant.Timestamp

// writeJSON writes the value as JSON. It does not escape <, > and &, because JSON is not
// HTML.
func writeJSON(buf *bytes.Buffer, v any) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Encode returns the value as JSON, without a newline at its end.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	err := writeJSON(&buf, v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// buffers are reused by later responses. They are empty.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxKept = 256 << 10

// recycle leaves the buffer to a later response, unless it grew too large.
func recycle(buf *bytes.Buffer) {
	if buf.Cap() <= maxKept {
		buf.Reset()
		buffers.Put(buf)
	}
}

// Optional returns nil, written as null, unless there is a value.
func Optional[T any](v T, there bool) *T {
	if !there {
		return nil
	}
	return &v
}
