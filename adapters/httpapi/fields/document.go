package fields

import (
	"encoding/json"
	"fmt"
	"strings"
)

// document is the part of an OpenAPI document that says what responses are made of.
type document struct {
	Paths map[string]struct {
		Get *struct {
			Parameters []schema
			Responses  map[string]response
		}
	}
	Components struct {
		Schemas   map[string]schema
		Responses map[string]response
	}
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema schema }
}

type schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]schema
	Items      *schema
	AllOf      []schema
	OneOf      []schema
	AnyOf      []schema
}

const (
	parameterRef = "#/components/parameters/Fields"
	schemaRef    = "#/components/schemas/"
	responseRef  = "#/components/responses/"
)

// Of returns what the responses of those GET operations are made of that take the parameter fields, by path.
func Of(openAPI []byte) (map[string]Tree, error) {
	var doc document
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	all := map[string]Tree{}
	for path, operations := range doc.Paths {
		if operations.Get == nil {
			continue
		}
		for _, p := range operations.Get.Parameters {
			if p.Ref == parameterRef {
				answer := operations.Get.Responses["200"]
				if name, is := strings.CutPrefix(answer.Ref, responseRef); is {
					answer = doc.Components.Responses[name]
				}
				all[path] = doc.tree(answer.Content["application/json"].Schema)
			}
		}
	}
	return all, nil
}

// tree returns what a value of the schema is made of, which may be one of several.
func (d *document) tree(s schema) Tree {
	if name, is := strings.CutPrefix(s.Ref, schemaRef); is {
		return d.tree(d.Components.Schemas[name])
	}
	if s.Items != nil {
		return d.tree(*s.Items)
	}
	var all Tree
	for name, property := range s.Properties {
		all = all.with(name, d.tree(property))
	}
	for _, parts := range [][]schema{s.AllOf, s.OneOf, s.AnyOf} {
		for _, part := range parts {
			for name, within := range d.tree(part) {
				all = all.with(name, within)
			}
		}
	}
	return all
}

// with returns the Tree with the field, merged with the one of that name.
func (t Tree) with(name string, within Tree) Tree {
	if t == nil {
		t = Tree{}
	}
	merged := t[name]
	for inner, value := range within {
		merged = merged.with(inner, value)
	}
	t[name] = merged
	return t
}
