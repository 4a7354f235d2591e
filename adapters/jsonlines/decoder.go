package jsonlines

import (
	"encoding/base64"
	"fmt"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

// Decoder implements imported.Decoder. A line of the rejects says the record that is in it.
//
// With a fault on some fields comes the draft of what the others say, so that what the
// rules find wrong with those can be told along with it.
type Decoder struct{}

// Decode implements imported.Decoder.
func (Decoder) Decode(raw []byte) (imported.Draft, error) {
	ms, err := membersOf(raw)
	for err == nil && isReject(ms) {
		if raw, err = recordOf(ms); err == nil {
			ms, err = membersOf(raw)
		}
	}
	if err != nil {
		return nil, err
	}
	kind, _ := last(ms, "kind")
	if len(kind) > 0 && kind[0] == '"' {
		if f, is := forms[imported.Kind(unquote(kind))]; is {
			return f.read(ms)
		}
	}
	return nil, fault.Field("kind", fmt.Sprintf("Enter one of %s.", strings.Join(kindNames(), ", ")))
}

func kindNames() []string {
	var names []string
	for _, k := range imported.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// last is the value that counts of those with the name.
func last(ms []member, name string) (value []byte, is bool) {
	for _, m := range ms {
		if string(m.name) == name {
			value, is = m.value, true
		}
	}
	return value, is
}

// isReject knows a line of the rejects: it has no kind of its own.
func isReject(ms []member) bool {
	_, hasKind := last(ms, "kind")
	_, isRejected := last(ms, "rejected")
	return isRejected && !hasKind
}

// recordOf is the line that was rejected, mended or not.
func recordOf(ms []member) ([]byte, error) {
	record, _ := last(ms, "record")
	encoded, hasBytes := last(ms, "bytes")
	switch {
	case len(record) > 0 && record[0] == '{':
		return record, nil
	case len(record) > 0 && record[0] == '"':
		return []byte(unquote(record)), nil
	case len(record) > 0 && string(record) != "null":
		return nil, fault.Field("record", "Enter the record that was rejected: an object, or the text of its line.")
	case hasBytes && encoded[0] == '"':
		text, err := base64.StdEncoding.DecodeString(unquote(encoded))
		if err != nil {
			return nil, fault.Field("bytes", "Enter the bytes of the line in base64.")
		}
		return text, nil
	}
	return nil, fault.Field("record", "The line was too long to be kept here: enter the record that it was to be.")
}
