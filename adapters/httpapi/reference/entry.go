package reference

import (
	"slices"
	"strconv"
	"strings"
)

// Example returns the first example, or nothing.
func (b body) Example() string {
	if len(b.Examples) == 0 {
		return ""
	}
	return b.Examples[0].Text
}

func (e entry) IsPicture() bool {
	for _, a := range e.Responses {
		if a.IsSuccess() {
			return len(a.Bodies) > 0 && strings.HasPrefix(a.Bodies[0].MediaType, "image/")
		}
	}
	return false
}

// typeScript returns the example request as a call of the TypeScript client.
func (e entry) typeScript() string {
	if !e.IsForClients {
		return ""
	}
	var path, query, form []string
	for _, p := range e.Parameters {
		example := p.Example
		switch {
		case p.Shape.Type == "string":
			example = strconv.Quote(example)
		case p.Shape.IsMany(): // of numbers
			example = "[" + strings.ReplaceAll(example, ",", ", ") + "]"
		}
		switch {
		case p.In == "path":
			path = append(path, p.Name+": "+example)
		case p.In == "query" && p.Required:
			query = append(query, p.Name+": "+example)
		}
	}
	var input []string
	add := func(name string, fields []string) {
		if len(fields) > 0 {
			input = append(input, name+": { "+strings.Join(fields, ", ")+" }")
		}
	}
	add("path", path)
	add("query", query)
	if len(e.Bodies) > 0 {
		if b := e.Bodies[0]; b.IsForm() {
			for _, f := range b.Shape.Fields {
				switch {
				case f.Shape.IsFile:
					form = append(form, f.Name+": file")
				case f.Required:
					form = append(form, f.Name+": …")
				}
			}
			add("form", form)
		} else {
			input = append(input, "body: "+b.Example())
		}
	}
	call := "plaza.call(" + strconv.Quote(e.ID)
	if len(input) > 0 {
		call += ", { " + strings.Join(input, ", ") + " }"
	}
	return "await " + call + ")"
}

// words returns what the search looks at.
func (e entry) words() string {
	all := []string{e.Method, e.Path, e.Summary, e.ID, strings.Join(e.Requires, " ")}
	for _, p := range e.Parameters {
		all = append(all, p.Name)
	}
	for _, b := range e.Bodies {
		all = append(all, b.Shape.words()...)
	}
	for _, a := range e.Responses {
		if a.IsSuccess() && len(a.Bodies) > 0 {
			all = append(all, a.Bodies[0].Shape.words()...)
		}
	}
	slices.Sort(all)
	return strings.TrimSpace(strings.ToLower(strings.Join(slices.Compact(all), " ")))
}

// Title returns what the search ranks first: what the operation is called.
func (e entry) Title() string {
	return strings.ToLower(e.Method + " " + e.Path + " " + e.Summary + " " + e.ID)
}

// words returns the names of the fields that are shown.
func (s shape) words() (all []string) {
	for _, f := range s.Fields {
		all = append(append(all, f.Name), f.Shape.words()...)
	}
	for _, v := range s.Variants {
		all = append(all, v.words()...)
	}
	return append(all, s.Schema)
}
