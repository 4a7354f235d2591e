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
	Kept                 map[string]string // what selects the list, by its name
	CSV                  string            // query of the export
}

// wanted reads how the list is asked for. usual is its order without sort. kept are the names of what selects it.
func (v *visit) wanted(usual string, kept ...string) (backoffice.Wanted, page.Request, listForm, error) {
	query := v.r.URL.Query()
	w, err := backoffice.ReadWanted(query.Get, v.actor.Local(time.Time{}).Location(), usual)
	f := listForm{
		From: query.Get("from"), To: query.Get("to"), Sort: cmp.Or(query.Get("sort"), usual), Size: cmp.Or(query.Get("page_size"), "20"),
		Sorts: []string{backoffice.Newest, backoffice.Oldest}, Sizes: []string{"20", "50", "100"}, Kept: map[string]string{},
	}
	for _, name := range kept {
		if value := query.Get(name); value != "" {
			f.Kept[name] = value
		}
	}
	size, _ := strconv.Atoi(f.Size) // zero is none
	r, wrong := page.New(v.paged().Number(), size)
	query.Del("page")
	query.Del("after")
	query.Set("format", "csv")
	f.CSV = "?" + query.Encode()
	return w, r, f, fault.Merge(err, wrong)
}

// behind returns the query of the part of the list behind the cursor; empty: there is none.
func (v *visit) behind(next page.Cursor) string {
	if next == (page.Cursor{}) {
		return ""
	}
	return v.here("after", cursorText(next))
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

// export returns the list as CSV.
func export[T any](name string, table backoffice.Table[T], list func(page.CursorRequest) (page.CursorPage[T], error)) (answer, error) {
	csv, err := backoffice.Export(table, list)
	return answer{title: name + ".csv", download: csv}, err
}

// listed is a list of lines with its form.
type listed struct {
	Filter listForm
	Lines  []backoffice.Line
	Pager  Pager
}

// list reads the list with the name into the body of the page, or exports it.
func (s *Site) list(v *visit, a answer, name string, q backoffice.ListQuery, into *listed, kept ...string) (answer, error) {
	w, r, form, err := v.wanted(backoffice.Newest, kept...)
	q.Span, into.Filter = w.Span, form
	if err != nil {
		return v.again(a, err)
	}
	if w.IsCSV {
		return export(name, backoffice.Lines, func(r page.CursorRequest) (page.CursorPage[backoffice.Line], error) {
			p, err := s.Office.List(v.r.Context(), name, q, r.Paged())
			return page.CursorPage[backoffice.Line]{Items: p.Items, Next: p.Next}, err
		})
	}
	p, err := s.Office.List(v.r.Context(), name, q, r)
	into.Lines, into.Pager = p.Items, pagerOf(v, p)
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
