package jsonlines

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

// Decoder implements imported.Decoder. For a line of the rejects it reads the record inside.
//
// With a fault of some fields it also returns the draft of the others, so that their
// problems can be reported together.
type Decoder struct{}

func (Decoder) Decode(raw []byte, wanted ...imported.Kind) (imported.Draft, error) {
	ms, err := membersOf(raw)
	for err == nil && isReject(ms) {
		if raw, err = recordOf(ms); err == nil {
			ms, err = membersOf(raw)
		}
	}
	if err != nil {
		return nil, err
	}
	encoded, _ := last(ms, "kind")
	if len(encoded) > 0 && encoded[0] == '"' {
		kind := imported.Kind(unquote(encoded))
		if s, is := shapes[kind]; is {
			if len(wanted) > 0 && !slices.Contains(wanted, kind) {
				return nil, nil
			}
			return s.draft(ms)
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

// last returns the value of the last member with the name.
func last(ms []member, name string) (value []byte, is bool) {
	for _, m := range ms {
		if string(m.name) == name {
			value, is = m.value, true
		}
	}
	return value, is
}

// isReject reports whether the line is one of the rejects, which have no kind.
func isReject(ms []member) bool {
	_, hasKind := last(ms, "kind")
	_, isRejected := last(ms, "rejected")
	return isRejected && !hasKind
}

// recordOf returns the rejected line, corrected or not.
func recordOf(ms []member) ([]byte, error) {
	record, _ := last(ms, "record")
	encoded, hasBytes := last(ms, "bytes")
	switch {
	case len(record) > 0 && record[0] == '{':
		return record, nil
	case len(record) > 0 && record[0] == '"':
		return []byte(unquote(record)), nil
	case len(record) > 0 && string(record) != "null":
		return nil, fault.Field("record", "Enter the rejected record as an object or as the text of its line.")
	case hasBytes && encoded[0] == '"':
		text, err := base64.StdEncoding.DecodeString(unquote(encoded))
		if err != nil {
			return nil, fault.Field("bytes", "Enter the line in base64.")
		}
		return text, nil
	}
	return nil, fault.Field("record", "The line was too long to keep. Enter its record here.")
}
