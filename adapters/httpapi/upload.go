package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"unicode/utf8"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// Bounds of a body with a picture, in bytes (GEN-11). They leave space for the other fields,
// and for a picture slightly above its limit, so that the client gets the right error.
const (
	maxForm  = media.MaxBytes + maxBody
	maxJSON  = (media.MaxBytes+2)/3*4 + maxBody // base64 makes four bytes of three
	maxParts = 100                              // of a form
)

// Faults of an upload as a whole.
var (
	errNoUpload = fault.New(fault.Unsupported, "Send the body as application/json or multipart/form-data.")
	errNoForm   = fault.New(fault.Invalid, "The body is not a valid form.")
)

// upload is an uploaded picture, not yet validated. Without a buffer there is no picture.
type upload struct{ *uploadBuffer }

// readUpload returns the body of a request with a picture: JSON, or a form with a file
// (PLA-02). It returns all problems of its fields as one fault. The picture exists until the
// call ends.
func readUpload[T any](c *call) (T, error) {
	var body T
	mediaType, _, _ := mime.ParseMediaType(c.gin.GetHeader("Content-Type"))
	switch {
	case mediaType == "multipart/form-data":
		err := fillForm(&body, c)
		return body, err
	case !isJSON(c.gin.GetHeader("Content-Type")):
		return body, errNoUpload
	}
	err := fillStreamed(&body, c)
	return body, err
}

// fillStreamed reads JSON without holding its pictures in memory.
func fillStreamed(body any, c *call) error {
	w, r := c.gin.Writer, c.gin.Request
	if err := limitBody(w, r, maxJSON); err != nil {
		return err
	}
	s := newUploadReader(r.Body, pictureFields(body), &c.uploads, maxBody)
	raw, err := s.strip()
	switch {
	case errors.Is(err, errDiskFull), errors.Is(err, errNoJSON):
		return err
	case fault.Is(err, fault.TooLarge):
		return readFault(w, r, &http.MaxBytesError{Limit: maxBody}, err)
	case err != nil:
		return readFault(w, r, err, errCutOff)
	}
	object, err := parse(raw)
	if err != nil {
		return err
	}
	return complete(body, object, s)
}

// pictureFields returns the names of the body's picture fields.
func pictureFields(body any) (names []string) {
	for field, value := range reflect.ValueOf(body).Elem().Fields() {
		if _, is := value.Addr().Interface().(*upload); is {
			names = append(names, jsonName(field))
		}
	}
	return names
}

// fillForm reads the form and checks it like JSON.
func fillForm(body any, c *call) error {
	sent, err := readForm(c, pictureFields(body))
	if err != nil {
		return err
	}
	object := map[string]json.RawMessage{}
	for field, into := range reflect.ValueOf(body).Elem().Fields() {
		name := jsonName(field)
		texts := sent.texts[name]
		switch into := into.Addr().Interface().(type) {
		case *upload:
			into.uploadBuffer = sent.files[name]
			continue
		case *[]string:
			if len(texts) > 0 {
				object[name], err = encode(texts)
			}
		default:
			if len(texts) > 0 {
				object[name], err = encode(texts[len(texts)-1])
			}
		}
		if err != nil {
			return err
		}
	}
	return complete(body, object, nil)
}

// sentForm is a parsed form: its texts, and the first file of each picture field. Other
// files are read and dropped.
type sentForm struct {
	pictures []string
	texts    map[string][]string
	files    map[string]*uploadBuffer
}

func readForm(c *call, pictures []string) (sentForm, error) {
	w, r := c.gin.Writer, c.gin.Request
	read := sentForm{pictures: pictures, texts: map[string][]string{}, files: map[string]*uploadBuffer{}}
	if err := limitBody(w, r, maxForm); err != nil {
		return read, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return read, errNoForm
	}
	for left, n := int64(maxBody), 0; ; n++ {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF: // a wrapped EOF means that the form is incomplete
			return read, nil
		case err == nil && n == maxParts:
			return read, errNoForm
		case err == nil:
			left, err = read.take(part, left, &c.uploads)
		}
		switch {
		case err == nil:
		case errors.Is(err, errDiskFull), errors.Is(err, errNoUTF8):
			return read, err
		default:
			return read, readFault(w, r, err, errNoForm)
		}
	}
}

// take reads the part. left is how many bytes of text the form may still have; take returns
// what remains of it.
func (f sentForm) take(part *multipart.Part, left int64, all *uploadBuffers) (int64, error) {
	name := part.FormName()
	if part.FileName() != "" {
		if f.files[name] != nil || !slices.Contains(f.pictures, name) {
			_, err := io.Copy(io.Discard, part)
			return left, err
		}
		s, err := all.add(part)
		f.files[name] = s
		return left, err
	}
	text, err := io.ReadAll(io.LimitReader(part, left+1))
	switch {
	case err != nil:
		return 0, err
	case int64(len(text)) > left:
		return 0, &http.MaxBytesError{Limit: maxBody}
	case !utf8.Valid(text):
		return 0, errNoUTF8
	}
	f.texts[name] = append(f.texts[name], string(text))
	return left - int64(len(text)), nil
}
