// Package reference renders the OpenAPI document as a page for people: every operation with
// its description, schemas, examples and a form to try it.
//
// The page consists of HTML, a style sheet, a script and an icon. It loads nothing else, and
// works under Policy. The script sends the requests that people try, and keeps their token
// for the lifetime of the browser's tab.
package reference

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// Policy is the Content-Security-Policy of the pages. Scripts and styles are files of the
// server, so that no text of the document can become one. Pictures that a request returns are
// shown from memory (blob:).
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Person is a person of the demo data, whom the page offers to log in as.
type Person struct{ Name, Note, Username, Password string }

//go:embed page.html home.html reference.css reference.js icon.svg
var files embed.FS

// Asset returns a file that the pages load, and its media type.
func Asset(name string) (content []byte, mediaType string, found bool) {
	mediaType, found = map[string]string{
		"reference.css": "text/css; charset=utf-8", "reference.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	}[name]
	if !found {
		return nil, "", false
	}
	content, err := files.ReadFile(name)
	return content, mediaType, err == nil
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{"version": version}).ParseFS(files, "*.html"))

// version returns a word that changes with the file.
func version(name string) (string, error) {
	content, err := files.ReadFile(name)
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6]), err
}

// Home returns the page that leads to the reference. Its links are relative.
func Home(version string) ([]byte, error) { return execute("home.html", version) }

// Page returns the reference of the OpenAPI document. It offers to log in as the people, and links to the page of the
// wallet's sandbox, if there are any.
func Page(openapi []byte, people []Person, sandbox string) ([]byte, error) {
	var d document
	if err := json.Unmarshal(openapi, &d); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	p, err := d.page()
	if err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	p.People, p.Sandbox = people, sandbox
	return execute("page.html", p)
}

func execute(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return out.Bytes(), nil
}

// page is what the template shows.
type page struct {
	Title, Version, Summary string
	Description             []block
	Groups                  []*group
	Schemas                 []shape
	People                  []Person
	Sandbox                 string // the address of its page; empty: none
}

// group has the operations of a tag.
type group struct {
	Name, ID    string
	Description []block
	Entries     []entry
}

// entry is an operation.
type entry struct {
	ID, Method, Path, Summary string
	Description               []block
	Auth                      string // required, optional or none
	Requires                  []string
	Deprecated                bool
	IsExtension               bool   // not of the original interface
	Words                     string // for the search
	Parameters                []input
	Bodies                    []body
	Responses                 []answer
	Curl, TypeScript          string
	IsForClients              bool // of the interface's clients, which the wallet is not
}

// input is a parameter.
type input struct {
	Name, In, Example string
	Required          bool
	Deprecated        bool
	Shape             shape
}

// body is a request body of one media type.
type body struct {
	MediaType string
	Shape     shape
	Examples  []sample
}

// IsForm reports whether the body has fields of a form.
func (b body) IsForm() bool { return strings.HasPrefix(b.MediaType, "multipart/") }

// answer is a response.
type answer struct {
	Status, Description string
	Headers             []input
	Bodies              []body
}

// IsSuccess reports whether the status is one of success.
func (a answer) IsSuccess() bool { return strings.HasPrefix(a.Status, "2") }

// sample is an example as indented JSON.
type sample struct{ Name, Text string }

func (d *document) page() (page, error) {
	p := page{Title: d.Info.Title, Version: d.Info.Version, Summary: d.Info.Summary, Description: blocks(d.Info.Description)}
	byName := map[string]*group{}
	for _, tag := range d.Tags {
		byName[tag.Name] = &group{Name: tag.Name, ID: slug(tag.Name), Description: blocks(tag.Description)}
		p.Groups = append(p.Groups, byName[tag.Name])
	}
	for _, path := range d.Paths {
		if err := d.addPath(byName, path.Name, path.Value); err != nil {
			return page{}, fmt.Errorf("%s: %w", path.Name, err)
		}
	}
	for _, s := range d.Components.Schemas {
		shaped, err := shaper{document: d, depth: 1}.shape(&schema{Ref: "#/components/schemas/" + s.Name})
		if err != nil {
			return page{}, fmt.Errorf("%s: %w", s.Name, err)
		}
		shaped.Schema = s.Name
		p.Schemas = append(p.Schemas, shaped)
	}
	slices.SortFunc(p.Schemas, func(a, b shape) int { return strings.Compare(a.Schema, b.Schema) })
	return p, nil
}

// addPath adds the operations of a path to their groups.
func (d *document) addPath(groups map[string]*group, path string, item ordered[json.RawMessage]) error {
	var shared []*parameter
	for _, m := range item {
		if m.Name == "parameters" {
			if err := json.Unmarshal(m.Value, &shared); err != nil {
				return err
			}
		}
	}
	for _, m := range item {
		if !slices.Contains([]string{"get", "head", "post", "put", "patch", "delete", "options"}, m.Name) {
			continue
		}
		var o operation
		if err := json.Unmarshal(m.Value, &o); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		o.Parameters = slices.Concat(shared, o.Parameters)
		e, err := d.entry(strings.ToUpper(m.Name), path, o)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		for _, tag := range o.Tags {
			if groups[tag] == nil {
				return fmt.Errorf("%s: the tag %q is missing", m.Name, tag)
			}
			groups[tag].Entries = append(groups[tag].Entries, e)
			break // an operation has one place on the page
		}
	}
	return nil
}

