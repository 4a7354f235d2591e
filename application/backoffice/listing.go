package backoffice

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
)

// Wanted is how staff ask for a list, on the page and over the interface (OFF-05).
type Wanted struct {
	page.Span
	IsCSV bool
}

// ReadWanted reads the parameters from, to, sort and format, which value returns by their names. Days are those of the zone, up to
// and including the last one. The first of the sorts is the order without sort.
func ReadWanted(value func(name string) string, zone *time.Location, sorts ...string) (w Wanted, err error) {
	var wrong fault.Fields
	day := func(name string) (d calendar.Date) {
		if sent := value(name); sent != "" {
			if d, err = calendar.ParseDate(sent); err != nil {
				wrong.Add(name, "Enter a day like 2026-11-20.")
			}
		}
		return d
	}
	from, to := day("from"), day("to")
	if from.Compare(calendar.First) > 0 { // that day may begin in a year that no database knows, and so may end the last one
		w.From = from.Begin(zone)
	}
	if !to.IsZero() && to != calendar.Last {
		w.Until = to.AddDays(1).Begin(zone)
	}
	if !to.IsZero() && to.Compare(from) < 0 {
		wrong.Add("to", "The end must not be before the start.")
	}
	sort := chosen(&wrong, value, "sort", sorts[0], sorts...)
	w.IsOldestFirst, w.IsByAmount = sort == "oldest", sort == "amount"
	w.IsCSV = chosen(&wrong, value, "format", "", "json", "csv") == "csv"
	return w, wrong.Err()
}

// chosen returns the parameter, which must be one of the choices, or what is usual without it.
func chosen[T ~string](wrong *fault.Fields, value func(string) string, name string, usual T, choices ...T) T {
	sent := cmp.Or(T(value(name)), usual)
	if sent != usual && !slices.Contains(choices, sent) {
		wrong.Add(name, text.NoChoice(sent, choices...))
	}
	return sent
}

// The orders of lists, the usual one first.
var (
	NewestFirst = []string{"newest", "oldest"}
	OldestFirst = []string{"oldest", "newest"}
	OfMoney     = []string{"newest", "oldest", "amount"}
)

// Listing is a list of staff: its orders, how it is exported, and how it is read (OFF-05).
type Listing[T any] struct {
	Name  string // of its file
	Sorts []string
	Table Table[T]
	Zone  *time.Location // whose days it has; nil: the reader's
	Read  func(page.Span, page.Request) (page.Page[T], error)
}

// listing returns a list, the newest first, of which the span selects what read returns.
func listing[T any](name string, table Table[T], span *page.Span, read func(page.Request) (page.Page[T], error)) Listing[T] {
	return Listing[T]{Name: name, Sorts: NewestFirst, Table: table, Read: func(s page.Span, r page.Request) (page.Page[T], error) {
		*span = s
		return read(r)
	}}
}

// partOf returns the part of a list behind a cursor as a page.
func partOf[T any](r page.Request, p page.CursorPage[T]) page.Page[T] {
	return page.Page[T]{Items: p.Items, Next: p.Next, Request: r}
}

// MaxExport is how many items of a list an export has at most.
const MaxExport = 10_000

// Table is how a list is exported.
type Table[T any] struct {
	Columns []string
	Rows    func(T) [][]any // of an item: texts, numbers and times
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
		if cells[i] = fmt.Sprint(value); strings.IndexAny(cells[i], "=+-@\t\r\n＝＋－＠") == 0 {
			cells[i] = "'" + cells[i]
		}
	}
	return cells
}
