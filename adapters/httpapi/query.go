package httpapi

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
)

// query reads the parameters of a request and collects all their problems for err.
type query struct {
	values url.Values
	wrong  fault.Fields
}

// query parses the parameters. A value with a NUL or invalid UTF-8 is a problem of its
// parameter, known or unknown, so no later code meets one.
func (c *call) query() *query {
	values, err := url.ParseQuery(c.gin.Request.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.wrong.Add(wholeRequest, "The query is malformed.")
	}
	for name, sent := range values {
		for _, value := range sent {
			if problem := (text.Limit{}).Problem(value); problem != "" {
				q.wrong.Add(cmp.Or(strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), ""), wholeRequest), problem)
				values.Del(name)
				break
			}
		}
	}
	return q
}

// text returns the trimmed value of the parameter. A blank value counts as absent, and different
// values of a repeated parameter are a problem (GEN-04).
func (q *query) text(name string) string {
	var found string
	for _, sent := range q.values[name] {
		switch sent = text.Trim(sent); {
		case sent == "" || sent == found:
		case found != "":
			q.wrong.Merge(fault.Fields{name: {"Only one value is allowed."}})
		default:
			found = sent
		}
	}
	return found
}

// positiveInt returns the parameter as a positive integer, or the fallback if it is absent.
func (q *query) positiveInt(name string, fallback int64) int64 {
	sent := q.text(name)
	if sent == "" {
		return fallback
	}
	n := positiveInt(sent)
	if n < 1 {
		q.wrong.Add(name, "A positive integer is required.")
	}
	return n
}

// page reads the parameters of every paged list (GEN-04, GEN-05).
func (q *query) page() page.Request {
	number := q.positiveInt("page", 1)
	size := q.positiveInt("page_size", page.DefaultSize)
	request, err := page.New(int(min(number, math.MaxInt32)), int(min(size, math.MaxInt32)))
	q.wrong.Merge(fault.FieldsOf(err))
	return request
}

// integer returns the parameter as an integer. It reports false if the parameter is absent
// or invalid. Numbers out of range become the bound, which is no object's ID.
func (q *query) integer(name string) (int64, bool) {
	sent := q.text(name)
	switch {
	case sent == "":
		return 0, false
	case !isDecimal(sent):
		q.wrong.Add(name, notInteger)
		return 0, false
	}
	n, _ := strconv.ParseInt(sent, 10, 64) // returns the bound if the number is out of range
	return n, true
}

// ordinary matches decimal numbers, neither infinite nor hexadecimal.
var ordinary = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// number returns the parameter as a number. It reports false if the parameter is absent or
// invalid.
func (q *query) number(name string) (float64, bool) {
	sent := q.text(name)
	if sent == "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(sent, 64)
	if err != nil || !ordinary.MatchString(sent) {
		q.wrong.Add(name, "A valid number is required.")
	}
	return n, true
}

// list returns the trimmed parts of a parameter that is comma-separated, repeated, or both, each
// once (GEN-04). Blank parts are ignored.
func (q *query) list(name string) []string {
	var parts []string
	seen := map[string]bool{"": true}
	for part := range strings.SplitSeq(strings.Join(q.values[name], ","), ",") {
		if part = text.Trim(part); !seen[part] {
			seen[part] = true
			parts = append(parts, part)
		}
	}
	return parts
}

// ordering reads the order of events (EVT-13); a leading minus sign means descending.
func (q *query) ordering() event.Ordering {
	var terms []event.Term
	for _, part := range q.list("ordering") {
		name, descending := strings.CutPrefix(part, "-")
		terms = append(terms, event.Term{Key: event.Key(name), Descending: descending})
	}
	ordering, err := event.NewOrdering(terms...)
	q.wrong.Merge(fault.FieldsOf(fault.OnField("ordering", err)))
	return ordering
}

func (q *query) err() error { return q.wrong.Err() }

// choose returns the parameter as one of the values, or the zero value if it is absent.
func choose[T any](q *query, name string, values ...T) (chosen T) {
	sent := q.text(name)
	if sent == "" {
		return chosen
	}
	for _, value := range values {
		if fmt.Sprint(value) == sent {
			return value
		}
	}
	q.wrong.Add(name, text.NoChoice(sent, values...))
	return chosen
}

// positiveInt parses a positive integer of digits only. It returns 0 for any other text.
// Numbers out of range become the bound, which is no object's ID.
func positiveInt(s string) int64 {
	if strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && s != "" {
		return math.MaxInt64
	}
	return n
}
