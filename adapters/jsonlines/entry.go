package jsonlines

import (
	"bytes"
	"unicode/utf8"

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
	if ms, err := membersOf(raw); err == nil && isReject(ms) {
		if record, err := recordOf(ms); err == nil {
			return record
		}
	}
	return raw
}

func encodeRejectWith(about rejected, raw []byte) ([]byte, error) {
	w := newWriter()
	w.buf.WriteString(`{"rejected":`)
	err := w.value(about)
	if err == nil {
		err = w.record(raw)
	}
	w.buf.WriteString("}\n")
	return w.buf.Bytes(), err
}

func (w writer) record(raw []byte) error {
	switch {
	case raw == nil:
		w.buf.WriteString(`,"record":null`)
	case isEmbeddable(raw):
		w.buf.WriteString(`,"record":`)
		w.buf.Write(bytes.Trim(raw, space))
	case utf8.Valid(raw):
		w.buf.WriteString(`,"record":`)
		return w.value(string(raw))
	default:
		w.buf.WriteString(`,"bytes":`)
		return w.value(raw)
	}
	return nil
}

// space is JSON's white space. Trimming more would alter the line.
const space = " \t\r\n"

// isEmbeddable reports whether the line is an object that can be embedded unchanged.
func isEmbeddable(raw []byte) bool {
	if bytes.IndexByte(raw, '\n') >= 0 {
		return false
	}
	s := newScanner(bytes.Trim(raw, space))
	if s.PeekKind() != '{' || !utf8.Valid(raw) {
		return false
	}
	_, err := s.object(maxDepth - 1)
	return err == nil && s.InputOffset() == int64(len(s.text))
}
