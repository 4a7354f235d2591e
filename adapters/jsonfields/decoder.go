package jsonfields

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Sentences about values of the wrong type, as clients of Django REST framework know them.
const (
	NotString  = "Not a valid string."
	NotInteger = "A valid integer is required."
	NotNumber  = "A valid number is required."
	NotBoolean = "Must be a valid boolean."
	NotList    = "Expected a list of items."
	NotObject  = "Expected an object."
	NotUTF8    = "Text must be valid UTF-8."
	Unknown    = "Unknown field."
)

// Decoder fills structs from objects. It notes the first problem of each field.
//
// A field is a string, a number, a boolean, an encoding.TextUnmarshaler, a type of Types, a struct, a slice or a nullable
// of those, or a pointer. A pointer stays nil when the field is not sent or can't be read. A slice that is sent is not nil,
// so an empty list differs from an absent one.
type Decoder struct {
	Bounds                                          // of objects in fields
	Name           func(reflect.StructField) string // empty: not a field of the object
	Types          map[reflect.Type]Reader
	MostElements   int  // of a list; zero: any number
	UnknownIgnored bool // or a problem
	NullIsAbsent   bool // or a problem, except of a nullable
	QuotedIntegers bool // a string of digits counts as the integer

	structs sync.Map // fields by their reflect.Type
}

// Reader sets the field to the value, or returns the problem with it.
type Reader func(value []byte, field reflect.Value) (problem string)

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

type nullable interface{ receive(null bool) reflect.Value }

// OrNil returns the value, or nil for an absent field and for null.
func (n *Nullable[T]) OrNil() *T {
	if !n.Sent || n.Null {
		return nil
	}
	return &n.Value
}

// OrZero returns the value, which is zero for null, or nil for an absent field.
func (n *Nullable[T]) OrZero() *T {
	if !n.Sent {
		return nil
	}
	return &n.Value
}

// Pointer is OrNil for a Nullable of any type.
func (n *Nullable[T]) Pointer() reflect.Value { return reflect.ValueOf(n.OrNil()) }

// Fill sets the fields of the struct to which into points, and returns the problems with them.
func (d *Decoder) Fill(into any, object Object) fault.Fields {
	r := reading{Decoder: d}
	r.object("", object, reflect.ValueOf(into).Elem())
	return r.wrong
}

// reading is one call of Fill.
type reading struct {
	*Decoder
	wrong fault.Fields
}

func (r *reading) note(name, problem string) {
	if problem != "" && len(r.wrong[name]) == 0 {
		r.wrong.Add(name, problem)
	}
}

// fields are those of a struct, with those of its embedded structs.
type fields struct {
	places map[string]int
	all    []field
}

type field struct {
	name  string
	index []int
	read  reader
}

func (d *Decoder) fieldsOf(of reflect.Type) *fields {
	if known, is := d.structs.Load(of); is {
		return known.(*fields)
	}
	f := &fields{places: map[string]int{}}
	for _, of := range reflect.VisibleFields(of) {
		if name := d.Name(of); name != "" && of.IsExported() && !of.Anonymous {
			f.places[name] = len(f.all)
			f.all = append(f.all, field{name, of.Index, d.readerOf(of.Type)})
		}
	}
	d.structs.Store(of, f)
	return f
}

// object fills the struct. The reported names of its fields begin with the prefix.
func (r *reading) object(prefix string, object Object, into reflect.Value) {
	fields := r.fieldsOf(into.Type())
	values := make([][]byte, len(fields.all))
	for _, m := range object {
		if i, is := fields.places[string(m.Name)]; is {
			values[i] = m.Value
		} else if !r.UnknownIgnored {
			r.note(prefix+clipped(m.Name), Unknown)
		}
	}
	for i, value := range values {
		if f := &fields.all[i]; value != nil && (!r.NullIsAbsent || string(value) != "null") {
			f.read(r, prefix+f.name, value, into.FieldByIndex(f.index))
		}
	}
}

// clipped returns the name of an unknown field, shortened if it is long.
func clipped(name []byte) string {
	const most = 64
	if len(name) <= most {
		return string(name)
	}
	return strings.ToValidUTF8(string(name[:most]), "") + "…"
}

// reader sets the field to the value, and notes the problems with it under the name.
type reader func(r *reading, name string, raw []byte, into reflect.Value)

// readerOf returns the reader of fields of the type.
func (d *Decoder) readerOf(of reflect.Type) reader {
	if reflect.PointerTo(of).Implements(reflect.TypeFor[nullable]()) {
		return readNullable(d.readerOf(reflect.New(of).Interface().(nullable).receive(true).Type()))
	}
	read := d.notNull(of)
	return func(r *reading, name string, raw []byte, into reflect.Value) {
		if string(raw) == "null" {
			r.note(name, text.Null)
			return
		}
		read(r, name, raw, into)
	}
}

