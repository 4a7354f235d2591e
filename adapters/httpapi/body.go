package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"plaza/domain/fault"
)

// Bounds of a JSON body.
const (
	maxBody  = 1 << 20 // bytes (GEN-11)
	maxDepth = 64      // objects and lists within each other
)

// What is wrong with a body as a whole.
var (
	errNoJSONType = fault.New(fault.Unsupported, "Send the body as application/json.")
	errEncoded    = fault.New(fault.Unsupported, "Send the body without a Content-Encoding.")
	errCutOff     = fault.New(fault.Invalid, "The body could not be read to its end.")
	errNoUTF8     = fault.New(fault.Invalid, "The body is not valid UTF-8.")
	errTooDeep    = fault.New(fault.Invalid, "The body is nested too deeply.")
	errNoJSON     = fault.New(fault.Invalid, "The body is not valid JSON.")
	errNoObject   = fault.New(fault.Invalid, "The body is no JSON object.")
)

// checked is a body with rules that no tag can say.
type checked interface {
	// check tells what is wrong with the fields that were sent.
	check() fault.Fields
}

// read returns the body of the request. All that is wrong with its fields, by
// type, by tag and by the domain's own rules, is one fault (GEN-08).
func read[T any](c *call) (T, error) {
	var body T
	raw, err := readBody(c.gin.Writer, c.gin.Request, maxBody)
	if err != nil {
		return body, err
	}
	err = fill(&body, raw)
	return body, err
}

// fill decodes the body and checks it.
func fill(body any, raw []byte) error {
	object, err := parse(raw)
	if err != nil {
		return err
	}
	return complete(body, object, nil)
}

// complete fills the body with what was sent and tells all that is wrong with it. A body
// with pictures has gone through a sieve, or is a form.
func complete(body any, object map[string]json.RawMessage, s *uploadReader) error {
	d := decoder{sieve: s}
	d.object("", object, reflect.ValueOf(body).Elem())
	d.wrong.Merge(broken(body))
	if c, ok := body.(checked); ok {
		d.wrong.Merge(c.check())
	}
	return d.wrong.Err()
}

// together is the error with the fields that another one finds wrong as well. A
// mistake of our own outweighs both.
func together(err, other error) error {
	wrong := maps.Clone(fault.FieldsOf(err))
	if other == nil || len(wrong) == 0 {
		return err
	}
	if len(fault.FieldsOf(other)) == 0 {
		return other
	}
	wrong.Merge(fault.FieldsOf(other))
	return wrong.Err()
}

// readBody returns the bytes of a JSON body. One that is too large, or no JSON by
// its own account, is refused before it is read.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, errNoJSONType
	}
	if err := bound(w, r, limit); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, unread(w, r, err, errCutOff)
	}
	return raw, nil
}

// bound lets no more than the limit be read of the body, and refuses one that is
// larger, or encoded, by its own account.
func bound(w http.ResponseWriter, r *http.Request, limit int64) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return errEncoded
	}
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	r.Body = http.MaxBytesReader(innermost(w), r.Body, limit)
	return nil
}

// unread says why a body that is bounded could not be read; otherwise, when it is
// neither too large nor too slow.
func unread(w http.ResponseWriter, r *http.Request, err, otherwise error) error {
	if errors.Is(r.Context().Err(), context.DeadlineExceeded) {
		return r.Context().Err()
	}
	if over, isTooLarge := errors.AsType[*http.MaxBytesError](err); isTooLarge {
		http.NewResponseController(w).SetReadDeadline(time.Now()) // nor does the server wait for the rest
		return tooLarge(over.Limit)
	}
	return otherwise
}

func tooLarge(limit int64) error {
	return fault.Newf(fault.TooLarge, "The body is larger than %d MiB.", limit>>20)
}

// innermost is the writer that all others are around: through that one alone can
// MaxBytesReader tell the server to hang up.
func innermost(w http.ResponseWriter) http.ResponseWriter {
	for {
		around, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = around.Unwrap()
	}
}

// isJSON says whether the content type is JSON's; a missing one is taken for it.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err == nil && mediaType == "application/json"
}

// parse takes exactly one JSON object apart. Names are told apart by case, and of
// a repeated one the last counts.
func parse(raw []byte) (map[string]json.RawMessage, error) {
	switch {
	case !utf8.Valid(raw):
		return nil, errNoUTF8
	case isDeep(raw):
		return nil, errTooDeep
	case !json.Valid(raw):
		return nil, errNoJSON
	case bytes.TrimLeft(raw, " \t\r\n")[0] != '{':
		return nil, errNoObject
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(raw, &object)
	return object, err
}

// isDeep says whether the text, if it is JSON, is nested beyond maxDepth.
func isDeep(raw []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}
