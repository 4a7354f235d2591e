// Package jsonfields decodes JSON objects into structs, and says what is wrong with each field.
//
// An Object has the members of an object as they were sent. A Decoder fills a struct from it. It never stops at a wrong field.
package jsonfields

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotObject means that a text is JSON, but not an object.
var ErrNotObject = errors.New("expected an object")

// MembersError is the error of an object with more than so many members.
type MembersError int

func (most MembersError) Error() string { return fmt.Sprintf("more than %d fields", int(most)) }

// Bounds of an object that is parsed. Zero is none.
type Bounds struct {
	Depth   int // nesting of objects and lists; none: 10,000
	Members int // of the object itself
}

// Object is an object as its members, in their order. Of repeated ones the last counts.
type Object []Member

// Member is a field of an object. The name has no escapes. The value is JSON without white space around it.
type Member struct {
	Name  []byte
	Value []byte
}

// Last returns the value of the last member with the name, or nil.
func (o Object) Last(name string) (value []byte) {
	for _, m := range o {
		if string(m.Name) == name {
			value = m.Value
		}
	}
	return value
}

// Parse parses a text that is one object. Its members are views of the text. Names are case-sensitive. Parse accepts
// invalid UTF-8 and halves of surrogate pairs.
func Parse(text []byte, bounds Bounds) (object Object, err error) {
	s := newScanner(text, bounds.Depth)
	isObject := s.PeekKind() == '{'
	if isObject {
		object, err = s.object(bounds.Members)
	} else {
		_, err = s.value()
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.ReadToken(); err != io.EOF {
		return nil, errors.New("text after the value")
	}
	if !isObject {
		return nil, ErrNotObject
	}
	return object, nil
}

// scanner reads a text once.
type scanner struct {
	text  []byte
	depth int // of the most nested value; zero: that of jsontext
	*jsontext.Decoder
}

func newScanner(text []byte, depth int) scanner {
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	return scanner{text, depth, jsontext.NewDecoder(bytes.NewBuffer(text), options...)}
}

// object returns the members of the next value, which is an object.
func (s scanner) object(most int) (Object, error) {
	if _, err := s.ReadToken(); err != nil {
		return nil, located(err)
	}
	members := make(Object, 0, 24)
	for s.PeekKind() == '"' {
		name, err := s.flat()
		if err != nil {
			return nil, err
		}
		value, err := s.value()
		if err != nil {
			return nil, err
		}
		if len(members) == most && most > 0 {
			return nil, MembersError(most)
		}
		members = append(members, Member{unquoted(name), value})
	}
	_, err := s.ReadToken()
	return members, located(err)
}

// value returns the next value. It does not recurse, because a text may be nested deeply.
func (s scanner) value() ([]byte, error) {
	if kind := s.PeekKind(); kind != '{' && kind != '[' {
		return s.flat()
	}
	outside, from := s.StackDepth(), int64(-1)
	for from < 0 || s.StackDepth() > outside {
		if _, err := s.ReadToken(); err != nil {
			return nil, located(err)
		}
		if from < 0 {
			from = s.InputOffset() - 1
		}
		if s.StackDepth() > s.depth && s.depth > 0 {
			return nil, fmt.Errorf("objects and lists nested more than %d levels deep", s.depth)
		}
	}
	return s.text[from:s.InputOffset()], nil
}

// flat returns the next value, which is neither an object nor a list.
func (s scanner) flat() ([]byte, error) {
	value, err := s.ReadValue()
	if err != nil {
		return nil, located(err)
	}
	end := s.InputOffset()
	return s.text[end-int64(len(value)) : end], nil
}

// located returns the error with the place in the text, counted from 1.
func located(err error) error {
	if e, is := errors.AsType[*jsontext.SyntacticError](err); is {
		return fmt.Errorf("%w at byte %d", e.Err, e.ByteOffset+1)
	}
	if err == io.EOF { // the text is empty
		return io.ErrUnexpectedEOF
	}
	return err
}

// Text returns the content of a string that was parsed. Without one, or with half of a surrogate pair, it reports false.
func Text(value []byte) (string, bool) {
	switch {
	case len(value) == 0 || value[0] != '"':
		return "", false
	case bytes.IndexByte(value, '\\') < 0:
		return string(value[1 : len(value)-1]), true
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

func unquoted(name []byte) []byte {
	if bytes.IndexByte(name, '\\') < 0 {
		return name[1 : len(name)-1]
	}
	text, _ := Text(name)
	return []byte(text)
}
