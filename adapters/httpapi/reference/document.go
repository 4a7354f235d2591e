package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// document is the part of an OpenAPI document that the page shows.
type document struct {
	Info struct {
		Title, Version, Summary, Description string
	}
	Tags []struct {
		Name, Description string
	}
	Security   []map[string]json.RawMessage
	Paths      ordered[ordered[json.RawMessage]]
	Components struct {
		Schemas       ordered[*schema]
		Parameters    ordered[*parameter]
		Headers       ordered[*parameter]
		Responses     ordered[*response]
		RequestBodies ordered[*requestBody]
		Examples      ordered[*example]
	}
}

type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Deprecated                        bool
	Security                          *[]map[string]json.RawMessage
	Parameters                        []*parameter
	RequestBody                       *requestBody
	Responses                         ordered[*response]
	Scope                             string          `json:"x-scope"`
	Staff                             json.RawMessage `json:"x-staff"`
	Unnarrowed                        json.RawMessage `json:"x-unnarrowed"`
	Extension                         json.RawMessage `json:"x-extension"`
}

// parameter is a parameter or a header.
type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required, Deprecated  bool
	Schema                *schema
	Example               json.RawMessage
	Examples              ordered[*example]
}

type requestBody struct {
	Ref         string `json:"$ref"`
	Description string
	Required    bool
	Content     ordered[*media]
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     ordered[*parameter]
	Content     ordered[*media]
}

type media struct {
	Schema   *schema
	Example  json.RawMessage
	Examples ordered[*example]
}

type example struct {
	Ref                  string `json:"$ref"`
	Summary, Description string
	Value                json.RawMessage
}

// schema is a JSON Schema. It ignores keywords that no interface for JSON needs.
type schema struct {
	Ref                                      string `json:"$ref"`
	Title, Description, Format, Pattern      string
	Type                                     words
	Const, Default                           json.RawMessage
	Enum                                     []json.RawMessage
	EnumNames                                words           `json:"x-enum-varnames"`
	EnumDescriptions                         json.RawMessage `json:"x-enum-descriptions"`
	Properties                               ordered[*schema]
	Required                                 []string
	AdditionalProperties, Items              *schema
	OneOf, AnyOf, AllOf                      []*schema
	Discriminator                            *discriminator
	Minimum, Maximum                         json.Number
	ExclusiveMinimum, ExclusiveMaximum       json.Number
	MultipleOf                               json.Number
	MinLength, MaxLength, MinItems, MaxItems *int
	MinProperties, MaxProperties             *int
	UniqueItems, ReadOnly, WriteOnly         bool
	Deprecated                               bool
	ContentEncoding, ContentMediaType        string
}

type discriminator struct {
	PropertyName string
	Mapping      ordered[string]
}

// UnmarshalJSON also accepts true and false, which stand for schemas without keywords.
func (s *schema) UnmarshalJSON(raw []byte) error {
	if string(raw) == "true" || string(raw) == "false" {
		return nil
	}
	type plain schema
	return json.Unmarshal(raw, (*plain)(s))
}

// words is a list that may be written as a single word.
type words []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*w = make(words, 1)
		return json.Unmarshal(raw, &(*w)[0])
	}
	return json.Unmarshal(raw, (*[]string)(w))
}

// ordered is a JSON object whose members keep their order.
type ordered[T any] []member[T]

type member[T any] struct {
	Name  string
	Value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *ordered[T]) UnmarshalJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return fmt.Errorf("%.40s is not an object", raw)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		m := member[T]{Name: name.(string)}
		if err := decoder.Decode(&m.Value); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if v := reflect.ValueOf(m.Value); v.Kind() == reflect.Pointer && v.IsNil() {
			return fmt.Errorf("%s is null", m.Name)
		}
		*o = append(*o, m)
	}
	return nil
}

// overlaid returns a copy with the members of top, which replace those of the same name.
func (o ordered[T]) overlaid(top ordered[T]) ordered[T] {
	all := slices.Clone(o)
	for _, m := range top {
		at := slices.IndexFunc(all, func(other member[T]) bool { return other.Name == m.Name })
		if at < 0 {
			all = append(all, m)
			continue
		}
		all[at] = m
	}
	return all
}

// at returns the member's value.
func (o ordered[T]) at(name string) (value T, err error) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, nil
		}
	}
	return value, fmt.Errorf("%q is missing", name)
}

// named returns the last word of a reference.
func named(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// deref returns the component that the reference names.
func deref[T any](ref, kind string, all ordered[T]) (value T, err error) {
	name, isOfKind := strings.CutPrefix(ref, "#/components/"+kind+"/")
	if !isOfKind {
		return value, fmt.Errorf("%s is not one of #/components/%s", ref, kind)
	}
	return all.at(name)
}

// resolve returns the schema without references and without allOf. Keywords beside a
// reference replace those of its target.
func (d *document) resolve(s *schema) (*schema, error) {
	whole := *s
	whole.Ref, whole.AllOf = "", nil
	if s.Ref != "" {
		target, err := deref(s.Ref, "schemas", d.Components.Schemas)
		if err == nil {
			target, err = d.resolve(target)
		}
		if err != nil {
			return nil, err
		}
		whole.Properties = target.Properties.overlaid(s.Properties)
		whole.add(target)
	}
	for _, part := range s.AllOf {
		part, err := d.resolve(part)
		if err != nil {
			return nil, err
		}
		whole.add(part)
	}
	return &whole, nil
}

// add adds the keywords of another schema that describes the same values. Those that s has
// stay.
func (s *schema) add(other *schema) {
	s.Properties = s.Properties.overlaid(other.Properties.overlaid(s.Properties))
	s.Required = slices.Concat(s.Required, other.Required)
	for field, value := range reflect.ValueOf(s).Elem().Fields() {
		if from := reflect.ValueOf(other).Elem().FieldByIndex(field.Index); value.IsZero() {
			value.Set(from)
		}
	}
}
