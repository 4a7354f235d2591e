package transport

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Sentences about values of the wrong type, as clients of Django REST framework know them.
const (
	NotString  = "Not a valid string."
	NotInteger = "A valid integer is required."
	NotBoolean = "Must be a valid boolean."
	NotList    = "Expected a list of items."
	NotObject  = "Expected an object."
	NotUTF8    = "Text must be valid UTF-8."
)

// Nullable is a field that treats null differently from absence.
type Nullable[T any] struct {
	Sent  bool // also true for null
	Null  bool
	Value T
}

// receive marks the field as sent and returns where its value belongs.
func (n *Nullable[T]) receive(null bool) reflect.Value {
	n.Sent, n.Null = true, null
	return reflect.ValueOf(&n.Value).Elem()
}

// OrNil returns the value, or nil for an absent field and for null.
func (n *Nullable[T]) OrNil() *T {
	if !n.Sent || n.Null {
		return nil
	}
	return &n.Value
}

// decoder fills structs from JSON by the names in their json tags. It notes the first
// problem of each field.
//
// A field is a string, an integer, a boolean, an encoding.TextUnmarshaler, a struct, a slice
// or a nullable of those, or a pointer. A pointer stays nil when the field is not sent or
// can't be read. Only a nullable accepts null.
type decoder struct {
	wrong fault.Fields
}

func (d *decoder) note(name, problem string) {
	if len(d.wrong[name]) == 0 {
		d.wrong.Add(name, problem)
	}
}

// object fills the struct. The reported names of its fields begin with the prefix.
func (d *decoder) object(prefix string, object map[string]json.RawMessage, into reflect.Value) {
	for field, value := range into.Fields() {
		name := jsonName(field)
		if raw, sent := object[name]; sent && name != "" {
			d.value(prefix+name, raw, value)
		}
	}
}

func jsonName(field reflect.StructField) string { return field.Tag.Get("json") }

func (d *decoder) value(name string, raw json.RawMessage, into reflect.Value) {
	isNull := string(raw) == "null"
	if n, ok := into.Addr().Interface().(interface{ receive(bool) reflect.Value }); ok {
		if value := n.receive(isNull); !isNull {
			d.value(name, raw, value)
		}
		return
	}
	if isNull {
		d.note(name, text.Null)
		return
	}
	if into.Kind() == reflect.Pointer {
		pointed := reflect.New(into.Type().Elem())
		if d.value(name, raw, pointed.Elem()); len(d.wrong[name]) == 0 {
			into.Set(pointed)
		}
		return
	}
	if t, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		d.text(name, raw, t)
		return
	}
	d.plain(name, raw, into)
}

func (d *decoder) plain(name string, raw json.RawMessage, into reflect.Value) {
	switch into.Kind() {
	case reflect.String:
		s, problem := ReadString(raw)
		d.note(name, problem)
		into.SetString(s)
	case reflect.Int, reflect.Int64:
		n, ok := ReadInteger(raw, into.Type().Bits())
		if !ok {
			d.note(name, NotInteger)
		}
		into.SetInt(n)
	case reflect.Bool:
		if string(raw) != "true" && string(raw) != "false" {
			d.note(name, NotBoolean)
		}
		into.SetBool(string(raw) == "true")
	case reflect.Slice:
		d.list(name, raw, into)
	case reflect.Struct:
		var object map[string]json.RawMessage
		if err := json.Unmarshal(raw, &object); err != nil {
			d.note(name, NotObject)
		}
		d.object(name+".", object, into)
	default:
		panic("httpapi: a body has a field of type " + into.Type().String())
	}
}

// text unmarshals a string with the field's own method. The client reads the text of its
// fault.
func (d *decoder) text(name string, raw json.RawMessage, into encoding.TextUnmarshaler) {
	s, problem := ReadString(raw)
	if problem == "" {
		err := into.UnmarshalText([]byte(s))
		if f, isFault := fault.As(err); isFault {
			problem = f.Text
		} else if err != nil {
			problem = NotString
		}
	}
	d.note(name, problem)
}

// list fills the slice. The slice is never nil afterwards, so an empty list differs from an
// absent one.
func (d *decoder) list(name string, raw json.RawMessage, into reflect.Value) {
	if fillWhole(raw, into) {
		return
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		d.note(name, NotList)
	}
	into.Set(reflect.MakeSlice(into.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(name, item, into.Index(i))
	}
}

// fillWhole fills a slice of integers at once. It reports false if the text is not one.
// encoding/json is as strict as value, except that it reads null as zero.
func fillWhole(raw json.RawMessage, into reflect.Value) bool {
	return into.Type().Elem().Kind() == reflect.Int64 && bytes.IndexByte(raw, 'n') < 0 &&
		json.Unmarshal(raw, into.Addr().Interface()) == nil
}

// ReadString returns the string or its problem.
func ReadString(raw json.RawMessage) (s, problem string) {
	if raw[0] != '"' {
		return "", NotString
	}
	unquoted, err := jsontext.AppendUnquote(nil, raw)
	if err != nil { // half of a surrogate pair, which UTF-8 can't express
		return "", NotUTF8
	}
	s = string(unquoted)
	return s, text.Limit{}.Problem(s)
}

// ReadInteger reads a number without fraction and exponent, also from a string (GEN-08).
func ReadInteger(raw json.RawMessage, bits int) (int64, bool) {
	digits := string(raw)
	if strings.HasPrefix(digits, `"`) {
		digits, _ = ReadString(raw) // a string with a problem is no number either
	}
	if !isDecimal(digits) {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, bits)
	return n, err == nil
}

// isDecimal reports whether s consists of digits after an optional minus sign. ParseInt
// accepts more than that.
func isDecimal(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}
