package jsonlines

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"plaza/domain/fault"
)

// Bounds of a line's structure, far above any record's.
const (
	maxDepth    = 64  // nesting of objects and lists
	maxMembers  = 256 // of an object whose fields are read
	maxElements = 5000
)

// scanner parses JSON once. It is stricter than encoding/json, which repairs invalid
// Unicode, ignores the case of field names, and permits ten thousand levels of nesting.
type scanner struct {
	text []byte
	at   int
}

// member is a field of an object as written. The value is a view.
type member struct {
	name  []byte
	value []byte
}

// membersOf returns the members of the text's only object, including repeated ones.
func membersOf(text []byte) ([]member, error) {
	if !utf8.Valid(text) {
		return nil, fault.New(fault.Invalid, "The line must be valid UTF-8.")
	}
	s := scanner{text: text}
	s.space()
	isObject := s.peek() == '{'
	members := make([]member, 0, 24)
	var err error
	if isObject {
		err = s.object(1, &members)
	} else {
		err = s.value(1)
	}
	if err != nil {
		return nil, err
	}
	if s.space(); s.at < len(text) {
		return nil, fault.Newf(fault.Invalid, "The line has text after the record, at byte %d.", s.at+1)
	}
	if !isObject {
		return nil, fault.New(fault.Invalid, "The line must be one JSON object.")
	}
	return members, nil
}

// elementsOf returns the elements of a list that has been scanned. It reports false if the
// text is not a list or has far too many elements.
func elementsOf(list []byte) ([][]byte, bool) {
	s := scanner{text: list}
	var elements [][]byte
	if s.peek() != '[' || s.list(1, &elements) != nil || len(elements) > maxElements {
		return nil, false
	}
	return elements, true
}

func (s *scanner) wrong() error {
	return fault.Newf(fault.Invalid, "The line is not valid JSON at byte %d.", min(s.at, len(s.text))+1)
}

// peek returns the next byte, or 0 at the end, which JSON never contains.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

func (s *scanner) value(depth int) error {
	switch c := s.peek(); {
	case c == '"':
		return s.string()
	case c == '{':
		return s.object(depth, nil)
	case c == '[':
		return s.list(depth, nil)
	case c == '-' || isDigit(c):
		return s.number()
	}
	for _, word := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(s.text[s.at:], []byte(word)) {
			s.at += len(word)
			return nil
		}
	}
	return s.wrong()
}

func tooDeep(depth int) error {
	if depth > maxDepth {
		return fault.Newf(fault.Invalid, "Objects and lists are nested more than %d levels deep.", maxDepth)
	}
	return nil
}

// object collects the members if into is not nil.
func (s *scanner) object(depth int, into *[]member) error {
	if err := tooDeep(depth); err != nil {
		return err
	}
	s.at++
	if s.space(); s.take('}') {
		return nil
	}
	for {
		s.space()
		name, err := s.name()
		if err != nil {
			return err
		}
		from := s.at
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if into != nil {
			if len(*into) == maxMembers {
				return fault.Newf(fault.Invalid, "The line has more than %d fields.", maxMembers)
			}
			*into = append(*into, member{name, s.text[from:s.at]})
		}
		if s.space(); s.take('}') {
			return nil
		}
		if !s.take(',') {
			return s.wrong()
		}
	}
}

// name reads a name and stops at the value.
func (s *scanner) name() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.wrong()
	}
	from := s.at
	if err := s.string(); err != nil {
		return nil, err
	}
	name := s.text[from+1 : s.at-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(s.text[from:s.at]))
	}
	if s.space(); !s.take(':') {
		return nil, s.wrong()
	}
	s.space()
	return name, nil
}

// list collects the elements if into is not nil, and stops soon after the limit.
func (s *scanner) list(depth int, into *[][]byte) error {
	if err := tooDeep(depth); err != nil {
		return err
	}
	s.at++
	if s.space(); s.take(']') {
		return nil
	}
	for {
		s.space()
		from := s.at
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if into != nil && len(*into) <= maxElements {
			*into = append(*into, s.text[from:s.at])
		}
		if s.space(); s.take(']') {
			return nil
		}
		if !s.take(',') {
			return s.wrong()
		}
	}
}

// special are the bytes that a string can't contain unescaped.
var special = func() (is [256]bool) {
	for c := range ' ' {
		is[c] = true
	}
	is['"'], is['\\'] = true, true
	return is
}()

func (s *scanner) string() error {
	s.at++
	for {
		for s.at < len(s.text) && !special[s.text[s.at]] {
			s.at++
		}
		switch s.peek() {
		case '"':
			s.at++
			return nil
		case '\\':
			if err := s.escape(); err != nil {
				return err
			}
		default:
			return s.wrong()
		}
	}
}

func (s *scanner) escape() error {
	s.at++
	c := s.peek()
	if c == 'u' {
		s.at--
		return s.code()
	}
	if strings.IndexByte(escapes, c) < 0 {
		return s.wrong()
	}
	s.at++
	return nil
}

// code reads the code of a character, or of both its surrogates.
func (s *scanner) code() error {
	first, is := hex(s.text[s.at:])
	if !is {
		return s.wrong()
	}
	if !utf16.IsSurrogate(first) {
		s.at += codeLength
		return nil
	}
	second, is := hex(s.text[s.at+codeLength:])
	if !is || utf16.DecodeRune(first, second) == utf8.RuneError {
		return fault.Newf(fault.Invalid, "A lone surrogate is escaped at byte %d.", s.at+1)
	}
	s.at += 2 * codeLength
	return nil
}

func (s *scanner) number() error {
	s.take('-')
	if !s.take('0') && !s.digits() {
		return s.wrong()
	}
	if s.take('.') && !s.digits() {
		return s.wrong()
	}
	if s.take('e') || s.take('E') {
		if !s.take('+') {
			s.take('-')
		}
		if !s.digits() {
			return s.wrong()
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	from := s.at
	for isDigit(s.peek()) {
		s.at++
	}
	return s.at > from
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

const (
	// escapes stand for the bytes at the same indexes in escaped.
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
	// codeLength is the length of an escape like \u00e9.
	codeLength = len(`\u0000`)
)

// hex reads an escape like \u00e9 at the start of the text.
func hex(text []byte) (rune, bool) {
	if len(text) < codeLength || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range text[2:codeLength] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// unquote returns the content of a string that has been scanned.
func unquote(quoted []byte) string {
	text := quoted[1 : len(quoted)-1]
	at := bytes.IndexByte(text, '\\')
	if at < 0 {
		return string(text)
	}
	var b strings.Builder
	b.Grow(len(text))
	for ; at >= 0; at = bytes.IndexByte(text, '\\') {
		b.Write(text[:at])
		text = text[at:]
		if text[1] != 'u' {
			b.WriteByte(escaped[strings.IndexByte(escapes, text[1])])
			text = text[2:]
			continue
		}
		r, _ := hex(text)
		text = text[codeLength:]
		if utf16.IsSurrogate(r) {
			low, _ := hex(text)
			r = utf16.DecodeRune(r, low)
			text = text[codeLength:]
		}
		b.WriteRune(r)
	}
	b.Write(text)
	return b.String()
}
