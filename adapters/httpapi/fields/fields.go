// Package fields leaves out of a response what the client has not asked for (GEN-17).
//
// What a response is made of is described once, by its schema in the OpenAPI document.
package fields

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"plaza/domain/fault"
)

// Tree is what a JSON value is made of: the names of an object, or of the objects of a list, each with what its value is made
// of. A nil Tree is any value as a whole.
type Tree map[string]Tree

// data is the name under which a response has its items.
const data = "data"

// maxNames is how many names a client may send.
const maxNames = 50

// Select returns the part of the response whose items have only the named fields. A name of a field within another one has
// a dot. It returns a fault on fields for a name that no item has.
func (response Tree) Select(names []string) (Tree, error) {
	if len(names) > maxNames {
		return nil, fault.Field("fields", fmt.Sprintf("Ensure this field has no more than %d elements.", maxNames))
	}
	items := Tree{}
	for _, name := range names {
		if err := response[data].add(items, name); err != nil {
			return nil, fault.OnField("fields", err)
		}
	}
	selected := Tree{}
	for name := range response {
		selected[name] = nil
	}
	selected[data] = items
	return selected, nil
}

// add adds the named field to the selected ones.
func (t Tree) add(selected Tree, name string) error {
	parents, at := "", selected
	for {
		first, rest, isWithin := strings.Cut(name, ".")
		within, is := t[first]
		if !is {
			return t.unknown(parents, name)
		}
		chosen, isChosen := at[first]
		switch {
		case !isWithin:
			at[first] = nil
			return nil
		case isChosen && chosen == nil: // it is selected as a whole
			chosen = Tree{}
		case !isChosen:
			chosen = Tree{}
			at[first] = chosen
		}
		t, at, parents, name = within, chosen, parents+first+".", rest
	}
}

// unknown returns the fault of a name that is not in the Tree, which is the one behind the parents.
func (t Tree) unknown(parents, name string) error {
	if t == nil {
		return fault.New(fault.Invalid, fmt.Sprintf("“%s” has no fields within it.", strings.TrimSuffix(parents, ".")))
	}
	known := slices.Sorted(maps.Keys(t))
	for i := range known {
		known[i] = parents + known[i]
	}
	return fault.New(fault.Invalid, fmt.Sprintf("There is no field “%s”. Use some of: %s.", parents+name, strings.Join(known, ", ")))
}

// Has reports whether the items of the selected response have the field. Those of a nil Tree have all.
func (response Tree) Has(name string) bool {
	_, has := response[data][name]
	return has || response == nil
}

// Within returns the selected response as it were if its items were what they have in the field.
func (response Tree) Within(field string) Tree {
	within, has := response[data][field]
	if response == nil || has && within == nil {
		return nil
	}
	return Tree{data: within}
}

// Item returns the part of each item of the selected response.
func (response Tree) Item() Tree { return response[data] }

// Write writes the part of the JSON value, whose names stay in their order. A nil Tree is the whole value.
func (t Tree) Write(out *bytes.Buffer, value []byte) error {
	return t.copy(out, jsontext.NewDecoder(bytes.NewBuffer(value), jsontext.AllowDuplicateNames(true)))
}

func (t Tree) copy(out *bytes.Buffer, from *jsontext.Decoder) error {
	kind := from.PeekKind()
	if t == nil || kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		whole, err := from.ReadValue()
		out.Write(whole)
		return err
	}
	open, err := from.ReadToken()
	if err != nil {
		return err
	}
	out.WriteString(open.String())
	for isFirst := true; ; {
		within := t
		switch end := from.PeekKind(); {
		case end == jsontext.KindEndObject || end == jsontext.KindEndArray:
			closing, err := from.ReadToken()
			out.WriteString(closing.String())
			return err
		case kind == jsontext.KindBeginObject:
			name, err := from.ReadValue()
			if err != nil {
				return err
			}
			var is bool
			if within, is = t[string(name[1:len(name)-1])]; !is {
				if err := from.SkipValue(); err != nil {
					return err
				}
				continue
			}
			separate(out, &isFirst)
			out.Write(name)
			out.WriteByte(':')
		default:
			separate(out, &isFirst)
		}
		if err := within.copy(out, from); err != nil {
			return err
		}
	}
}

// separate writes a comma before all but the first.
func separate(out *bytes.Buffer, isFirst *bool) {
	if !*isFirst {
		out.WriteByte(',')
	}
	*isFirst = false
}
