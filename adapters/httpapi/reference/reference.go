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
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"regexp"
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

//go:embed page.html home.html guide.html reference.css reference.js icon.svg
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

var templates = template.Must(template.ParseFS(files, "*.html"))

// Home returns the page that leads to the reference. Its links are relative.
func Home(version string) ([]byte, error) { return execute("home.html", version) }

// Server is what the page offers besides the interface.
type Server struct {
	People   []Person // whom the page offers to log in as
	Sandbox  string   // address of the page of the wallet's sandbox; empty: none
	Messages string   // address of the page of messages with codes, of the SMS sandbox; empty: none
	MayJoin  bool     // people can make accounts
}

// Page returns the reference of the interface's OpenAPI document, with what the server offers.
func Page(openapi []byte, s Server) ([]byte, error) {
	var d document
	decode(openapi, &d)
	p := d.page()
	p.Server = s
	return execute("page.html", p)
}

// Guide returns the guide for clients, which is Markdown, as a page. Its links to files are plain text: the server has none of them.
func Guide(markdown string) ([]byte, error) {
	all := blocks(markdown)
	for _, b := range all {
		for _, line := range slices.Concat(b.Lines, slices.Concat(b.Rows...)) {
			for i, s := range line {
				if chapter, isChapter := strings.CutPrefix(s.URL, "#"); isChapter {
					line[i].URL = "#about-" + chapter
				} else if s.Kind == "link" && !strings.HasPrefix(s.URL, "http") {
					line[i].Kind = "text"
				}
			}
		}
	}
	return execute("guide.html", all)
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
	Server
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
	Words                     string // for the search
	Parameters                []input
	Bodies                    []body
	Responses                 []answer
	TypeScript                string
	IsForClients              bool // of the interface's clients, which the wallet is not
}

// input is a parameter.
type input struct {
	Name, In, Example string
	Required          bool
	Shape             shape
}

type body struct {
	MediaType string
	Shape     shape
	Examples  []sample
}

func (b body) IsForm() bool { return strings.HasPrefix(b.MediaType, "multipart/") }

// answer is a response.
type answer struct {
	Status, Description string
	Headers             []input
	Bodies              []body
}

func (a answer) IsSuccess() bool { return strings.HasPrefix(a.Status, "2") }

// sample is an example as indented JSON.
type sample struct{ Name, Text string }

func (d *document) page() page {
	p := page{Title: d.Info.Title, Version: d.Info.Version, Summary: d.Info.Summary, Description: blocks(d.Info.Description)}
	byName := map[string]*group{}
	for _, tag := range d.Tags {
		byName[tag.Name] = &group{Name: tag.Name, ID: slug(tag.Name), Description: blocks(tag.Description)}
		p.Groups = append(p.Groups, byName[tag.Name])
	}
	for _, path := range d.Paths {
		var shared []*parameter // before the operations of the path
		for _, m := range path.Value {
			if m.Name == "parameters" {
				decode(m.Value, &shared)
				continue
			}
			var o operation
			decode(m.Value, &o)
			o.Parameters = slices.Concat(shared, o.Parameters)
			of := byName[o.Tags[0]]
			of.Entries = append(of.Entries, d.entry(strings.ToUpper(m.Name), path.Name, o))
		}
	}
	for _, s := range d.Components.Schemas {
		shaped := d.shape(&schema{Ref: "#/components/schemas/" + s.Name})
		shaped.Schema = s.Name
		p.Schemas = append(p.Schemas, shaped)
	}
	slices.SortFunc(p.Schemas, func(a, b shape) int { return strings.Compare(a.Schema, b.Schema) })
	return p
}

func (d *document) entry(method, path string, o operation) entry {
	e := entry{
		ID: o.OperationID, Method: method, Path: path, Summary: cmp.Or(o.Summary, o.OperationID),
		Description: blocks(neededScope.ReplaceAllString(o.Description, "")),
		Auth:        d.auth(o), IsForClients: !slices.Contains(o.Tags, walletTag), Bodies: d.bodies(o.RequestBody.Content),
	}
	if o.Scope != "" {
		e.Requires = append(e.Requires, "scope "+o.Scope)
	}
	if o.Staff != nil {
		e.Requires = append(e.Requires, "scope back_office", "staff", strings.Join(o.Staff, ", "))
	}
	if o.Unnarrowed != nil {
		e.Requires = append(e.Requires, "token with all scopes")
	}
	for _, p := range o.Parameters {
		e.Parameters = append(e.Parameters, d.input(p, "parameters", d.Components.Parameters))
	}
	for _, r := range o.Responses {
		e.Responses = append(e.Responses, d.answer(r.Name, r.Value))
	}
	e.Words = e.words()
	e.TypeScript = e.typeScript()
	return e
}

// walletTag is the tag of operations that only the mobile wallet calls.
const walletTag = "Wallet notifications"

// neededScope is the sentence about the scope, which the page shows beside the path.
var neededScope = regexp.MustCompile("\\s*Needs\\s+the\\s+scope\\s+`\\w+`\\.")

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
func (d *document) input(p *parameter, kind string, all ordered[*parameter]) input {
	if p.Ref != "" {
		p = deref(p.Ref, kind, all)
	}
	in := input{Name: p.Name, In: p.In, Required: p.Required, Shape: d.shape(p.Schema)}
	if p.Description != "" {
		in.Shape.Description = blocks(p.Description)
	}
	if samples := d.samples(p.Example, p.Examples); len(samples) > 0 {
		in.Example = text(json.RawMessage(samples[0].Text))
	}
	return in
}

func (d *document) answer(status string, r *response) answer {
	if r.Ref != "" {
		r = deref(r.Ref, "responses", d.Components.Responses)
	}
	a := answer{Status: status, Description: r.Description, Bodies: d.bodies(r.Content)}
	for _, header := range r.Headers {
		in := d.input(header.Value, "headers", d.Components.Headers)
		in.Name, in.Required = header.Name, false
		a.Headers = append(a.Headers, in)
	}
	for _, b := range a.Bodies {
		b.Shape.unrequire()
	}
	return a
}

func (d *document) bodies(content ordered[*media]) (all []body) {
	for _, m := range content {
		b := body{MediaType: m.Name, Examples: d.samples(m.Value.Example, m.Value.Examples)}
		if m.Value.Schema != nil {
			b.Shape = d.shape(m.Value.Schema)
		}
		all = append(all, b)
	}
	return all
}

func (d *document) samples(one json.RawMessage, more ordered[*example]) (all []sample) {
	add := func(name string, raw json.RawMessage) {
		var out bytes.Buffer
		_ = json.Indent(&out, raw, "", "  ") // what has been read is JSON
		all = append(all, sample{name, out.String()})
	}
	if one != nil {
		add("", one)
	}
	for _, m := range more {
		e := m.Value
		if e.Ref != "" {
			e = deref(e.Ref, "examples", d.Components.Examples)
		}
		add(cmp.Or(e.Summary, m.Name), e.Value)
	}
	return all
}
