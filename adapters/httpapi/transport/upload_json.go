package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"time"

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

// Bounds of decoding, over all requests of the process. A body is held in memory as a whole, and a picture with escapes
// once more.
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
	raw, err := sent.content()
	if err != nil {
		return err
	}
	object, err := parse(raw)
	if err == nil {
		object, err = takePictures(object, len(raw), c.pictures)
	}
	if err != nil {
		return err
	}
	return complete(body, object, c.pictures)
}

// takePictures decodes the pictures of an object of that size, and returns the object without them. What is not the last value of
// a picture may have MaxBody bytes together.
func takePictures(object jsonfields.Object, size int, pictures map[string]*Upload) (jsonfields.Object, error) {
	for name := range pictures {
		size -= len(object.Last(name))
	}
	if size > MaxBody {
		return nil, tooLarge(MaxBody)
	}
	for name, picture := range pictures {
		if value := object.Last(name); value != nil {
			if err := picture.decode(value); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(object, func(m jsonfields.Member) bool { return pictures[string(m.Name)] != nil }), nil
}

// decode decodes the picture from base64. It notes a value of the client that it can't
// decode as the upload's problem. An error is the server's.
func (u *Upload) decode(raw []byte) error {
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
