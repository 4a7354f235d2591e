package jsonlines

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"plaza/domain/fault"
)

// Bounds of a line's structure, far above any record's.
const (
	maxDepth    = 64  // nesting of objects and lists
	maxMembers  = 256 // of an object whose fields are read
	maxElements = 5000
)

// scanner parses JSON once. It is stricter than encoding/json, which repairs invalid Unicode and
// ignores the case of field names. Of repeated names it returns all.
type scanner struct {
	text []byte
	*jsontext.Decoder
}

// member is a field of an object as written. The value is a view.
type member struct {
	name  []byte
	value []byte
}

func newScanner(text []byte) scanner {
	return scanner{text, jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))}
}

// membersOf returns the members of the text's only object, including repeated ones.
func membersOf(text []byte) ([]member, error) {
	if !utf8.Valid(text) {
		return nil, fault.New(fault.Invalid, "The line must be valid UTF-8.")
	}
	s := newScanner(text)
	if s.PeekKind() != '{' {
		if _, err := s.value(maxDepth); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.Invalid, "The line must be one JSON object.")
	}
	members, err := s.object(maxDepth)
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[s.InputOffset():], space); len(rest) > 0 {
		return nil, fault.Newf(fault.Invalid, "The line has text after the record, at byte %d.", len(text)-len(rest)+1)
	}
	return members, nil
}

// elementsOf returns the elements of a list that has been scanned. It reports false if the
// text is not a list or has far too many elements.
func elementsOf(list []byte) (elements [][]byte, is bool) {
	s := newScanner(list)
	if s.PeekKind() != '[' {
		return nil, false
	}
	_, err := s.ReadToken()
	for err == nil && s.PeekKind() != ']' && len(elements) <= maxElements {
		var element []byte
		element, err = s.value(maxDepth)
		elements = append(elements, element)
	}
	return elements, err == nil && len(elements) <= maxElements
}

// object returns the members of the object at which the scanner is.
func (s scanner) object(depth int) ([]member, error) {
	if _, err := s.ReadToken(); err != nil {
		return nil, s.wrong(err)
	}
	members := make([]member, 0, 24)
	for s.PeekKind() == '"' {
		name, err := s.ReadValue()
		if err != nil {
			return nil, s.wrong(err)
		}
		quoted := s.last(name)
		value, err := s.value(depth)
		if err != nil {
			return nil, err
		}
		if len(members) == maxMembers {
			return nil, fault.Newf(fault.Invalid, "The line has more than %d fields.", maxMembers)
		}
		m := member{quoted[1 : len(quoted)-1], value}
		if bytes.IndexByte(m.name, '\\') >= 0 {
			m.name = []byte(unquote(quoted))
		}
		members = append(members, m)
	}
	if _, err := s.ReadToken(); err != nil {
		return nil, s.wrong(err)
	}
	return members, nil
}

// value returns the next value.
func (s scanner) value(depth int) ([]byte, error) {
	if kind := s.PeekKind(); kind != '{' && kind != '[' {
		value, err := s.ReadValue()
		if err != nil {
			return nil, s.wrong(err)
		}
		return s.last(value), nil
	}
	outside, from := s.StackDepth(), int64(-1)
	for from < 0 || s.StackDepth() > outside {
		if _, err := s.ReadToken(); err != nil {
			return nil, s.wrong(err)
		}
		if from < 0 {
			from = s.InputOffset() - 1
		}
		if s.StackDepth() > depth {
			return nil, fault.Newf(fault.Invalid, "Objects and lists are nested more than %d levels deep.", maxDepth)
		}
	}
	return s.text[from:s.InputOffset()], nil
}

// last returns the view of the value that was read last.
func (s scanner) last(value jsontext.Value) []byte {
	end := s.InputOffset()
	return s.text[end-int64(len(value)) : end]
}

func (s scanner) wrong(err error) error {
	if e, is := errors.AsType[*jsontext.SyntacticError](err); is {
		return fault.Newf(fault.Invalid, "The line is not valid JSON at byte %d: %v.", e.ByteOffset+1, e.Err)
	}
	return fault.New(fault.Invalid, "The line is empty.")
}

// unquote returns the content of a string that has been scanned.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return string(text)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
