package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"

	"plaza/adapters/jsonfields"
	"plaza/application/admission"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/text"
)

// maxJSON is maxForm for a body of JSON: base64 makes four bytes of three.
const maxJSON = (media.MaxBytes+2)/3*4 + MaxBody

// Bounds of decoding, over all requests of the process. The decoder holds whole strings: it
// allocates up to five times the size of a body.
const (
	maxDecoding     = maxJSON // bytes of the bodies that are decoded at once: the largest one, or smaller ones
	decodingWait    = 8 * time.Second
	waitingDecoding = 128 // bodies, in fair turns of accounts
)

func NewDecoding() *admission.Queue {
	return admission.New(admission.Limits{Capacity: maxDecoding, Waiting: waitingDecoding, Wait: decodingWait}, errUploadsBusy)
}

// Faults of a picture in JSON.
var (
	errUploadsBusy = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The server is reading too many large pictures. Try again soon.").
			AtLimit("picture_bodies")
	errNotBase64 = fault.New(fault.Invalid, "Send the picture as base64 or as a base64 data URI.")
)

// fillFromJSON receives the whole body before it decodes it, so a slow client does not keep
// others waiting.
func fillFromJSON(body any, c *Call) error {
	w, r := c.Gin.Writer, c.Gin.Request
	if err := limitBody(w, r, maxJSON); err != nil {
		return err
	}
	sent := &SpillBuffer{inMemory: maxHeld, capacity: math.MaxInt64}
	defer sent.Close()
	if _, err := io.Copy(sent, r.Body); err != nil {
		return readFault(w, r, err, ErrCutOff)
	}
	if sent.file != nil {
		LeaveSlot(c.Context())
		leave, err := c.Decoding.Enter(c.Context(), sent.Size(), c.Actor.QueueKey())
		if errors.Is(err, context.DeadlineExceeded) {
			return errUploadsBusy
		}
		if err != nil {
			return err
		}
		defer leave()
	}
	object, err := parsePictures(transform.NewReader(sent.Reader(), encoding.UTF8Validator), c.pictures)
	if err != nil {
		return err
	}
	return complete(body, object, c.pictures)
}

// parsePictures is like parse, but decodes the pictures while it reads, and leaves them out of
// the object. What is not the last value of a picture may have maxBody bytes together.
func parsePictures(body io.Reader, pictures map[string]*Upload) (jsonfields.Object, error) {
	d := json.NewDecoder(body)
	if begin, err := d.Token(); err != nil {
		return nil, unreadable(err)
	} else if begin != json.Delim('{') {
		return nil, ErrNotObject
	}
	var object jsonfields.Object
	inPictures := map[string]int64{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, unreadable(err)
		}
		if picture := pictures[name.(string)]; picture != nil {
			begin := d.InputOffset()
			err = d.Decode(picture)
			inPictures[name.(string)] = d.InputOffset() - begin
		} else {
			var value json.RawMessage
			err = d.Decode(&value)
			object = append(object, jsonfields.Member{Name: []byte(name.(string)), Value: value})
		}
		if err != nil {
			return nil, unreadable(err)
		}
		others := d.InputOffset()
		for _, size := range inPictures {
			others -= size
		}
		if others > MaxBody {
			return nil, tooLarge(MaxBody)
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return nil, unreadable(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, unreadable(err)
	}
	return object, nil
}

// unreadable returns the fault of a body that can't be decoded. The server is to blame for a
// file that can't be read or written.
func unreadable(err error) error {
	_, isFile := errors.AsType[*fs.PathError](err)
	switch {
	case isFile:
		return err
	case errors.Is(err, encoding.ErrInvalidUTF8):
		return ErrNotUTF8
	}
	return ErrNotJSON
}

// UnmarshalJSON decodes the picture from base64. It notes a value of the client that it can't
// decode as the upload's problem. An error is the server's.
func (u *Upload) UnmarshalJSON(raw []byte) error {
	_ = u.Close() // the last of repeated fields counts
	*u = Upload{}
	switch string(raw) {
	case "null":
		u.Problem = text.Null
		return nil
	case `""`:
		return nil
	}
	content := io.Reader(bytes.NewReader(bytes.Trim(raw, `"`)))
	if raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			u.Problem = jsonfields.NotString
			return nil
		}
		content = strings.NewReader(s)
	}
	u.SpillBuffer = NewPicture()
	err := writeBase64(u, content)
	if errors.Is(err, errNotBase64) {
		err = u.Close()
		*u = Upload{Problem: errNotBase64.Text}
	}
	return err
}

// spaceless removes the white space of JSON.
var spaceless = runes.Remove(runes.Predicate(func(r rune) bool { return r == ' ' || r == '\n' || r == '\r' || r == '\t' }))

// standard replaces the letters of the alphabet for URLs by those of the standard one.
var standard = runes.Map(func(r rune) rune {
	switch r {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
})

// unpadded reads base64 without its padding, which may be missing. Nothing may follow the padding.
type unpadded struct {
	io.Reader
	padding int // so many = were read
}

func (u *unpadded) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	kept := len(bytes.TrimRight(p[:n], "="))
	if u.padding > 0 && kept > 0 || u.padding+n-kept > 2 {
		return 0, errNotBase64
	}
	u.padding += n - kept
	return kept, err
}

// writeBase64 decodes base64 in either alphabet, padded or not, or a data URI. It ignores white space,
// and the media type of the URI: pictures are judged by their content (PLA-03).
func writeBase64(to io.Writer, content io.Reader) error {
	in := bufio.NewReader(transform.NewReader(content, spaceless))
	const scheme = "data:"
	if begin, _ := in.Peek(len(scheme)); strings.EqualFold(string(begin), scheme) {
		prefix, err := in.ReadSlice(',')
		if err != nil || !bytes.HasSuffix(bytes.ToLower(prefix), []byte(";base64,")) {
			return errNotBase64
		}
	}
	_, err := io.Copy(to, base64.NewDecoder(base64.RawStdEncoding, &unpadded{Reader: transform.NewReader(in, standard)}))
	if err != nil && !fault.Is(err, fault.Unavailable) {
		return errNotBase64
	}
	return err
}
