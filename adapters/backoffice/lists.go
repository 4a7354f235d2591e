package backoffice

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
)

// listForm is the form of a list, as it was sent.
type listForm struct {
	From, To, Sort, Size string
	Sorts, Sizes         []string
	Fields               []field
	IsOpen               bool   // something narrows the list
	CSV                  string // query of the export
}

// field selects a list. Without a label it is hidden, with options one of them is chosen.
type field struct {
	Name, Label, Value, Hint string
	Options                  []option
}

type option struct{ Value, Text string }

// field returns a field of a list as it was sent. What is none of its options is not sent.
func (v *visit) field(name, label, hint string, options ...option) field {
	f := field{name, label, v.r.URL.Query().Get(name), hint, options}
	if len(options) > 0 && !slices.ContainsFunc(options, func(o option) bool { return o.Value == f.Value }) {
		f.Value = ""
	}
	return f
}

// choices returns the options of the codes. Without one of them, the list is not narrowed.
func choices[K ~string](v *visit, of string, codes ...K) []option {
	all := []option{{"", v.site.T("any")}}
	for _, code := range codes {
		all = append(all, option{string(code), cmp.Or(v.site.Word(of, code), string(code))})
	}
	return all
}

// wanted reads how the list is asked for.
func (v *visit) wanted(zone *time.Location, sorts []string, fields ...field) (backoffice.Wanted, page.Request, listForm, error) {
	query := v.r.URL.Query()
	w, err := backoffice.ReadWanted(query.Get, cmp.Or(zone, v.actor.Local(time.Time{}).Location()), sorts...)
	f := listForm{
		From: query.Get("from"), To: query.Get("to"), Sort: cmp.Or(query.Get("sort"), sorts[0]), Size: cmp.Or(query.Get("page_size"), "20"),
		Sorts: sorts, Sizes: []string{"20", "50", "100"}, Fields: fields,
	}
	f.IsOpen = f.From+f.To != "" || slices.ContainsFunc(fields, func(one field) bool { return one.Label != "" && one.Value != "" })
	size, _ := strconv.Atoi(f.Size) // zero is none
	r, wrong := page.New(v.paged().Number(), size)
	if query.Has("after") {
		r = page.Behind(cursorOf(query.Get("after")), size).Paged()
	}
	query.Del("page")
	query.Del("after")
	query.Set("format", "csv")
	f.CSV = "?" + query.Encode()
	return w, r, f, fault.Merge(err, wrong)
}

// here returns the query of the page with the value of the name changed.
func (v *visit) here(name, value string) string {
	query := v.r.URL.Query()
	query.Del("done")
	if query.Set(name, value); value == "" {
		query.Del(name)
	}
	return "?" + query.Encode()
}

// listed is a part of a list, with its form.
type listed struct {
	Filter listForm
	Pager  Pager
}

// read reads the part of the list that the query asks for into the page, or exports the list. wrong is what is wrong about the fields.
func read[T any](v *visit, a answer, into *listed, items *[]T, l backoffice.Listing[T], wrong error, fields ...field) (answer, error) {
	w, r, form, err := v.wanted(l.Zone, l.Sorts, fields...)
	into.Filter = form
	if err = fault.Merge(err, wrong); err == nil && w.IsCSV && v.r.Method != http.MethodPost { // a form needs its page
		csv, err := l.Export(w.Span)
		return answer{Title: l.Name + ".csv", download: csv}, err
	} else if err == nil {
		var p page.Page[T]
		p, err = l.Read(w.Span, r)
		*items, into.Pager = p.Items, pagerOf(v, p)
	}
	if fault.Is(err, fault.Invalid) {
		return v.again(a, err)
	}
	return a, err
}

// lined is a list within a page.
type lined struct {
	shown
	Lines []backoffice.Line
	Of    []user.ID // whose the list is, if it is of one person
}

// With returns the page for the template "lines".
func (p shown) With(lines []backoffice.Line, of ...user.ID) lined { return lined{p, lines, of} }

// Has reports which columns the lines have.
func (l lined) Has(column string) bool {
	return slices.ContainsFunc(l.Lines, func(one backoffice.Line) bool {
		return column == "amount" && one.Amount > 0 || column == "person" && one.Name != "" && !slices.Contains(l.Of, one.User) ||
			column == "state" && l.State(one) != ""
	})
}

// Person is a person with a uid, for the template "person".
type Person struct {
	Base, Name string
	UID        any
}

// Called returns the person with the uid and the name.
func (p shown) Called(uid any, name string) Person { return Person{p.Base, name, uid} }

// objectPages are the pages of objects by their kinds: the paths before the numbers, and the areas. Each role sees people.
var objectPages = map[audit.Kind]struct {
	path string
	area access.Area
}{
	audit.Account: {"people/", access.Overview}, audit.Kind(moderation.Person): {"people/", access.Overview},
	audit.Profile: {"people/", access.Overview}, audit.Order: {"money/order/", access.Orders}, audit.Payment: {"money/payment/", access.Money},
	audit.Event: {"events/", access.Reports}, audit.Comment: {"comments/", access.Reports},
}

// Line returns the line of an object.
func (p shown) Line(kind, id any) backoffice.Line {
	number, _ := strconv.ParseInt(fmt.Sprint(id), 10, 64) // others have no number
	return backoffice.Line{Kind: audit.Kind(fmt.Sprint(kind)), ID: number}
}

// Path returns the path of the page of the line within the pages; empty: it has none, or the reader may not open it.
func (p shown) Path(l backoffice.Line) string { return pathFor(p.actor, l) }

func pathFor(actor access.Actor, l backoffice.Line) string {
	if l.Kind == audit.Refund && l.Of != 0 {
		l.Kind, l.ID = audit.Payment, l.Of
	}
	if on := objectPages[l.Kind]; on.path != "" && l.ID != 0 && actor.May(on.area) {
		return fmt.Sprintf("%s%d/", on.path, l.ID)
	}
	return ""
}

// What returns the name of what the line is about.
func (p shown) What(l backoffice.Line) string {
	format := cmp.Or(p.Word("numbered", l.Kind), p.Word("object", l.Kind)+" %d")
	return strings.TrimSuffix(fmt.Sprintf(format, l.ID), " 0")
}

// State returns the text of the state of the line, or of what was done.
func (p shown) State(l backoffice.Line) string {
	return cmp.Or(p.Word("act", l.Act), p.Word("state", l.State), l.State)
}
