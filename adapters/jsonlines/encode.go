package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"plaza/domain/event"
	"plaza/domain/imported"
)

// Encode returns the draft's line without its end. It omits fields with the values of absent
// fields.
func Encode(d imported.Draft) ([]byte, error) {
	kind, wire := wireOf(d)
	if wire == nil {
		return nil, fmt.Errorf("unsupported draft %T", d)
	}
	w := newWriter()
	w.buf.WriteString(`{"kind":`)
	err := w.value(kind)
	if err == nil {
		err = w.fields(forms[kind].shape, reflect.ValueOf(wire), true)
	}
	if err != nil {
		return nil, fmt.Errorf("encoding a %s: %w", kind, err)
	}
	w.buf.WriteByte('}')
	return w.buf.Bytes(), nil
}

func wireOf(d imported.Draft) (imported.Kind, any) {
	switch d := d.(type) {
	case imported.UserDraft:
		return imported.User, userWire(d)
	case imported.CategoryDraft:
		return imported.Category, categoryWire(d)
	case imported.BundleDraft:
		return imported.Bundle, bundleWire(d)
	case imported.PublicationDraft:
		return imported.Publication, publicationWire(d)
	case imported.NodeDraft:
		return imported.Node, nodeWire(d)
	case imported.DemandDraft:
		return imported.Demand, demandWire(d)
	case imported.HowToDraft:
		return imported.HowTo, howToWire(d)
	case imported.NewsDraft:
		return imported.News, newsWire(d)
	}
	return "", nil
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
	for i, f := range s.fields {
		v := record.Field(i)
		if saysNothing(v, s.absent.Field(i)) {
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

func saysNothing(v, absent reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.Equal(absent)
}

func (w writer) field(v any) error {
	switch v := v.(type) {
	case event.Date:
		return w.value(v.String())
	case *imported.CoverDraft:
		w.buf.WriteByte('{')
		err := w.fields(coverShape, reflect.ValueOf(coverWire(*v)), false)
		w.buf.WriteByte('}')
		return err
	}
	return w.value(v)
}
