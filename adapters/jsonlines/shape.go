package jsonlines

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

// shapes are the shapes of the drafts.
var shapes = map[imported.Kind]shape{
	imported.User:        shapeOf(imported.UserDraft{}),
	imported.Category:    shapeOf(imported.CategoryDraft{}),
	imported.Bundle:      shapeOf(imported.BundleDraft{}),
	imported.Publication: shapeOf(imported.PublicationDraft{ContentDraft: imported.ContentDraft{Published: true}}),
	imported.Node:        shapeOf(imported.NodeDraft{ContentDraft: imported.ContentDraft{Published: true}}),
	imported.Demand:      shapeOf(imported.DemandDraft{Published: true}),
	imported.HowTo:       shapeOf(imported.HowToDraft{}),
	imported.News:        shapeOf(imported.NewsDraft{}),
}

var coverShape = shapeOf(imported.CoverDraft{})

// shape lists the fields of a draft, or of an object in one.
type shape struct {
	fields []field
	places map[string]int // of the fields, by name
	absent reflect.Value  // a draft with the values of absent fields
}

type field struct {
	name  string
	index []int
	// set reads the value into the field of the record. It returns a sentence if the value
	// is invalid.
	set func(to reflect.Value, value []byte) string
}

// shapeOf returns the shape of a struct that holds the values of absent fields.
func shapeOf(absent any) shape {
	s := shape{places: map[string]int{}, absent: reflect.ValueOf(absent)}
	for _, of := range reflect.VisibleFields(s.absent.Type()) {
		if of.Anonymous {
			continue // its own fields follow
		}
		name := wireName(of.Name)
		s.places[name] = len(s.fields)
		s.fields = append(s.fields, field{name, of.Index, setter(of.Type)})
	}
	return s
}

// wireName returns the name of a draft's field in JSON Lines: FirstOriginal is
// first_original.
func wireName(field string) string {
	return strings.ToLower(innerCapital.ReplaceAllString(field, "${1}_$2"))
}

var innerCapital = regexp.MustCompile(`([a-z])([A-Z])`)

// draft returns the draft with the members. With a fault it also returns the draft of the
// valid ones.
func (s shape) draft(ms []member) (imported.Draft, error) {
	d := reflect.New(s.absent.Type()).Elem()
	wrong := s.fill(d, ms)
	return d.Interface().(imported.Draft), wrong.Err()
}

// setter returns the function that sets such a field. It panics for an unsupported type,
// which the first start would show.
func setter(of reflect.Type) func(reflect.Value, []byte) string {
	switch reflect.Zero(of).Interface().(type) {
	case imported.SourceID:
		return setID
	case time.Time:
		return setTime
	case calendar.Date:
		return setDate
	case *float64:
		return setNumber
	case *imported.CoverDraft:
		return nil // the object's own fields are set
	}
	switch of.Kind() {
	case reflect.String:
		return setText
	case reflect.Bool:
		return setBool
	case reflect.Int, reflect.Int64:
		return setInteger
	case reflect.Slice:
		if of.Elem().Kind() == reflect.String {
			return listOf(setText, "Enter a list of strings.")
		}
		return listOf(setInteger, "Enter a list of integers.")
	}
	panic(fmt.Sprintf("unsupported field type %s", of))
}

// fill sets the fields of the record from the members, and the others as absent. The last
// of repeated members counts. Null counts as absent.
func (s shape) fill(record reflect.Value, ms []member) (wrong fault.Fields) {
	values := make([][]byte, len(s.fields))
	for _, m := range ms {
		if i, is := s.places[string(m.name)]; is {
			values[i] = m.value
		} else if string(m.name) != "kind" || s.absent.Type() == coverShape.absent.Type() {
			wrong.Merge(fault.Fields{clipped(m.name): {"Unknown field."}})
		}
	}
	record.Set(s.absent)
	for i, value := range values {
		switch f := s.fields[i]; {
		case value == nil || string(value) == "null":
		case f.set == nil:
			wrong.Merge(setCover(record.FieldByIndex(f.index), f.name, value))
		default:
			wrong.Add(f.name, f.set(record.FieldByIndex(f.index), value))
		}
	}
	return wrong
}

func setCover(to reflect.Value, name string, value []byte) (wrong fault.Fields) {
	if value[0] != '{' {
		return fault.Fields{name: {"Enter an object with a file, or with url, width and height."}}
	}
	ms, err := membersOf(value)
	if f, is := fault.As(err); is {
		return fault.Fields{name: {f.Text}}
	}
	cover := reflect.New(coverShape.absent.Type())
	for inner, sentences := range coverShape.fill(cover.Elem(), ms) {
		wrong.Merge(fault.Fields{name + "." + inner: sentences})
	}
	to.Set(cover)
	return wrong
}

// clipped returns the name of an unknown field, shortened if it is long.
func clipped(name []byte) string {
	const most = 64
	if len(name) <= most {
		return string(name)
	}
	end := most
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return string(name[:end]) + "…"
}

func setText(to reflect.Value, value []byte) string {
	if value[0] != '"' {
		return "Enter a string."
	}
	to.SetString(unquote(value))
	return ""
}

// setID keeps the digits of a number unchanged, because some IDs exceed any integer type.
func setID(to reflect.Value, value []byte) string {
	switch {
	case value[0] == '"':
		to.SetString(unquote(value))
	case isInteger(value):
		to.SetString(string(value))
	default:
		return "Enter a string or an integer."
	}
	return ""
}

func setInteger(to reflect.Value, value []byte) string {
	n, err := strconv.ParseInt(string(value), 10, to.Type().Bits())
	if err != nil {
		return "Enter an integer."
	}
	to.SetInt(n)
	return ""
}

func isInteger(value []byte) bool {
	for i, c := range value {
		if !isDigit(c) && (i > 0 || c != '-') {
			return false
		}
	}
	return true
}

func setBool(to reflect.Value, value []byte) string {
	switch string(value) {
	case "true":
		to.SetBool(true)
	case "false":
		to.SetBool(false)
	default:
		return "Enter true or false."
	}
	return ""
}

func setNumber(to reflect.Value, value []byte) string {
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return "Enter a number."
	}
	to.Set(reflect.ValueOf(&n))
	return ""
}

func setTime(to reflect.Value, value []byte) string {
	var t time.Time
	if value[0] != '"' || t.UnmarshalText([]byte(unquote(value))) != nil {
		return "Enter a time with an offset, like 2026-11-21T08:30:00+08:00."
	}
	*to.Addr().Interface().(*time.Time) = t.UTC()
	return ""
}

func setDate(to reflect.Value, value []byte) string {
	var day calendar.Date
	var err error
	if value[0] == '"' {
		day, err = calendar.ParseDate(unquote(value))
	}
	if err != nil || day.IsZero() {
		return "Enter a date as YYYY-MM-DD."
	}
	to.Set(reflect.ValueOf(day))
	return ""
}

func listOf(set func(reflect.Value, []byte) string, sentence string) func(reflect.Value, []byte) string {
	return func(to reflect.Value, value []byte) string {
		elements, is := elementsOf(value)
		if !is {
			return sentence
		}
		if len(elements) == 0 {
			return ""
		}
		list := reflect.MakeSlice(to.Type(), len(elements), len(elements))
		for i, element := range elements {
			if set(list.Index(i), element) != "" {
				return sentence
			}
		}
		to.Set(list)
		return ""
	}
}
