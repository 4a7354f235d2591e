package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// wire is a connection that is kept alive, spoken to without an HTTP client: on two
// cores that it shares with the servers and the database, a client must cost next
// to nothing.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
	tag  []byte
}

func dial(at string) (*wire, error) {
	conn, err := net.DialTimeout("tcp", at, patience)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (w *wire) Close() error { return w.conn.Close() }

// answerLimit is how long a single answer may take.
const answerLimit = 30 * time.Second

// answer is what a server sends back. The body is good until the next request.
type answer struct {
	status int
	tag    []byte // the ETag; nil: none
	body   []byte
}

// ask returns the body of the answer, which must be a 200 with some content.
func (w *wire) ask(raw []byte) (body []byte, err error) {
	a, err := w.send(request{raw: raw})
	return a.body, err
}

// send sends the request and reads the whole of its answer, which must be as the request says.
func (w *wire) send(q request) (a answer, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return a, err
	}
	if _, err := w.conn.Write(q.raw); err != nil {
		return a, err
	}
	length, err := w.head(&a)
	if err != nil {
		return a, err
	}
	if cap(w.body) < length {
		w.body = make([]byte, length)
	}
	a.body = w.body[:length]
	if _, err := io.ReadFull(w.in, a.body); err != nil {
		return a, err
	}
	return a, q.check(a)
}

// check fails unless the answer has the status and the content that the request expects.
func (q request) check(a answer) error {
	const least = len(`{"data":[]}`)
	want := cmp.Or(q.status, http.StatusOK)
	hasContent := want != http.StatusNoContent && want != http.StatusNotModified
	if a.status != want || hasContent && len(a.body) < least || !bytes.Contains(a.body, q.part) {
		return fmt.Errorf("status %d: %.300s", a.status, a.body)
	}
	return nil
}

var (
	contentLength = []byte("content-length:")
	entityTag     = []byte("etag:")
	errNoLength   = errors.New("an answer does not say how long it is")
)

// head reads the status line and the headers, and returns how long the body is.
func (w *wire) head(a *answer) (length int, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		switch {
		case first:
			if len(line) < len("HTTP/1.1 200") {
				return 0, fmt.Errorf("no answer of HTTP: %q", line)
			}
			a.status, err = strconv.Atoi(string(line[9:12]))
		case len(line) == 0 && (a.status == http.StatusNoContent || a.status == http.StatusNotModified):
			return 0, nil
		case len(line) == 0:
			if length < 0 {
				err = errNoLength
			}
			return length, err
		case hasPrefixFold(line, contentLength):
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(contentLength):])))
		case hasPrefixFold(line, entityTag):
			w.tag = append(w.tag[:0], bytes.TrimSpace(line[len(entityTag):])...)
			a.tag = w.tag
		}
		if err != nil {
			return 0, err
		}
	}
}

func hasPrefixFold(line, prefix []byte) bool {
	return len(line) > len(prefix) && bytes.EqualFold(line[:len(prefix)], prefix)
}
