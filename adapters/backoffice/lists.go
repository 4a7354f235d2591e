package backoffice

import (
	"cmp"
	"fmt"
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

// choices returns the options of the values by their texts. Without one of them, the list is not narrowed.
func choices[K ~string](v *visit, values []K, texts map[K]string) []option {
	all := []option{{"", v.site.texts.List.Any}}
	for _, value := range values {
		all = append(all, option{string(value), cmp.Or(texts[value], string(value))})
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
func read[T any](v *visit, a answer, into *listed, l backoffice.Listing[T], wrong error, fields ...field) ([]T, answer, error) {
	w, r, form, err := v.wanted(l.Zone, l.Sorts, fields...)
	into.Filter = form
	var p page.Page[T]
	if err = fault.Merge(err, wrong); err == nil && w.IsCSV {
		csv, err := l.Export(w.Span)
		return nil, answer{title: l.Name + ".csv", download: csv}, err
	} else if err == nil {
		p, err = l.Read(w.Span, r)
		into.Pager = pagerOf(v, p)
	}
	if fault.Is(err, fault.Invalid) {
		a, err = v.again(a, err)
	}
	return p.Items, a, err
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

// objectPaths are the pages of objects by their kinds, before the numbers.
var objectPaths = map[audit.Kind]string{
	audit.Account: "people/", audit.Kind(moderation.Person): "people/", audit.Profile: "people/", audit.Order: "money/order/",
	audit.Payment: "money/payment/", audit.Event: "events/", audit.Comment: "comments/",
}

// areas are the areas of these pages, and of the lists of a person. Each role sees people; others are of the area of reports.
var areas = map[string]access.Area{
	"people/": access.Overview, "money/order/": access.Orders, "money/payment/": access.Money,
	"orders": access.Orders, "payments": access.Money, "refunds": access.Money, findings: access.Money, "sessions": access.People,
	"acts": access.Audit,
}

func areaOfList(name string) access.Area { return cmp.Or(areas[name], access.Reports) }

// Path returns the path of the page of the line within the pages; empty: it has none, or the actor may not see it.
func (p shown) Path(l backoffice.Line) string {
	if path := pathOf(l); path != "" && p.May(areaOfList(objectPaths[l.Kind])) {
		return path
	}
	return ""
}

// pathOf returns the path of the page of the line within the pages; empty: it has none.
func pathOf(l backoffice.Line) string {
	if l.Kind == audit.Refund && l.Of != 0 {
		l.Kind, l.ID = audit.Payment, l.Of
	}
	if path := objectPaths[l.Kind]; path != "" && l.ID != 0 {
		return fmt.Sprintf("%s%d/", path, l.ID)
	}
	return ""
}

// What returns the name of what the line is about.
func (p shown) What(l backoffice.Line) string {
	money := map[audit.Kind]string{audit.Order: p.T.Money.Order, audit.Payment: p.T.Money.Payment, audit.Refund: p.T.Money.Refund}
	format := cmp.Or(money[l.Kind], p.T.Reports.Kinds[moderation.Kind(l.Kind)], p.T.Audit.Objects[l.Kind]+" %d")
	return strings.TrimSuffix(fmt.Sprintf(format, l.ID), " 0")
}

// State returns the text of the state of the line, or of what was done.
func (p shown) State(l backoffice.Line) string {
	return cmp.Or(p.T.Audit.Acts[l.Act], p.T.Money.States[l.State], p.T.People.States[l.State], l.State)
}
