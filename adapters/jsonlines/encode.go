package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"plaza/domain/calendar"
	"plaza/domain/imported"
)

// Encode returns the draft's line without its end. It omits fields with the values of absent
// fields.
func Encode(d imported.Draft) ([]byte, error) {
	for kind, s := range shapes {
		if s.absent.Type() == reflect.TypeOf(d) {
			return encode(kind, s, d)
		}
	}
	return nil, fmt.Errorf("unsupported draft %T", d)
}

func encode(kind imported.Kind, s shape, d imported.Draft) ([]byte, error) {
	w := newWriter()
	w.buf.WriteString(`{"kind":`)
	err := w.value(kind)
	if err == nil {
		err = w.fields(s, reflect.ValueOf(d), true)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a %s: %w", kind, err)
	}
	w.buf.WriteByte('}')
	return w.buf.Bytes(), nil
}

// writer writes readable JSON, without the escapes for web pages.
type writer struct {
	buf     *bytes.Buffer
	encoder *json.Encoder
}

func newWriter() writer {
	buf := &bytes.Buffer{}
	encoder := json.NewEncoder(buf)
	encoder.SetEscapeHTML(false)
	return writer{buf, encoder}
}

// value writes the value without the encoder's newline.
func (w writer) value(v any) error {
	if err := w.encoder.Encode(v); err != nil {
		return err
	}
	w.buf.Truncate(w.buf.Len() - 1)
	return nil
}

func (w writer) fields(s shape, record reflect.Value, following bool) error {
	for _, f := range s.fields {
		v := record.FieldByIndex(f.index)
		if isAbsent(v, s.absent.FieldByIndex(f.index)) {
			continue
		}
		if following {
			w.buf.WriteByte(',')
		}
		following = true
		w.buf.WriteString(`"` + f.name + `":`)
		if err := w.field(v.Interface()); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return nil
}

func isAbsent(v, absent reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.Equal(absent)
}

func (w writer) field(v any) error {
	switch v := v.(type) {
	case calendar.Date:
		return w.value(v.String())
	case *imported.CoverDraft:
		w.buf.WriteByte('{')
		err := w.fields(coverShape, reflect.ValueOf(*v), false)
		w.buf.WriteByte('}')
		return err
	}
	return w.value(v)
}
