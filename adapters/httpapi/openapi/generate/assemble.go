package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/goccy/go-yaml"
)

// base is the first file of the document. The others follow by name.
const base = "base.yaml"

// assemble makes one JSON document of the YAML files. Keys keep their order.
func assemble(dir fs.FS) ([]byte, error) {
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, err
	}
	names = slices.Insert(slices.DeleteFunc(names, func(name string) bool { return name == base }), 0, base)
	var doc yaml.MapSlice
	for _, name := range names {
		part, err := read(dir, name)
		if err == nil {
			doc, err = merge(doc, part, "")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return render(complete(doc))
}

func read(dir fs.FS, name string) (yaml.MapSlice, error) {
	source, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, err
	}
	var part yaml.MapSlice
	err = yaml.UnmarshalWithOptions(source, &part, yaml.UseOrderedMap())
	return part, err
}

// merge adds the content of a file at a place of the document. It fails if a name is already
// present, unless files share that mapping.
func merge(into, from yaml.MapSlice, at string) (yaml.MapSlice, error) {
	for _, item := range from {
		here := fmt.Sprintf("%s/%v", at, item.Key)
		i := slices.IndexFunc(into, func(known yaml.MapItem) bool { return known.Key == item.Key })
		if i < 0 {
			into = append(into, item)
			continue
		}
		if !isShared(here) {
			return nil, fmt.Errorf("%s is defined twice", here)
		}
		known, isMapping := into[i].Value.(yaml.MapSlice)
		more, isAlso := item.Value.(yaml.MapSlice)
		if !isMapping || !isAlso {
			return nil, fmt.Errorf("%s is not a mapping", here)
		}
		merged, err := merge(known, more, here)
		if err != nil {
			return nil, err
		}
		into[i].Value = merged
	}
	return into, nil
}

// isShared reports whether every file may add to the mapping: the paths, and each kind of
// component.
func isShared(at string) bool {
	return at == "/paths" || at == "/components" || path.Dir(at) == "/components"
}

// everyOperation is the part of the document with the responses of every operation.
const everyOperation = "x-every-operation"

// complete adds the responses of every operation to the operations that do not describe them
// themselves or rule them out with null, and removes the part that holds them.
func complete(doc yaml.MapSlice) yaml.MapSlice {
	shared, _ := valueOf(doc, everyOperation).(yaml.MapSlice)
	paths, _ := valueOf(doc, "paths").(yaml.MapSlice)
	for _, path := range paths {
		item, _ := path.Value.(yaml.MapSlice)
		for _, field := range item {
			operation, _ := field.Value.(yaml.MapSlice)
			for i := range operation {
				if described, isMapping := operation[i].Value.(yaml.MapSlice); isMapping && operation[i].Key == "responses" {
					operation[i].Value = withResponses(described, shared)
				}
			}
		}
	}
	return slices.DeleteFunc(doc, func(part yaml.MapItem) bool { return part.Key == everyOperation })
}

// withResponses returns the described responses and those of the shared ones that they lack,
// ordered by status. It leaves out those that are null.
func withResponses(described, shared yaml.MapSlice) yaml.MapSlice {
	all := slices.Clone(described)
	for _, response := range shared {
		if !slices.ContainsFunc(described, func(own yaml.MapItem) bool { return own.Key == response.Key }) {
			all = append(all, response)
		}
	}
	all = slices.DeleteFunc(all, func(response yaml.MapItem) bool { return response.Value == nil })
	slices.SortFunc(all, func(a, b yaml.MapItem) int { return cmp.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)) })
	return all
}

// valueOf returns the value of the key, or nil.
func valueOf(mapping yaml.MapSlice, key any) any {
	for _, item := range mapping {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// render writes the document as indented JSON.
func render(doc yaml.MapSlice) ([]byte, error) {
	if err := checkKeys(doc); err != nil {
		return nil, err
	}
	compact, err := yaml.MarshalWithOptions(doc, yaml.JSON())
	if err != nil {
		return nil, err
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "  "); err != nil {
		return nil, err
	}
	return indented.Bytes(), nil
}

// checkKeys refuses repeated keys, which YAML's merge key permits.
func checkKeys(value any) error {
	if list, isList := value.([]any); isList {
		for _, item := range list {
			if err := checkKeys(item); err != nil {
				return err
			}
		}
		return nil
	}
	mapping, _ := value.(yaml.MapSlice)
	seen := map[string]bool{}
	for _, item := range mapping {
		key := fmt.Sprint(item.Key)
		if seen[key] {
			return fmt.Errorf("%s is defined twice in one mapping", key)
		}
		seen[key] = true
		if err := checkKeys(item.Value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}
