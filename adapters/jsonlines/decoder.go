package jsonlines

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"plaza/adapters/jsonfields"
	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/text"
)

// Decoder implements imported.Decoder. For a line of the rejects it reads the record inside.
//
// With a fault of some fields it also returns the draft of the others, so that their
// problems can be reported together.
type Decoder struct{}

// drafts have the values of absent fields.
var drafts = map[imported.Kind]imported.Draft{
	imported.User:        imported.UserDraft{},
	imported.Category:    imported.CategoryDraft{},
	imported.Bundle:      imported.BundleDraft{},
	imported.Publication: imported.PublicationDraft{ContentDraft: imported.ContentDraft{Published: true}},
	imported.Node:        imported.NodeDraft{ContentDraft: imported.ContentDraft{Published: true}},
	imported.Demand:      imported.DemandDraft{Published: true},
	imported.HowTo:       imported.HowToDraft{},
	imported.News:        imported.NewsDraft{},
}

// bounds of a line's structure are far above any record's.
var bounds = jsonfields.Bounds{Depth: 64, Members: 256}

// fields fills the drafts.
var fields = jsonfields.Decoder{
	Bounds: bounds, MostElements: 5000, NullIsAbsent: true,
	Name: func(field reflect.StructField) string { return wireName(field.Name) },
	Types: map[reflect.Type]jsonfields.Reader{
		reflect.TypeFor[imported.SourceID](): readID, reflect.TypeFor[time.Time](): readTime, reflect.TypeFor[calendar.Date](): readDate,
	},
}

// wireName returns the name of a draft's field in JSON Lines: FirstOriginal is
// first_original.
func wireName(field string) string {
	return strings.ToLower(innerCapital.ReplaceAllString(field, "${1}_$2"))
}

var innerCapital = regexp.MustCompile(`([a-z])([A-Z])`)

func (Decoder) Decode(raw []byte, wanted ...imported.Kind) (imported.Draft, error) {
	line, err := parse(raw)
	for err == nil && isReject(line) {
		if raw, err = recordOf(line); err == nil {
			line, err = parse(raw)
		}
	}
	if err != nil {
		return nil, err
	}
	name, _ := jsonfields.Text(line.Last("kind"))
	kind := imported.Kind(name)
	absent, is := drafts[kind]
	if !is {
		return nil, fault.Field("kind", fmt.Sprintf("Enter one of %s.", text.Joined(imported.Kinds(), ", ")))
	}
	if len(wanted) > 0 && !slices.Contains(wanted, kind) {
		return nil, nil
	}
	line = slices.DeleteFunc(line, func(m jsonfields.Member) bool { return string(m.Name) == "kind" })
	draft := reflect.New(reflect.TypeOf(absent))
	draft.Elem().Set(reflect.ValueOf(absent))
	wrong := fields.Fill(draft.Interface(), line)
	return draft.Elem().Interface().(imported.Draft), wrong.Err()
}

func parse(raw []byte) (jsonfields.Object, error) {
	if !utf8.Valid(raw) {
		return nil, fault.New(fault.Invalid, "The line must be valid UTF-8.")
	}
	object, err := jsonfields.Parse(raw, bounds)
	switch {
	case errors.Is(err, jsonfields.ErrNotObject):
		return nil, fault.New(fault.Invalid, "The line must be one JSON object.")
	case err != nil:
		return nil, fault.Newf(fault.Invalid, "The line can't be read: %v.", err)
	}
	return object, nil
}

// readID keeps the digits of a number unchanged, because some IDs exceed any integer type.
func readID(value []byte, field reflect.Value) string {
	id, isText := jsonfields.Text(value)
	if !isText {
		id = string(value)
	}
	if !isText && !jsonfields.IsDecimal(id) {
		return "Enter a string or an integer."
	}
	field.SetString(id)
	return ""
}

func readTime(value []byte, field reflect.Value) string {
	written, isText := jsonfields.Text(value)
	var t time.Time
	if !isText || t.UnmarshalText([]byte(written)) != nil {
		return "Enter a time with an offset, like 2026-11-21T08:30:00+08:00."
	}
	*field.Addr().Interface().(*time.Time) = t.UTC()
	return ""
}

func readDate(value []byte, field reflect.Value) string {
	written, _ := jsonfields.Text(value)
	day, err := calendar.ParseDate(written)
	if err != nil || day.IsZero() {
		return "Enter a date as YYYY-MM-DD."
	}
	field.Set(reflect.ValueOf(day))
	return ""
}

// isReject reports whether the line is one of the rejects, which have no kind.
func isReject(line jsonfields.Object) bool {
	return line.Last("rejected") != nil && line.Last("kind") == nil
}

// recordOf returns the rejected line, corrected or not.
func recordOf(line jsonfields.Object) ([]byte, error) {
	record := line.Last("record")
	text, isText := jsonfields.Text(record)
	encoded, hasBytes := jsonfields.Text(line.Last("bytes"))
	switch {
	case len(record) > 0 && record[0] == '{':
		return record, nil
	case isText:
		return []byte(text), nil
	case len(record) > 0 && string(record) != "null":
		return nil, fault.Field("record", "Enter the rejected record as an object or as the text of its line.")
	case hasBytes:
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fault.Field("bytes", "Enter the line in base64.")
		}
		return text, nil
	}
	return nil, fault.Field("record", "The line was too long to keep. Enter its record here.")
}
