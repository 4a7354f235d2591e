package backoffice

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"time"

	"plaza/domain/audit"
	"plaza/domain/moderation"
	"plaza/domain/page"
)

// MaxExport is how many items of a list an export has at most.
const MaxExport = 10_000

// Table is how a list is exported.
type Table[T any] struct {
	Columns []string
	Rows    func(T) [][]any // of an item: texts, numbers and times
}

// Lines are money, or what a person has, wrote or did.
var Lines = Table[Line]{
	[]string{"kind", "id", "of", "state", "amount", "refunded", "currency", "uid", "name", "text", "wallet_id", "at"},
	func(l Line) [][]any {
		return [][]any{{l.Kind, l.ID, l.Of, l.State, l.Amount, l.Refunded, l.Currency, l.User, l.Name, l.Text, l.Number, l.At}}
	},
}

// Acts are audit records.
var Acts = Table[audit.Record]{
	[]string{"id", "at", "by", "by_name", "act", "object", "object_id", "about", "about_name", "reason"},
	func(a audit.Record) [][]any {
		return [][]any{{a.ID, a.At, nameOf(a.By), a.ByName, a.Act, a.Object.Kind, a.Object.ID, a.About, a.AboutName, a.Reason}}
	},
}

// Cases are what people report.
var Cases = Table[moderation.Case]{
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

// nameOf returns the uid of a member of staff, or the name of a person at the command line.
func nameOf(a audit.Actor) any {
	if a.Staff == 0 {
		return a.Person
	}
	return a.Staff
}

// Export returns the items of the list as CSV (RFC 4180) in UTF-8 with a byte order mark, at most MaxExport of them.
func Export[T any](table Table[T], list func(page.CursorRequest) (page.CursorPage[T], error)) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("\ufeff")
	w := csv.NewWriter(&out)
	w.UseCRLF = true
	_ = w.Write(table.Columns) // a buffer takes everything
	var after page.Cursor
	for count := 0; count < MaxExport; count += page.MaxSize {
		p, err := list(page.Behind(after, page.MaxSize))
		if err != nil {
			return nil, err
		}
		for _, item := range p.Items {
			for _, row := range table.Rows(item) {
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
