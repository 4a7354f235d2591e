package backoffice

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"plaza/application/catalogue"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// Time is an instant for the template "time", in the reader's time zone.
type Time struct{ ISO, Text string }

// isolate returns the name within the characters of Unicode that keep its direction to itself, for a title.
func isolate(name string) string { return "\u2068" + name + "\u2069" }

// bdi returns HTML of the text, in which isolated names stand in bdi.
func bdi(text string) template.HTML {
	return template.HTML(strings.NewReplacer("\u2068", "<bdi>", "\u2069", "</bdi>").Replace(template.HTMLEscapeString(text)))
}

// sum is an amount for people. Every currency has two decimals.
func sum(currency string, minor int64) string {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	if currency == "CNY" {
		return fmt.Sprintf("%s¥%d.%02d", sign, minor/100, minor%100)
	}
	return fmt.Sprintf("%s%s %d.%02d", sign, currency, minor/100, minor%100)
}

// Said returns the detail in the language of the page, without who ordered a refund.
func (s *Site) Said(d payment.Detail) string {
	in := func(text string) string {
		return cmp.Or(s.Word("state", text), catalogue.Translate(s.language, s.T(text)))
	}
	parts := []string{"", d.Number, "", in(d.By), d.Of, in(d.Note)}
	if d.Line > 0 {
		parts[0] = fmt.Sprintf("%s %d", s.T("Line"), d.Line)
	}
	if d.Currency != "" {
		parts[2] = sum(d.Currency, d.Amount)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// minorUnits reads an amount like 12, 12.5 or ¥12.50. It reports false for anything else.
func minorUnits(text string) (int64, bool) {
	text = strings.TrimLeft(strings.TrimSpace(text), "¥ ")
	whole, part, hasPart := strings.Cut(text, ".")
	if hasPart && (len(part) == 0 || len(part) > 2) || len(whole) > 12 || strings.ContainsAny(text, "+-") {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+(part + "00")[:2], 10, 64)
	return n, err == nil && whole != ""
}

// cursorText is a cursor as a query has it.
func cursorText(c page.Cursor) string { return fmt.Sprintf("%d.%d", c.Rank, c.ID) }

// cursorOf reads a cursor. Any other text is the beginning of the list.
func cursorOf(text string) (c page.Cursor) {
	if _, err := fmt.Sscanf(text, "%d.%d", &c.Rank, &c.ID); err != nil || cursorText(c) != text {
		return page.Cursor{}
	}
	return c
}
