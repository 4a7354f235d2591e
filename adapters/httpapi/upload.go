package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"unicode/utf8"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// Bounds of a body with a picture, in bytes (GEN-11): there is room for all else
// that a body may have, and for what is a little too large to be told so.
const (
	maxForm = media.MaxBytes + maxBody
	maxJSON = (media.MaxBytes+2)/3*4 + maxBody // base64 makes four bytes of three
)

// What is wrong with an upload as a whole.
var (
	errNoUpload = fault.New(fault.Unsupported, "Send the body as application/json or multipart/form-data.")
	errNoForm   = fault.New(fault.Invalid, "The body is not a valid form.")
)

// upload is the bytes of a picture, whatever they are.
type upload []byte

// errNoBase64 is worded for the client, who gets to read it.
var errNoBase64 = errors.New("Send the picture in base64, or as a data URI in base64.")

// UnmarshalText reads base64, or a data URI. The media type that the URI gives does
// not count: pictures are judged by their content (PLA-03).
func (u *upload) UnmarshalText(text []byte) error {
	text = bytes.TrimSpace(text)
	if head, content, isURI := bytes.Cut(text, []byte(",")); isURI { // base64 has no comma
		if !bytes.HasPrefix(head, []byte("data:")) || !bytes.HasSuffix(head, []byte(";base64")) {
			return errNoBase64
		}
		text = content
	}
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return errNoBase64
	}
	*u = raw
	return nil
}

// readUpload returns the body of a request that brings a picture: JSON, or a form
// with the picture as a file (PLA-02). All that is wrong with its fields is one
// fault.
func readUpload[T any](c *call) (T, error) {
	var body T
	mediaType, _, _ := mime.ParseMediaType(c.gin.GetHeader("Content-Type"))
	if mediaType == "multipart/form-data" {
		err := fillForm(&body, c.gin.Writer, c.gin.Request)
		return body, err
	}
	raw, err := readBody(c.gin.Writer, c.gin.Request, maxJSON)
	switch {
	case errors.Is(err, errNoJSONType):
		return body, errNoUpload
	case err != nil:
		return body, err
	}
	err = fill(&body, raw)
	return body, err
}

// fillForm takes the form apart and checks it as if it were JSON.
func fillForm(body any, w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	object := map[string]json.RawMessage{}
	for field, into := range reflect.ValueOf(body).Elem().Fields() {
		name := jsonName(field)
		texts, files := form.Value[name], form.File[name]
		switch _, isFile := into.Interface().(upload); {
		case isFile && len(files) > 0:
			if err := readFile(into, files[0]); err != nil {
				return err
			}
		case isFile || len(texts) == 0:
		case into.Kind() == reflect.Slice:
			object[name], err = encode(texts)
		default:
			object[name], err = encode(texts[len(texts)-1])
		}
		if err != nil {
			return err
		}
	}
	return complete(body, object)
}

// readForm keeps the whole form in memory: it is bounded.
func readForm(w http.ResponseWriter, r *http.Request) (*multipart.Form, error) {
	if err := bound(w, r, maxForm); err != nil {
		return nil, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, errNoForm
	}
	form, err := parts.ReadForm(maxForm)
	if err != nil {
		return nil, unread(w, r, err, errNoForm)
	}
	for _, texts := range form.Value {
		for _, text := range texts {
			if !utf8.ValidString(text) {
				return nil, errNoUTF8
			}
		}
	}
	return form, nil
}

func readFile(into reflect.Value, header *multipart.FileHeader) error {
	f, err := header.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	into.SetBytes(raw)
	return err
}
