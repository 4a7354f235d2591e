package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// document is the part of an OpenAPI document that the page shows. It has what the interface's document uses, and no
// more of OpenAPI.
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
		Schemas    ordered[*schema]
		Parameters ordered[*parameter]
		Headers    ordered[*parameter]
		Responses  ordered[*response]
		Examples   ordered[*example]
	}
}

type operation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Security                          *[]map[string]json.RawMessage
	Parameters                        []*parameter
	RequestBody                       struct{ Content ordered[*media] }
	Responses                         ordered[*response]
	Scope                             string          `json:"x-scope"`
	Staff                             []string        `json:"x-staff"`
	Unnarrowed                        json.RawMessage `json:"x-unnarrowed"`
}

// parameter is a parameter or a header.
type parameter struct {
	Ref                   string `json:"$ref"`
	Name, In, Description string
	Required              bool
	Schema                *schema
	Example               json.RawMessage
	Examples              ordered[*example]
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
	Ref     string `json:"$ref"`
	Summary string
	Value   json.RawMessage
}

// schema is a JSON Schema. Beside a reference it has a description and properties alone.
type schema struct {
	Ref                          string `json:"$ref"`
	Description, Format, Pattern string
	Type                         words
	Const, Default               json.RawMessage
	Enum                         []json.RawMessage
	EnumNames                    []string `json:"x-enum-varnames"`
	EnumDescriptions             []string `json:"x-enum-descriptions"`
	Properties                   ordered[*schema]
	Required                     []string
	AdditionalProperties, Items  *schema
	OneOf, AnyOf                 []*schema
	Discriminator                struct {
		PropertyName string
		Mapping      ordered[string]
	}
	Minimum, Maximum                         json.Number
	MinLength, MaxLength, MinItems, MaxItems *int
	MinProperties                            *int
	ContentMediaType                         string
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

func (w *words) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
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

// decode reads JSON of the document. It panics if that is wrong: the document is a constant of the program.
func decode(raw []byte, into any) {
	if err := json.Unmarshal(raw, into); err != nil {
		panic(fmt.Errorf("reference: %w", err))
	}
}

// named returns the last word of a reference.
func named(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// deref returns the component that the reference names. It panics if the document lacks the component.
func deref[T any](ref, kind string, all ordered[T]) T {
	for _, m := range all {
		if ref == "#/components/"+kind+"/"+m.Name {
			return m.Value
		}
	}
	panic(fmt.Errorf("reference: %s is not one of #/components/%s", ref, kind))
}

// resolve returns the schema without a reference. What stands beside a reference replaces what is in its target.
func (d *document) resolve(s *schema) *schema {
	if s.Ref == "" {
		return s
	}
	whole := *d.resolve(deref(s.Ref, "schemas", d.Components.Schemas))
	whole.Properties = whole.Properties.overlaid(s.Properties)
	whole.Description = cmp.Or(s.Description, whole.Description)
	return &whole
}
