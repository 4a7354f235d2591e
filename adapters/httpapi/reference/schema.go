package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// shape is a schema as the page shows it.
type shape struct {
	Type        string // like "array of Event"
	Schema      string // the component that Fields or Variants are those of, if it has a name
	Limits      []string
	Description []block
	Values      []value // of an enumeration
	Fields      []field
	Variants    []shape
	Chooser     string // the property that tells variants apart
	IsClosed    bool   // Fields and Variants are left out; the page shows those of Schema on demand
	IsFile      bool
}

// IsChoice reports whether the value is one of Values.
func (s shape) IsChoice() bool { return len(s.Values) > 0 && !strings.Contains(s.Type, " of ") }

// IsMany reports whether the value is a list.
func (s shape) IsMany() bool { return strings.HasPrefix(s.Type, "array of ") }

type value struct{ Value, Name, Description string }

type field struct {
	Name                string
	Required            bool
	Deprecated          bool
	ReadOnly, WriteOnly bool
	Shape               shape
}

// unrequire forgets which fields are required: a response has them all.
func (s shape) unrequire() {
	for i := range s.Fields {
		s.Fields[i].Required = false
		s.Fields[i].Shape.unrequire()
	}
	for _, v := range s.Variants {
		v.unrequire()
	}
}

// shaper makes shapes of schemas.
type shaper struct {
	*document
	depth  int // of components whose fields are shown; those within are closed
	within []string
}

// shape returns the shape of the schema.
func (d shaper) shape(s *schema) (shape, error) {
	whole, err := d.resolve(s)
	if err != nil {
		return shape{}, err
	}
	core, nullable := d.withoutNull(whole)
	name := named(cmp.Or(core.Ref, s.Ref))
	if core, err = d.resolve(core); err != nil {
		return shape{}, err
	}
	inner, kind := core, ""
	if core.itemSchema() != nil {
		if inner, name, kind, err = d.innermost(core); err != nil {
			return shape{}, err
		}
	}
	result := shape{
		Type: typeOf(inner, kind, name), Limits: limits(core), Values: values(inner),
		Description: blocks(cmp.Or(whole.Description, core.Description)),
	}
	if nullable {
		result.Type += " or null"
	}
	if kind != "" {
		for _, limit := range limits(inner) {
			result.Limits = append(result.Limits, "each "+limit)
		}
	}
	result.IsFile = inner.Format == "binary" || inner.ContentMediaType != "" && inner.ContentEncoding == ""
	err = d.fill(&result, inner, name)
	return result, err
}

// fill sets the fields and variants, or closes the shape.
func (d shaper) fill(result *shape, inner *schema, name string) error {
	choices := slices.Concat(inner.OneOf, inner.AnyOf)
	if len(inner.Properties)+len(choices) == 0 {
		return nil
	}
	result.Schema = name
	if name != "" {
		if d.depth == 0 || slices.Contains(d.within, name) {
			result.IsClosed = true
			return nil
		}
		d.depth--
		d.within = append(slices.Clip(d.within), name)
	}
	for _, property := range inner.Properties {
		whole, err := d.resolve(property.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", property.Name, err)
		}
		f := field{Name: property.Name, Required: slices.Contains(inner.Required, property.Name),
			Deprecated: whole.Deprecated, ReadOnly: whole.ReadOnly, WriteOnly: whole.WriteOnly}
		if f.Shape, err = d.shape(property.Value); err != nil {
			return fmt.Errorf("%s: %w", property.Name, err)
		}
		result.Fields = append(result.Fields, f)
	}
	return d.choose(result, inner, choices)
}

// choose sets the variants. Choices that only differ in what they require become a limit.
func (d shaper) choose(result *shape, inner *schema, choices []*schema) error {
	if inner.Discriminator != nil {
		result.Chooser = inner.Discriminator.PropertyName
	}
	var required []string
	for _, choice := range choices {
		if choice.Ref == "" && len(choice.Properties) == 0 && len(choice.Type) == 0 && len(choice.Required) > 0 {
			required = append(required, strings.Join(choice.Required, " and "))
			continue
		}
		variant, err := d.shape(choice)
		if err != nil {
			return err
		}
		if inner.Discriminator != nil {
			for _, m := range inner.Discriminator.Mapping {
				if choice.Ref != "" && named(m.Value) == named(choice.Ref) {
					variant.Type = m.Name + ": " + variant.Type
				}
			}
		}
		result.Variants = append(result.Variants, variant)
	}
	if len(required) > 0 {
		result.Limits = append(result.Limits, "exactly one of "+strings.Join(required, ", "))
	}
	return nil
}

