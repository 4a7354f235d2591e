package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
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

// ask sends the request and reads the whole of its answer, which is good until the
// next. Anything but a 200 with some content is an error.
func (w *wire) ask(raw []byte) (body []byte, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(answerLimit)); err != nil {
		return nil, err
	}
	if _, err := w.conn.Write(raw); err != nil {
		return nil, err
	}
	status, length, err := w.head()
	if err != nil {
		return nil, err
	}
	if cap(w.body) < length {
		w.body = make([]byte, length)
	}
	body = w.body[:length]
	if _, err := io.ReadFull(w.in, body); err != nil {
		return nil, err
	}
	const least = len(`{"data":[]}`)
	if status != 200 || length < least {
		return nil, fmt.Errorf("status %d: %.300s", status, body)
	}
	return body, nil
}

var (
	contentLength = []byte("content-length:")
	errNoLength   = errors.New("an answer does not say how long it is")
)

func (w *wire) head() (status, length int, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		line = bytes.TrimSpace(line)
		switch {
		case first:
			if len(line) < len("HTTP/1.1 200") {
				return 0, 0, fmt.Errorf("no answer of HTTP: %q", line)
			}
			status, err = strconv.Atoi(string(line[9:12]))
		case len(line) == 0:
			if length < 0 {
				err = errNoLength
			}
			return status, length, err
		case len(line) > len(contentLength) && bytes.EqualFold(line[:len(contentLength)], contentLength):
			length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(contentLength):])))
		}
		if err != nil {
			return 0, 0, err
		}
	}
}
