package httpapi

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"plaza/domain/fault"
)

// maxInline is the longest value that stays in the JSON, in bytes.
const maxInline = 32 << 10

// uploadReader removes long strings from JSON while reading it, so the whole body is never
// in memory. It decodes the base64 of each picture field into a buffer and drops other long
// strings. An object with a secret name replaces a picture; an empty string replaces any
// other long string.
type uploadReader struct {
	in       *bufio.Reader
	out      bytes.Buffer
	name     string
	fields   []string // picture fields at the body's top level
	pictures []piece  // of fields
	uploads  *uploadBuffers
	key      []byte // the last string at the top level, as written
	depth    int
	last     byte  // last byte that was not white space
	maximum  int64 // bytes that may remain
}

// piece is a string that was removed.
type piece struct {
	buffer  *uploadBuffer
	problem string // a sentence for the client if the string is not base64
}

func newUploadReader(body io.Reader, fields []string, all *uploadBuffers, maximum int64) *uploadReader {
	return &uploadReader{
		in: bufio.NewReaderSize(body, 64<<10), name: rand.Text(), fields: fields, pictures: make([]piece, len(fields)),
		uploads: all, maximum: maximum,
	}
}

// strip returns the JSON without its long strings.
func (s *uploadReader) strip() ([]byte, error) {
	for {
		b, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return s.out.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		switch b {
		case '"':
			err = s.text()
		case '{', '[':
			s.depth++
			s.out.WriteByte(b)
		case '}', ']':
			s.depth--
			s.out.WriteByte(b)
		default:
			s.out.WriteByte(b)
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			s.last = b
		}
		if err != nil {
			return nil, err
		}
		if int64(s.out.Len()) > s.maximum {
			return nil, tooLarge(s.maximum)
		}
	}
}

// text copies the string after its opening quote. It removes the string if that is a long
// value.
func (s *uploadReader) text() error {
	start := s.out.Len()
	s.out.WriteByte('"')
	for escaped := false; ; {
		b, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil // not JSON
		}
		if err != nil {
			return err
		}
		s.out.WriteByte(b)
		switch {
		case b == '"' && !escaped:
			if s.depth == 1 && s.out.Len()-start <= maxInline {
				s.key = append(s.key[:0], s.out.Bytes()[start:]...)
			}
			return nil
		case s.last == ':' && s.out.Len()-start > maxInline:
			begun := bytes.Clone(s.out.Bytes()[start+1:])
			s.out.Truncate(start)
			return s.takeOut(&quoted{begun: begun, in: s.in})
		case int64(s.out.Len()) > s.maximum:
			return tooLarge(s.maximum)
		}
		escaped = b == '\\' && !escaped
	}
}

func (s *uploadReader) takeOut(text *quoted) error {
	n := s.picture()
	if n < 0 {
		s.out.WriteString("{}")
		_, err := io.Copy(io.Discard, text)
		return err
	}
	if before := s.pictures[n].buffer; before != nil { // the last of repeated fields counts
		if err := s.uploads.remove(before); err != nil {
			return err
		}
	}
	buffer, err := s.uploads.add(newBase64(text))
	p := piece{buffer: buffer}
	if errors.Is(err, errNoBase64) {
		p.problem = errNoBase64.Text
		_, err = io.Copy(io.Discard, text)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(&s.out, `{"%s":%d}`, s.name, n)
	s.pictures[n] = p
	return nil
}

// picture returns the index of the picture field whose value is being read, or -1 for any
// other field.
func (s *uploadReader) picture() int {
	var name string
	if s.depth != 1 || json.Unmarshal(s.key, &name) != nil {
		return -1
	}
	return slices.Index(s.fields, name)
}

// upload returns the picture for a JSON value, or the problem with it.
func (s *uploadReader) upload(raw json.RawMessage) (*uploadBuffer, string) {
	var named map[string]int
	if err := json.Unmarshal(raw, &named); err == nil {
		n, isOurs := named[s.name]
		if !isOurs || len(named) > 1 {
			return nil, noString
		}
		p := s.pictures[n]
		if p.problem != "" {
			return nil, p.problem
		}
		return p.buffer, ""
	}
	text, problem := readString(raw)
	if problem != "" || text == "" {
		return nil, problem
	}
	buffer, err := s.uploads.add(newBase64(bytes.NewReader([]byte(text))))
	if err != nil {
		return nil, errNoBase64.Text
	}
	return buffer, ""
}

// quoted reads the content of a JSON string up to its closing quote.
type quoted struct {
	begun []byte // that was read already
	in    *bufio.Reader
	ended bool
}

func (q *quoted) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if q.ended {
			return n, io.EOF
		}
		if p[n], err = q.next(); err != nil {
			return n, err
		}
		if !q.ended {
			n++
		}
	}
	return n, nil
}

