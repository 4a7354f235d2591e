package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"plaza/adapters/jsonfields"
	"plaza/domain/fault"
)

// Faults of a body as a whole.
var (
	ErrNotJSONType = fault.New(fault.Unsupported, "Send the body as application/json.")
	ErrEncoded     = fault.New(fault.Unsupported, "Send the body without a Content-Encoding.")
	ErrCutOff      = fault.New(fault.Invalid, "The body could not be read to its end.")
	errTooSlow     = fault.New(fault.SlowBody, "The body arrived too slowly.")
	ErrNotUTF8     = fault.New(fault.Invalid, "The body is not valid UTF-8.")
	ErrNotJSON     = fault.New(fault.Invalid, "The body is not valid JSON.")
	ErrEmpty       = fault.New(fault.Invalid, "The body is empty. Send a JSON object.")
	ErrNotObject   = fault.New(fault.Invalid, "The body is not a JSON object.")
)

// Read returns the body of the request, as far as it can be read. It returns all problems of
// its fields (types, tags) as one fault, which the use case merges with its own (GEN-08).
func Read[T any](c *Call) (T, error) {
	var body T
	raw, err := ReadBody(c.Gin.Writer, c.Gin.Request, MaxBody)
	if err != nil {
		return body, err
	}
	err = Fill(&body, raw)
	return body, err
}

// Fill decodes the body and checks it.
func Fill(body any, raw []byte) error {
	object, err := parse(raw)
	if err != nil {
		return err
	}
	return complete(body, object, nil)
}

// complete fills the body from the object and returns all problems with it and its pictures.
func complete(body any, object jsonfields.Object, pictures map[string]*Upload) error {
	var wrong fault.Fields
	for name, picture := range pictures {
		wrong.Add(name, picture.Problem)
	}
	wrong.Merge(bodies.Fill(body, object))
	wrong.Merge(validate(body))
	return wrong.Err()
}

// bodies fills bodies of requests. An integer may be sent as a string (GEN-08).
var bodies = jsonfields.Decoder{Name: jsonName, UnknownIgnored: true, QuotedIntegers: true}

// Nullable is a field of a body that treats null differently from absence.
type Nullable[T any] = jsonfields.Nullable[T]

// ReadBody returns the bytes of a JSON body. A body that declares another type or too large
// a size is refused before it is read.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, ErrNotJSONType
	}
	if err := limitBody(w, r, limit); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, readFault(w, r, err, ErrCutOff)
	}
	return raw, nil
}

// limitBody limits how much of the body can be read. It refuses a body that declares a larger
// size or a content encoding.
func limitBody(w http.ResponseWriter, r *http.Request, limit int64) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return ErrEncoded
	}
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	r.Body = http.MaxBytesReader(Innermost(w), r.Body, limit)
	return nil
}

// readFault returns the reason why a bounded body could not be read. A fault is the reason
// itself. readFault returns the fallback when the body is neither too large nor too slow.
func readFault(w http.ResponseWriter, r *http.Request, err, fallback error) error {
	if _, isFault := fault.As(err); isFault {
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(r.Context().Err(), context.DeadlineExceeded) {
		return errTooSlow
	}
	if over, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		// The deadline keeps the server from waiting for the rest. After a body that is read to
		// its end, it would cancel the context of the connection, and with it the next request.
		w.Header().Set("Connection", "close")
		http.NewResponseController(w).SetReadDeadline(time.Now())
		return tooLarge(over.Limit)
	}
	return fallback
}

func tooLarge(limit int64) error {
	return fault.Newf(fault.TooLarge, "The body is larger than %d MiB.", limit>>20)
}

// Innermost returns the writer inside all wrappers. MaxBytesReader can close the connection
// only through that one.
func Innermost(w http.ResponseWriter) http.ResponseWriter {
	for {
		around, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = around.Unwrap()
	}
}

// isJSON reports whether the content type is JSON. A missing type counts as JSON.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == "application/json"
}

// maxMembers is how many fields a JSON body may have. More take more than MaxBody, however short they are.
const maxMembers = MaxBody / len(`"":0,`)

// parse reads exactly one JSON object. Names are case-sensitive. The last of repeated names
// counts.
func parse(raw []byte) (jsonfields.Object, error) {
	switch {
	case !utf8.Valid(raw):
		return nil, ErrNotUTF8
	case len(bytes.TrimSpace(raw)) == 0:
		return nil, ErrEmpty
	}
	object, err := jsonfields.Parse(raw, jsonfields.Bounds{Members: maxMembers})
	_, hasMore := errors.AsType[jsonfields.MembersError](err)
	switch {
	case hasMore:
		return nil, tooLarge(MaxBody)
	case errors.Is(err, jsonfields.ErrNotObject):
		return nil, ErrNotObject
	case err != nil:
		return nil, ErrNotJSON
	}
	return object, nil
}
