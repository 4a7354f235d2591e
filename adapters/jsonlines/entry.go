package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"plaza/adapters/jsonfields"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

// rejected describes a line that could not be imported.
type rejected struct {
	File   string       `json:"file"`
	Line   int64        `json:"line"`
	Reason string       `json:"reason,omitempty"`
	Fields fault.Fields `json:"fields,omitempty"`
	// Place of a line that is not included, in bytes after decompression.
	Offset *int64 `json:"offset,omitempty"`
	Length *int64 `json:"length,omitempty"`
}

// encodeReject returns the reject's line with its end. A line that is too long has no record, only
// its place.
func encodeReject(file string, r imported.Reject) ([]byte, error) {
	about := rejected{File: file, Line: r.Number, Reason: r.Reason, Fields: r.Fields}
	if !r.TooLong {
		line, err := encodeRejectWith(about, innermost(r.Raw))
		if err != nil || len(line) <= MaxLine {
			return line, err
		}
		r.Length = max(r.Length, int64(len(r.Raw)))
	}
	about.Offset, about.Length = &r.Offset, &r.Length
	return encodeRejectWith(about, nil)
}

// innermost returns the record inside a line of the rejects, or else the line. So repeated
// corrections do not nest.
func innermost(raw []byte) []byte {
	if line, err := parse(raw); err == nil && isReject(line) {
		if record, err := recordOf(line); err == nil {
			return record
		}
	}
	return raw
}

func encodeRejectWith(about rejected, raw []byte) ([]byte, error) {
	text, err := readable(about)
	if err != nil {
		return nil, err
	}
	name, record := "record", []byte("null")
	switch {
	case raw == nil:
	case isEmbeddable(raw):
		record = bytes.Trim(raw, space)
	case utf8.Valid(raw):
		record, err = readable(string(raw))
	default:
		name = "bytes"
		record, err = readable(raw)
	}
	return fmt.Appendf(nil, "{\"rejected\":%s,%q:%s}\n", text, name, record), err
}

// readable returns the value as JSON without the escapes for web pages.
func readable(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// space is JSON's white space. Trimming more would alter the line.
const space = " \t\r\n"

// isEmbeddable reports whether the line is an object that can be embedded unchanged.
func isEmbeddable(raw []byte) bool {
	_, err := jsonfields.Parse(raw, jsonfields.Bounds{Depth: bounds.Depth - 1, Members: bounds.Members})
	return err == nil && utf8.Valid(raw) && bytes.IndexByte(raw, '\n') < 0
}
