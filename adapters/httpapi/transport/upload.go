package transport

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"plaza/adapters/jsonfields"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// Bounds of a form with a picture, in bytes (GEN-11). They leave space for the other fields,
// and for a picture slightly above its limit, so that the client gets the right error.
const (
	maxForm  = media.MaxBytes + MaxBody
	MaxParts = 100 // of a form
)

// Faults of an upload as a whole.
var (
	errNotUploadType = fault.New(fault.Unsupported, "Send the body as application/json or multipart/form-data.")
	errNotForm       = fault.New(fault.Invalid, "The body is not a valid form.")
)

// ReadUpload returns the body of a request with a picture: JSON, or a form with a file
// (PLA-02). It returns all problems of its fields as one fault. The picture exists until the
// call ends.
func ReadUpload[T any](c *Call) (T, error) {
	var body T
	c.pictures = PicturesOf(&body)
	mediaType, _, _ := mime.ParseMediaType(c.Gin.GetHeader("Content-Type"))
	switch {
	case mediaType == "multipart/form-data":
		err := fillFromForm(&body, c)
		LeaveSlot(c.Context())
		return body, err
	case !isJSON(c.Gin.GetHeader("Content-Type")):
		return body, errNotUploadType
	}
	err := fillFromJSON(&body, c)
	LeaveSlot(c.Context())
	return body, err
}

// PicturesOf returns the body's picture fields by name.
func PicturesOf(body any) map[string]*Upload {
	pictures := map[string]*Upload{}
	for field, value := range reflect.ValueOf(body).Elem().Fields() {
		if u, is := value.Addr().Interface().(*Upload); is {
			pictures[jsonName(field)] = u
		}
	}
	return pictures
}

// Problems of the parts of a form.
const (
	secondFile  = "Send one file."
	fileForText = "Send a text, not a file."
	bracketed   = "Name this field without brackets, also if it is sent several times."
)

// fillFromForm checks the form like JSON.
func fillFromForm(body any, c *Call) error {
	w, r := c.Gin.Writer, c.Gin.Request
	if err := limitBody(w, r, maxForm); err != nil {
		return err
	}
	form, err := r.MultipartReader()
	if err != nil {
		return errNotForm
	}
	wrong := fault.Fields{}
	texts, err := ReadForm(form, NamesOf(body), c.pictures, wrong)
	if err != nil {
		return readFault(w, r, err, errNotForm)
	}
	var object jsonfields.Object
	for field := range reflect.TypeOf(body).Elem().Fields() {
		name := jsonName(field)
		sent, value := texts[name], []byte(nil)
		switch {
		case len(sent) == 0:
			continue
		case field.Type.Kind() == reflect.Slice:
			value, err = Encode(sent)
		default:
			value, err = Encode(sent[len(sent)-1])
		}
		if err != nil {
			return err
		}
		object = append(object, jsonfields.Member{Name: []byte(name), Value: value})
	}
	return fault.Merge(wrong.Err(), complete(body, object, c.pictures))
}

func NamesOf(body any) map[string]bool {
	names := map[string]bool{}
	for field := range reflect.TypeOf(body).Elem().Fields() {
		names[jsonName(field)] = true
	}
	return names
}

// ReadForm fills each picture from the part of its field, with or without a file name, and returns the texts. It notes what is
// sent in a way that no field takes, and drops what is for no field while it reads it.
func ReadForm(form *multipart.Reader, names map[string]bool, pictures map[string]*Upload, wrong fault.Fields) (map[string][]string, error) {
	texts, left := map[string][]string{}, int64(MaxBody)
	for range MaxParts + 1 {
		part, err := form.NextPart()
		if err == io.EOF { // a wrapped EOF means that the form is incomplete
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		name := part.FormName()
		if plain := strings.TrimSuffix(name, "[]"); plain != name && names[plain] {
			wrong.Add(plain, bracketed)
		}
		if pictures[name] != nil {
			if err := pictures[name].take(part); err != nil {
				return nil, err
			}
			continue
		}
		if part.FileName() != "" {
			if names[name] {
				wrong.Add(name, fileForText)
			}
			if _, err := io.Copy(io.Discard, part); err != nil {
				return nil, err
			}
			continue
		}
		content, err := io.ReadAll(io.LimitReader(part, left+1))
		left -= int64(len(content))
		switch {
		case err != nil:
			return nil, err
		case left < 0:
			return nil, &http.MaxBytesError{Limit: MaxBody}
		case !utf8.Valid(content):
			return nil, ErrNotUTF8
		}
		texts[name] = append(texts[name], string(content))
	}
	return nil, errNotForm
}

// take reads the picture from a part of a form. An empty part is none: browsers send one for a field without a file.
func (u *Upload) take(part io.Reader) error {
	first := make([]byte, 1)
	if _, err := io.ReadFull(part, first); err == io.EOF {
		return nil
	} else if err != nil {
		return err
	}
	if u.SpillBuffer != nil {
		u.Problem = secondFile
		_, err := io.Copy(io.Discard, part)
		return err
	}
	u.SpillBuffer = NewPicture()
	_, err := io.Copy(u, io.MultiReader(bytes.NewReader(first), part))
	return err
}