// withoutNull returns the schema of the values other than null, and whether null is one. Of
// a choice between one schema and null it returns that schema.
func (d shaper) withoutNull(s *schema) (*schema, bool) {
	isNull := func(s *schema) bool { return len(s.Type) == 1 && s.Type[0] == "null" }
	if slices.Contains(s.Type, "null") && len(s.Type) > 1 {
		core := *s
		core.Type = slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == "null" })
		return &core, true
	}
	choices := slices.Concat(s.OneOf, s.AnyOf)
	others := slices.DeleteFunc(slices.Clone(choices), isNull)
	if len(others) == len(choices) {
		return s, false
	}
	if len(others) == 1 {
		return others[0], true
	}
	core := *s
	core.OneOf, core.AnyOf = others, nil
	return &core, true
}

// itemSchema returns the schema of the items of an array or of a map, else nil.
func (s *schema) itemSchema() *schema {
	values := s.AdditionalProperties
	switch {
	case s.Items != nil:
		return s.Items
	case values != nil && len(s.Properties) == 0 && (values.Ref != "" || len(values.Type) > 0):
		return values
	}
	return nil
}

// innermost returns the resolved schema of the items of nested arrays and maps, the name of
// its component, and words like "array of ".
func (d shaper) innermost(s *schema) (inner *schema, name, kind string, err error) {
	for items := s.itemSchema(); items != nil; items = s.itemSchema() {
		kind += map[bool]string{true: "array of ", false: "map of "}[s.Items != nil]
		name = named(items.Ref)
		if s, err = d.resolve(items); err != nil {
			return nil, "", "", err
		}
	}
	return s, name, kind, nil
}

// typeOf returns the type in words.
func typeOf(s *schema, kind, name string) string {
	word := strings.Join(s.Type, " or ")
	switch {
	case len(s.Properties)+len(s.OneOf)+len(s.AnyOf) > 0 && name != "":
		word = name
	case word == "" && len(s.OneOf)+len(s.AnyOf) > 0:
		word = "one of"
	case word == "" && len(s.Properties) > 0:
		word = "object"
	case word == "" && s.Const != nil:
		word = "constant"
	case word == "":
		word = "any"
	}
	if s.Format != "" {
		word += " (" + s.Format + ")"
	}
	return kind + word
}

// limits returns the limits of the values in words.
func limits(s *schema) (all []string) {
	add := func(format string, arguments ...any) { all = append(all, fmt.Sprintf(format, arguments...)) }
	if s.Const != nil {
		add("always %s", text(s.Const))
	}
	span := func(least, most *int, unit string) {
		count := func(n *int) string { return fmt.Sprintf("%d %s%s", *n, unit, map[bool]string{true: "s"}[*n != 1]) }
		switch {
		case least != nil && most != nil && *least == *most:
			add("exactly %s", count(least))
		case least != nil && *least > 0 && most != nil:
			add("%d to %s", *least, count(most))
		case least != nil && *least > 0:
			add("at least %s", count(least))
		case most != nil:
			add("at most %s", count(most))
		}
	}
	span(s.MinLength, s.MaxLength, "character")
	span(s.MinItems, s.MaxItems, "item")
	span(s.MinProperties, s.MaxProperties, "field")
	for _, bound := range []struct {
		word  string
		value json.Number
	}{{"≥", s.Minimum}, {">", s.ExclusiveMinimum}, {"≤", s.Maximum}, {"<", s.ExclusiveMaximum}, {"a multiple of", s.MultipleOf}} {
		if bound.value != "" {
			add("%s %s", bound.word, bound.value)
		}
	}
	if s.UniqueItems {
		add("no repetitions")
	}
	if s.ContentEncoding != "" {
		add("in %s", s.ContentEncoding)
	}
	if s.Pattern != "" && s.Format == "" {
		add("matches %s", s.Pattern)
	}
	if s.Default != nil {
		add("default %s", text(s.Default))
	}
	return all
}

// values returns the values of the enumeration with their names and descriptions.
func values(s *schema) []value {
	var all []value
	for i, raw := range s.Enum {
		v := value{Value: text(raw)}
		if i < len(s.EnumNames) {
			v.Name = s.EnumNames[i]
		}
		var list []string
		var byValue map[string]string
		if json.Unmarshal(s.EnumDescriptions, &list) == nil && i < len(list) {
			v.Description = list[i]
		} else if json.Unmarshal(s.EnumDescriptions, &byValue) == nil {
			v.Description = byValue[v.Value]
		}
		all = append(all, v)
	}
	return all
}

// text returns the JSON value as text: a string without quotes, a list with commas.
func text(raw json.RawMessage) string {
	var word string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(raw, &word) == nil && len(raw) > 0 && raw[0] == '"':
		return word
	case json.Unmarshal(raw, &list) == nil && len(raw) > 0 && raw[0] == '[':
		var all []string
		for _, item := range list {
			all = append(all, text(item))
		}
		return strings.Join(all, ",")
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return compact.String()
}
