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

// maxInline is how long the text of a field may be, in bytes of JSON, to stay where it is.
const maxInline = 32 << 10

// uploadReader takes long texts out of JSON while it is read: nobody ever holds the whole body. It
// keeps what the base64 of a picture's field says, one file for each such field; every
// other long text is read and dropped. In the place of a picture stands an object that
// names it, by a name that no client can know; in the place of another text, an empty one.
type uploadReader struct {
	in       *bufio.Reader
	out      bytes.Buffer
	name     string
	fields   []string // the pictures' fields, of the body itself
	pictures []piece  // of fields
	spools   *uploadBuffers
	key      []byte // the last text of the body itself, as it was written
	depth    int
	last     byte  // that was no white space
	maximum  int64 // bytes that may stay
}

// piece is a text that was taken out.
type piece struct {
	spool   *uploadBuffer
	problem string // a sentence for the client when the text is not base64
}

func newUploadReader(body io.Reader, fields []string, all *uploadBuffers, maximum int64) *uploadReader {
	return &uploadReader{
		in: bufio.NewReaderSize(body, 64<<10), name: rand.Text(), fields: fields, pictures: make([]piece, len(fields)),
		spools: all, maximum: maximum,
	}
}

// sift returns the JSON without its long texts.
func (s *uploadReader) sift() ([]byte, error) {
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

// text copies the text whose opening quote was read, or takes it out when it is the long
// value of a field.
func (s *uploadReader) text() error {
	start := s.out.Len()
	s.out.WriteByte('"')
	for escaped := false; ; {
		b, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil // which is no JSON
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
	if before := s.pictures[n].spool; before != nil { // of a repeated field the last one counts
		if err := s.spools.remove(before); err != nil {
			return err
		}
	}
	spool, err := s.spools.add(newBase64(text))
	p := piece{spool: spool}
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

// picture is the place of the field whose value is being read among the pictures' fields;
// -1: it is another field, or within one.
func (s *uploadReader) picture() int {
	var name string
	if s.depth != 1 || json.Unmarshal(s.key, &name) != nil {
		return -1
	}
	return slices.Index(s.fields, name)
}

// upload returns what is a picture in the JSON value, or the problem with it.
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
		return p.spool, ""
	}
	text, problem := readString(raw)
	if problem != "" || text == "" {
		return nil, problem
	}
	spool, err := s.spools.add(newBase64(bytes.NewReader([]byte(text))))
	if err != nil {
		return nil, errNoBase64.Text
	}
	return spool, ""
}

// quoted is what a JSON text says, up to its closing quote.
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

// next is the next byte of what is said. What is no ASCII is no base64 either, so it is
// enough that it stays something else.
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
		return b, nil // of which none but the slash is base64
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
		err = errNoJSON // it has no end
	}
	return b, err
}

// base64Text is the bytes that a text says in base64, or as a data URI. The media type that
// the URI gives does not count: pictures are judged by their content (PLA-03).
type base64Text struct {
	text    *bufio.Reader
	decoded io.Reader
}

var errNoBase64 = fault.New(fault.Invalid, "Send the picture in base64, or as a data URI in base64.")

// maxPrefix is more than a data URI has before its content, in bytes.
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

// skipPrefix reads what a data URI begins with.
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

// spaceless leaves white space out.
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