// next returns the next byte of the content. A character outside ASCII is not base64, so any
// such byte may stand for it.
func (q *quoted) next() (byte, error) {
	b, err := q.byte()
	switch {
	case err != nil:
		return 0, err
	case b == '"':
		q.ended = true
		return 0, nil
	case b < ' ':
		return 0, errNoJSON
	case b != '\\':
		return b, nil
	}
	if b, err = q.byte(); err != nil {
		return 0, err
	}
	switch b {
	case 'n', 'r', 't':
		return '\n', nil // white space
	case 'u':
		return q.unit()
	case '"', '\\', '/', 'b', 'f':
		return b, nil // of these only the slash is base64
	}
	return 0, errNoJSON
}

func (q *quoted) unit() (byte, error) {
	var digits [4]byte
	for i := range digits {
		var err error
		if digits[i], err = q.byte(); err != nil {
			return 0, err
		}
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	switch {
	case err != nil:
		return 0, errNoJSON
	case n >= 0x80:
		return '?', nil
	}
	return byte(n), nil
}

func (q *quoted) byte() (byte, error) {
	if len(q.begun) > 0 {
		b := q.begun[0]
		q.begun = q.begun[1:]
		return b, nil
	}
	b, err := q.in.ReadByte()
	if errors.Is(err, io.EOF) {
		err = errNoJSON // the string does not end
	}
	return b, err
}

// base64Text decodes base64 or a data URI. It ignores the media type of the URI: pictures
// are judged by their content (PLA-03).
type base64Text struct {
	text    *bufio.Reader
	decoded io.Reader
}

var errNoBase64 = fault.New(fault.Invalid, "Send the picture as base64 or as a base64 data URI.")

// maxPrefix is more than the length of any data URI's prefix, in bytes.
const maxPrefix = 1 << 10

func newBase64(text io.Reader) *base64Text {
	return &base64Text{text: bufio.NewReaderSize(spaceless{text}, maxPrefix)}
}

func (b *base64Text) Read(p []byte) (int, error) {
	if b.decoded == nil {
		if err := b.skipPrefix(); err != nil {
			return 0, err
		}
		b.decoded = base64.NewDecoder(base64.StdEncoding, b.text)
	}
	n, err := b.decoded.Read(p)
	if _, isCorrupt := errors.AsType[base64.CorruptInputError](err); isCorrupt || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errNoBase64
	}
	return n, err
}

// skipPrefix reads the prefix of a data URI.
func (b *base64Text) skipPrefix() error {
	const scheme = "data:"
	head, err := b.text.Peek(len(scheme))
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(head) != scheme {
		return nil
	}
	prefix, err := b.text.ReadSlice(',')
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
		return errNoBase64
	case err != nil:
		return err
	case !bytes.HasSuffix(prefix, []byte(";base64,")):
		return errNoBase64
	}
	return nil
}

// spaceless drops white space.
type spaceless struct{ r io.Reader }

func (s spaceless) Read(p []byte) (int, error) {
	for {
		n, err := s.r.Read(p)
		kept := 0
		for _, b := range p[:n] {
			if b != ' ' && b != '\n' && b != '\r' && b != '\t' {
				p[kept] = b
				kept++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}
