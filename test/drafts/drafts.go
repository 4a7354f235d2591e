// Package drafts writes drafts as lines of JSON, as the crawler does.
package drafts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"plaza/domain/calendar"
	"plaza/domain/imported"
)

// Encode returns the draft's line without its end. It omits fields with the values of absent
// fields.
func Encode(d imported.Draft) ([]byte, error) {
	of := reflect.ValueOf(d)
	kind := strings.ToLower(strings.TrimSuffix(of.Type().Name(), "Draft"))
	members, err := membersOf(of)
	if err != nil {
		return nil, fmt.Errorf("encoding a %s: %w", kind, err)
	}
	return object(append([]string{fmt.Sprintf(`"kind":%q`, kind)}, members...)), nil
}

func object(members []string) []byte { return []byte("{" + strings.Join(members, ",") + "}") }

// membersOf returns the members of the struct that are not absent, in the order of its fields.
func membersOf(of reflect.Value) (members []string, err error) {
	for _, field := range reflect.VisibleFields(of.Type()) {
		value := of.FieldByIndex(field.Index)
		if field.Anonymous || isAbsent(field.Name, value) {
			continue // the fields of an embedded struct follow
		}
		text, err := encode(value.Interface())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field.Name, err)
		}
		members = append(members, fmt.Sprintf("%q:%s", nameOf(field.Name), text))
	}
	return members, nil
}

func isAbsent(field string, value reflect.Value) bool {
	switch {
	case field == "Published": // what is not said to be unpublished is published
		return value.Bool()
	case value.Kind() == reflect.Slice:
		return value.Len() == 0
	}
	return value.IsZero()
}

var innerCapital = regexp.MustCompile(`([a-z])([A-Z])`)

// nameOf returns the name of a field in a line: FirstOriginal is first_original.
func nameOf(field string) string {
	return strings.ToLower(innerCapital.ReplaceAllString(field, "${1}_$2"))
}

func encode(value any) ([]byte, error) {
	switch v := value.(type) {
	case calendar.Date:
		value = v.String()
	case *imported.CoverDraft:
		members, err := membersOf(reflect.ValueOf(*v))
		return object(members), err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
