package backoffice

import (
	"cmp"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plaza/application/catalogue"
	"plaza/domain/page"
	"plaza/domain/user"
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

// said is what the journal or a finding says, for people.
type said struct {
	Text string
	By   user.ID // the member of staff who did it; zero: none
}

// described matches what the journal and findings say of money: a number, an amount, what it is of or by, and more.
var described = regexp.MustCompile(`^(?:(\S+)[:,] )?(\d{1,15}) ([A-Z]{3})(?: (?:of|by) (an unknown application|\S+?))?(?:, (.*))?$`)

// unread matches what a finding says of a line that could not be read.
var unread = regexp.MustCompile(`^line (\d+): (.*)$`)

// said returns the text of the journal or of a finding in the language of the page.
func (s *Site) said(text string) (is said) {
	in := func(text string) string {
		return cmp.Or(s.Word("state", text), catalogue.Translate(s.language, s.T(text)))
	}
	if line := unread.FindStringSubmatch(text); line != nil {
		return said{Text: s.T("Line") + " " + line[1] + ": " + in(line[2])}
	}
	of := described.FindStringSubmatch(text)
	if of == nil {
		return said{Text: in(text)}
	}
	minor, _ := strconv.ParseInt(of[2], 10, 64) // at most 15 digits
	parts := []string{of[1], sum(of[3], minor), in(of[4])}
	if _, err := fmt.Sscanf(of[5], "by staff %d", &is.By); err != nil {
		parts = append(parts, in(of[5]))
	}
	is.Text = strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
	return is
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

// cursorText is a cursor as a query has it. That of the beginning is empty.
func cursorText(c page.Cursor) string {
	if c == (page.Cursor{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d", c.Rank, c.ID)
}

// cursorOf reads a cursor. Any other text is the beginning of the list.
func cursorOf(text string) (c page.Cursor) {
	rank, id, _ := strings.Cut(text, ".")
	var wrong [2]error
	c.Rank, wrong[0] = strconv.ParseInt(rank, 10, 64)
	c.ID, wrong[1] = strconv.ParseInt(id, 10, 64)
	if wrong != [2]error{} {
		return page.Cursor{}
	}
	return c
}