func (d *document) entry(method, path string, o operation) (entry, error) {
	e := entry{
		ID: o.OperationID, Method: method, Path: path, Summary: cmp.Or(o.Summary, o.OperationID),
		Description: blocks(withoutScope(o.Description, o.Scope)),
		Auth:        d.auth(o), Deprecated: o.Deprecated, IsExtension: o.Extension != nil, IsForClients: !slices.Contains(o.Tags, walletTag),
	}
	if o.Scope != "" {
		e.Requires = append(e.Requires, "scope "+o.Scope)
	}
	if o.Staff != nil {
		e.Requires = append(e.Requires, "staff")
	}
	if o.Unnarrowed != nil {
		e.Requires = append(e.Requires, "token with all scopes")
	}
	for _, p := range o.Parameters {
		in, err := d.input(p, "parameters", d.Components.Parameters)
		if err != nil {
			return entry{}, err
		}
		e.Parameters = append(e.Parameters, in)
	}
	if o.RequestBody != nil {
		request := o.RequestBody
		var err error
		if request.Ref != "" {
			if request, err = deref(request.Ref, "requestBodies", d.Components.RequestBodies); err != nil {
				return entry{}, err
			}
		}
		if e.Bodies, err = d.bodies(request.Content); err != nil {
			return entry{}, fmt.Errorf("request: %w", err)
		}
	}
	for _, r := range o.Responses {
		shown, err := d.answer(r.Name, r.Value)
		if err != nil {
			return entry{}, fmt.Errorf("response %s: %w", r.Name, err)
		}
		e.Responses = append(e.Responses, shown)
	}
	e.Words = e.words()
	e.Curl, e.TypeScript = e.curl(), e.typeScript()
	return e, nil
}

// walletTag is the tag of operations that only the mobile wallet calls.
const walletTag = "Wallet notifications"

// withoutScope returns the description without the sentence about the scope, which the page shows beside the path.
func withoutScope(description, scope string) string {
	return strings.ReplaceAll(strings.ReplaceAll(description, " Needs the scope `"+scope+"`.", ""), "Needs the scope `"+scope+"`.", "")
}

// auth reports whether the operation needs a token.
func (d *document) auth(o operation) string {
	takes := d.Security
	if o.Security != nil {
		takes = *o.Security
	}
	isAnonymous := slices.ContainsFunc(takes, func(s map[string]json.RawMessage) bool { return len(s) == 0 })
	switch {
	case len(takes) == 0 || isAnonymous && len(takes) == 1:
		return "none"
	case isAnonymous:
		return "optional"
	}
	return "required"
}

// input returns a parameter or a header.
func (d *document) input(p *parameter, kind string, all ordered[*parameter]) (in input, err error) {
	name := p.Name
	if p.Ref != "" {
		if p, err = deref(p.Ref, kind, all); err != nil {
			return input{}, err
		}
		name = cmp.Or(name, p.Name)
	}
	in = input{Name: name, In: p.In, Required: p.Required, Deprecated: p.Deprecated}
	if p.Schema != nil {
		if in.Shape, err = (shaper{document: d, depth: 1}).shape(p.Schema); err != nil {
			return input{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if p.Description != "" {
		in.Shape.Description = blocks(p.Description)
	}
	samples, err := d.samples(p.Example, p.Examples)
	if len(samples) > 0 {
		in.Example = text(json.RawMessage(samples[0].Text))
	}
	return in, err
}

func (d *document) answer(status string, r *response) (answer, error) {
	var err error
	if r.Ref != "" {
		if r, err = deref(r.Ref, "responses", d.Components.Responses); err != nil {
			return answer{}, err
		}
	}
	a := answer{Status: status, Description: r.Description}
	for _, header := range r.Headers {
		in, err := d.input(header.Value, "headers", d.Components.Headers)
		if err != nil {
			return answer{}, err
		}
		in.Name, in.Required = header.Name, false
		a.Headers = append(a.Headers, in)
	}
	a.Bodies, err = d.bodies(r.Content)
	for _, b := range a.Bodies {
		b.Shape.unrequire()
	}
	return a, err
}

func (d *document) bodies(content ordered[*media]) ([]body, error) {
	var all []body
	for _, m := range content {
		b := body{MediaType: m.Name}
		if m.Value.Schema != nil {
			var err error
			// The fields of a body, and those of the component in its data, are shown at once.
			if b.Shape, err = (shaper{document: d, depth: 1}).shape(m.Value.Schema); err != nil {
				return nil, err
			}
		}
		var err error
		if b.Examples, err = d.samples(m.Value.Example, m.Value.Examples); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

func (d *document) samples(one json.RawMessage, more ordered[*example]) ([]sample, error) {
	var all []sample
	add := func(name string, raw json.RawMessage) error {
		var out bytes.Buffer
		if err := json.Indent(&out, raw, "", "  "); err != nil {
			return fmt.Errorf("example %s: %w", name, err)
		}
		all = append(all, sample{name, out.String()})
		return nil
	}
	if one != nil {
		if err := add("", one); err != nil {
			return nil, err
		}
	}
	for _, m := range more {
		e := m.Value
		var err error
		if e.Ref != "" {
			e, err = deref(e.Ref, "examples", d.Components.Examples)
		}
		if err == nil && e.Value != nil {
			err = add(cmp.Or(e.Summary, m.Name), e.Value)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}