func (d *Decoder) notNull(of reflect.Type) reader {
	read := d.Types[of]
	switch {
	case read != nil:
		return func(r *reading, name string, raw []byte, into reflect.Value) { r.note(name, read(raw, into)) }
	case of.Kind() == reflect.Pointer:
		return readPointer(d.notNull(of.Elem()))
	case reflect.PointerTo(of).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return func(r *reading, name string, raw []byte, into reflect.Value) {
			r.note(name, unmarshal(raw, into.Addr().Interface().(encoding.TextUnmarshaler)))
		}
	case of.Kind() == reflect.Slice:
		return readList(d.readerOf(of.Elem()))
	case of.Kind() == reflect.Struct:
		return (*reading).readObject
	}
	return (*reading).readPlain
}

func readNullable(read reader) reader {
	return func(r *reading, name string, raw []byte, into reflect.Value) {
		isNull := string(raw) == "null"
		if value := into.Addr().Interface().(nullable).receive(isNull); !isNull {
			read(r, name, raw, value)
		}
	}
}

func readPointer(read reader) reader {
	return func(r *reading, name string, raw []byte, into reflect.Value) {
		pointed := reflect.New(into.Type().Elem())
		if read(r, name, raw, pointed.Elem()); len(r.wrong[name]) == 0 {
			into.Set(pointed)
		}
	}
}

// readList fills the slice with the elements up to the bound.
func readList(read reader) reader {
	return func(r *reading, name string, raw []byte, into reflect.Value) {
		into.Set(reflect.MakeSlice(into.Type(), 0, 0))
		s := newScanner(raw, 0)
		if s.PeekKind() != '[' {
			r.note(name, NotList)
			return
		}
		_, err := s.ReadToken()
		for n := 0; err == nil && s.PeekKind() != ']'; n++ {
			if n == r.MostElements && n > 0 {
				r.note(name, fmt.Sprintf("Ensure this field has no more than %d elements.", n))
				return
			}
			into.Grow(1)
			into.SetLen(n + 1)
			var element []byte
			if element, err = s.value(); err == nil {
				read(r, name, element, into.Index(n))
			}
		}
	}
}

func (r *reading) readObject(name string, raw []byte, into reflect.Value) {
	object, err := Parse(raw, r.Bounds)
	if err != nil {
		r.note(name, NotObject)
	}
	r.object(name+".", object, into)
}

func (r *reading) readPlain(name string, raw []byte, into reflect.Value) {
	switch into.Kind() {
	case reflect.String:
		s, problem := readString(raw)
		r.note(name, problem)
		into.SetString(s)
	case reflect.Int, reflect.Int64:
		n, is := r.integer(raw, into.Type().Bits())
		if !is {
			r.note(name, NotInteger)
		}
		into.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			r.note(name, NotNumber)
		}
		into.SetFloat(n)
	case reflect.Bool:
		if string(raw) != "true" && string(raw) != "false" {
			r.note(name, NotBoolean)
		}
		into.SetBool(string(raw) == "true")
	default:
		panic("jsonfields: unsupported type " + into.Type().String())
	}
}

// unmarshal reads a string with the field's own method. The client reads the text of its fault.
func unmarshal(raw []byte, into encoding.TextUnmarshaler) string {
	s, problem := readString(raw)
	if problem != "" {
		return problem
	}
	err := into.UnmarshalText([]byte(s))
	if f, isFault := fault.As(err); isFault {
		return f.Text
	} else if err != nil {
		return NotString
	}
	return ""
}

// readString returns the string or its problem.
func readString(raw []byte) (s, problem string) {
	s, is := Text(raw)
	switch {
	case raw[0] != '"':
		return "", NotString
	case !is: // half of a surrogate pair, which UTF-8 can't express
		return "", NotUTF8
	}
	return s, text.Limit{}.Problem(s)
}

// integer reads a number without fraction and exponent (GEN-08).
func (r *reading) integer(raw []byte, bits int) (int64, bool) {
	digits := string(raw)
	if raw[0] == '"' && r.QuotedIntegers {
		digits, _ = readString(raw) // a string with a problem is no number either
	}
	if !IsDecimal(digits) {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, bits)
	return n, err == nil
}

// IsDecimal reports whether s consists of digits after an optional minus sign. ParseInt
// accepts more than that.
func IsDecimal(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != ""
}
