package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/text"
)

// streams are the standard output and the standard error of a command.
type streams struct{ out, err io.Writer }

func (s streams) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.out, format, args...)
	return err
}

// made prints what a command has made: as JSON, or its name alone, which programs read, beside a sentence for people.
func (s streams) made(asJSON bool, view any, sentence string, name any) error {
	if asJSON {
		return printJSON(s.out, view)
	}
	fmt.Fprintln(s.err, sentence+":")
	return s.printf("%v\n", name)
}

// orDash returns the value for people, or a dash for the zero value.
func orDash[T comparable](v T) string {
	if v == *new(T) {
		return "-"
	}
	return fmt.Sprint(v)
}

// listed returns the names for people, comma separated, or a dash for none.
func listed[S ~string](names []S) string { return orDash(text.Joined(names, ",")) }

// clock returns the time for people, to the second and in UTC, or a dash for the zero time.
func clock[T time.Time | instant.Timestamp](t T) string {
	at := time.Time(t)
	if at.IsZero() {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}

// amount returns a count with its noun, such as "2 lines".
func amount(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return humanize.Comma(n) + " " + thing
}

// sum returns an amount for people. Minor units are hundredths.
func sum(currency string, amount int64) string {
	return fmt.Sprintf("%s %d.%02d", currency, amount/100, amount%100)
}

// orZero returns the value, or zero for none.
func orZero[T any](v *T) (value T) {
	if v != nil {
		value = *v
	}
	return value
}

// isTerminal reports whether the input or output is a terminal.
func isTerminal(stream any) bool {
	file, is := stream.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// flushEvery is after how many rows a table is flushed, so that the first rows appear early.
const flushEvery = 200

func itself[T any](v T) T { return v }

// printList prints the rows as a JSON array of their views, or as a table for people.
func printList[T, V any](
	s streams, asJSON bool, heading string, rows iter.Seq2[T, error], row func(T) string, view func(T) V,
) error {
	if asJSON {
		return printArray(s.out, rows, view)
	}
	return printTable(s.out, heading, rows, row)
}

// printTable prints the rows under the heading. Tabs separate columns.
func printTable[T any](w io.Writer, heading string, rows iter.Seq2[T, error], row func(T) string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, heading)
	count := 0
	for r, err := range rows {
		if err != nil {
			return errors.Join(err, table.Flush())
		}
		fmt.Fprintln(table, oneLine(row(r)))
		if count++; count%flushEvery == 0 {
			if err := table.Flush(); err != nil {
				return err
			}
		}
	}
	return table.Flush()
}

// oneLine replaces what no text of one line may have, so that texts of users cannot control the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && !text.IsOfLine(r) {
			return ' '
		}
		return r
	}, s)
}

// printJSON prints the value on one line.
func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// printArray prints the views of the rows as a JSON array, one line per row.
func printArray[T, V any](w io.Writer, rows iter.Seq2[T, error], view func(T) V) error {
	before := "[\n"
	for r, err := range rows {
		if err != nil {
			return err
		}
		var line bytes.Buffer
		if err := printJSON(&line, view(r)); err != nil {
			return err
		}
		if _, err := fmt.Fprint(w, before, strings.TrimSuffix(line.String(), "\n")); err != nil {
			return err
		}
		before = ",\n"
	}
	if before == "[\n" {
		_, err := fmt.Fprintln(w, "[]")
		return err
	}
	_, err := fmt.Fprint(w, "\n]\n")
	return err
}

func seqOf[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// pages yields the items of a list that has numbered pages, too.
func pages[T any](list func(page.Request) (page.Page[T], error)) iter.Seq2[T, error] {
	return behind(0, func(r page.CursorRequest) (page.CursorPage[T], error) {
		found, err := list(r.Paged())
		return page.CursorPage[T]{Items: found.Items, Next: found.Next}, err
	})
}

// behind yields the items of a list whose parts continue behind cursors, at most limit of them (zero: all).
func behind[T any](limit int, list func(page.CursorRequest) (page.CursorPage[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		yielded := 0
		for after := (page.Cursor{}); ; {
			part, err := list(page.Behind(after, page.MaxSize))
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range part.Items {
				if yielded++; limit > 0 && yielded > limit || !yield(item, nil) {
					return
				}
			}
			if after = part.Next; after == (page.Cursor{}) {
				return
			}
		}
	}
}
