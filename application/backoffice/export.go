package backoffice

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"plaza/domain/audit"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/publication"
)

// MaxExport is how many items of a list an export has at most.
const MaxExport = 10_000

// Table is how a list is exported.
type Table[T any] struct {
	Columns []string
	Rows    func(T) [][]any // of an item: texts, numbers and times
}

// lines are money, or what a person has, wrote or did.
var lines = Table[Line]{
	[]string{"kind", "id", "of", "state", "amount", "refunded", "currency", "uid", "name", "text", "wallet_id", "at"},
	func(l Line) [][]any {
		l.Text = strings.TrimSuffix(strings.TrimPrefix(string(l.Reason)+": "+l.Text, ": "), ": ")
		return [][]any{{l.Kind, l.ID, l.Of, l.State, l.Amount, l.Refunded, l.Currency, l.User, l.Name, l.Text, l.Number, l.At}}
	},
}

// acts are audit records.
var acts = Table[audit.Record]{
	[]string{"id", "at", "by", "by_name", "act", "object", "object_id", "about", "about_name", "reason"},
	func(a audit.Record) [][]any {
		return [][]any{{a.ID, a.At, nameOf(a.By), a.ByName, a.Act, a.Object.Kind, a.Object.ID, a.About, a.AboutName, a.Reason}}
	},
}

// cases are what people report.
var cases = Table[moderation.Case]{
	[]string{"id", "kind", "object", "owner", "first_reported_at", "last_reported_at", "spam", "abuse", "illegal", "other",
		"decision", "decided_at", "decided_by", "decision_reason"},
	func(c moderation.Case) [][]any {
		row := []any{c.ID, c.Kind, c.Thing.ID, c.Owner, c.First, c.Last}
		for _, reason := range moderation.Reasons() {
			row = append(row, c.People[reason])
		}
		return [][]any{append(row, c.Outcome, c.At, nameOf(c.By), c.Decision.Reason)}
	},
}

var people = Table[Person]{
	[]string{"uid", "name", "phone", "is_disabled", "roles", "joined_at", "last_seen_at"},
	func(p Person) [][]any {
		return [][]any{{p.ID, p.Username, p.Phone, p.Disabled, joined(p.Roles), p.Joined, p.Seen}}
	},
}

var runs = Table[imported.Run]{
	[]string{"id", "state", "files", "began_at", "ended_at", "lines", "new", "changed", "unchanged", "replaced", "rejected"},
	func(r imported.Run) [][]any {
		return [][]any{{r.ID, r.State, joined(r.Files), r.Began, r.Ended, r.Lines, r.New, r.Changed, r.Same, r.Replaced, r.Rejected}}
	},
}

// rejects have a row for each field that is wrong. The whole line has an empty field.
var rejects = Table[imported.RejectedLine]{
	[]string{"file", "line", "field", "reason"},
	func(l imported.RejectedLine) (all [][]any) {
		if l.Reason != "" {
			all = append(all, []any{l.File, l.Line, "", l.Reason})
		}
		for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
			for _, sentence := range l.Fields[field] {
				all = append(all, []any{l.File, l.Line, field, sentence})
			}
		}
		return all
	},
}

var howTos = Table[publication.HowTo]{
	[]string{"category", "uid", "bundles", "created_at", "updated_at"},
	func(h publication.HowTo) [][]any {
		return [][]any{{h.Category, h.Robot, joined(h.Bundles), h.Created, h.Updated}}
	},
}

var findings = Table[payment.Finding]{
	[]string{"id", "day", "kind", "order", "wallet_id", "expected", "found", "resolved_at"},
	func(f payment.Finding) [][]any {
		return [][]any{{f.ID, f.Day, f.Kind, f.Order, f.TransactionID, f.Expected, f.Found, f.Resolved}}
	},
}

// joined returns the values in one cell.
func joined[T any](all []T) string {
	texts := make([]string, len(all))
	for i, value := range all {
		texts[i] = fmt.Sprint(value)
	}
	return strings.Join(texts, ", ")
}

// nameOf returns the uid of a member of staff, or the name of a person at the command line.
func nameOf(a audit.Actor) any {
	if a.Staff == 0 {
		return a.Person
	}
	return a.Staff
}

// Export returns the items of the list in the span as CSV (RFC 4180) in UTF-8 with a byte order mark, at most MaxExport of them.
func (l Listing[T]) Export(s page.Span) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("\ufeff")
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	_ = w.Write(l.Table.Columns) // a buffer takes everything
	var after page.Cursor
	for count := 0; count < MaxExport; count += page.MaxSize {
		p, err := l.Read(s, page.Behind(after, page.MaxSize).Paged())
		if err != nil {
			return nil, err
		}
		for _, item := range p.Items {
			for _, row := range l.Table.Rows(item) {
				_ = w.Write(cellsOf(row))
			}
		}
		if after = p.Next; after == (page.Cursor{}) {
			break
		}
	}
	w.Flush()
	return out.Bytes(), nil
}

// cellsOf returns the values as texts that no spreadsheet takes for a formula. Zero ones are empty.
func cellsOf(row []any) []string {
	cells := make([]string, len(row))
	for i, value := range row {
		if reflect.ValueOf(value).IsZero() {
			continue
		}
		if at, is := value.(time.Time); is {
			value = at.UTC().Format(time.RFC3339)
		}
		if cells[i] = fmt.Sprint(value); strings.ContainsAny(cells[i][:1], "=+-@\t\r") {
			cells[i] = "'" + cells[i]
		}
	}
	return cells
}
