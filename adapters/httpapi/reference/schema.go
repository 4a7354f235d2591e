package reference

import (
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

func (s shape) IsChoice() bool { return len(s.Values) > 0 && !strings.Contains(s.Type, " of ") }

// IsMany reports whether the value is a list.
func (s shape) IsMany() bool { return strings.HasPrefix(s.Type, "array of ") }

type value struct{ Value, Name, Description string }

type field struct {
	Name     string
	Required bool
	Shape    shape
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

// shape returns the shape of the schema, with the fields of the first component in it.
func (d *document) shape(s *schema) shape { return shaper{document: d, depth: 1}.shape(s) }

// shaper makes shapes of schemas.
type shaper struct {
	*document
	depth  int // of components whose fields are shown; those within are closed
	within []string
}

func (d shaper) shape(s *schema) shape {
	whole := d.resolve(s)
	core, nullable := withoutNull(whole)
	name := named(cmp.Or(core.Ref, s.Ref))
	core = d.resolve(core)
	inner, kind := core, ""
	if core.itemSchema() != nil {
		inner, name, kind = d.innermost(core)
	}
	result := shape{
		Type: typeOf(inner, kind, name), Limits: limits(core), Values: values(inner),
		Description: blocks(cmp.Or(whole.Description, core.Description)),
		IsFile:      inner.Format == "binary" || inner.ContentMediaType != "",
	}
	if nullable {
		result.Type += " or null"
	}
	if kind != "" {
		for _, limit := range limits(inner) {
			result.Limits = append(result.Limits, "each "+limit)
		}
	}
	d.fill(&result, inner, name)
	return result
}

// fill sets the fields and variants, or closes the shape.
func (d shaper) fill(result *shape, inner *schema, name string) {
	choices := slices.Concat(inner.OneOf, inner.AnyOf)
	if len(inner.Properties)+len(choices) == 0 {
		return
	}
	result.Schema = name
	if name != "" {
		if d.depth == 0 || slices.Contains(d.within, name) {
			result.IsClosed = true
			return
		}
		d.depth--
		d.within = append(slices.Clip(d.within), name)
	}
	for _, property := range inner.Properties {
		result.Fields = append(result.Fields, field{property.Name, slices.Contains(inner.Required, property.Name), d.shape(property.Value)})
	}
	result.Chooser = inner.Discriminator.PropertyName
	for _, choice := range choices {
		variant := d.shape(choice)
		for _, m := range inner.Discriminator.Mapping {
			if m.Value == choice.Ref {
				variant.Type = m.Name + ": " + variant.Type
			}
		}
		result.Variants = append(result.Variants, variant)
	}
}

// withoutNull returns the schema of the values other than null, and whether null is one. Of
// a choice between a schema and null it returns that schema.
func withoutNull(s *schema) (*schema, bool) {
	if slices.Contains(s.Type, "null") {
		core := *s
		core.Type = slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == "null" })
		return &core, true
	}
	if len(s.OneOf) == 2 && slices.Equal(s.OneOf[1].Type, words{"null"}) {
		return s.OneOf[0], true
	}
	return s, false
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
func (d shaper) innermost(s *schema) (inner *schema, name, kind string) {
	for items := s.itemSchema(); items != nil; items = s.itemSchema() {
		kind += map[bool]string{true: "array of ", false: "map of "}[s.Items != nil]
		name, s = named(items.Ref), d.resolve(items)
	}
	return s, name, kind
}

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
	span(s.MinProperties, nil, "field")
	for _, bound := range []struct {
		word  string
		value json.Number
	}{{"≥", s.Minimum}, {"≤", s.Maximum}} {
		if bound.value != "" {
			add("%s %s", bound.word, bound.value)
		}
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
func values(s *schema) (all []value) {
	for i, raw := range s.Enum {
		v := value{Value: text(raw)}
		if s.EnumNames != nil {
			v.Name, v.Description = s.EnumNames[i], s.EnumDescriptions[i]
		}
		all = append(all, v)
	}
	return all
}

// text returns the JSON value as text: a string without quotes, a list with commas.
func text(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		var word string
		decode(raw, &word)
		return word
	case '[':
		var list []json.RawMessage
		decode(raw, &list)
		var all []string
		for _, item := range list {
			all = append(all, text(item))
		}
		return strings.Join(all, ",")
	}
	return string(raw)
}
