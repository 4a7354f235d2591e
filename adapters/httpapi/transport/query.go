package transport

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"plaza/adapters/jsonfields"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
)

// Query reads the parameters of a request and collects all their problems for err.
type Query struct {
	Values url.Values
	Wrong  fault.Fields
	list   List
}

// Query parses the parameters. A value with a NUL or invalid UTF-8 is a problem of its
// parameter, known or unknown, so no later code meets one.
func (c *Call) Query() *Query {
	values, err := url.ParseQuery(c.Gin.Request.URL.RawQuery)
	q := &Query{Values: values, list: c.List}
	if err != nil {
		q.Wrong.Add(wholeRequest, "The query is malformed.")
	}
	for name, sent := range values {
		for _, value := range sent {
			if problem := (text.Limit{}).Problem(value); problem != "" {
				q.Wrong.Add(cmp.Or(strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), ""), wholeRequest), problem)
				values.Del(name)
				break
			}
		}
	}
	q.Wrong.Merge(fault.FieldsOf(c.PartErr))
	return q
}

// Text returns the trimmed value of the parameter. A blank value counts as absent, and different
// values of a repeated parameter are a problem (GEN-04).
func (q *Query) Text(name string) string {
	var found string
	for _, sent := range q.Values[name] {
		switch sent = text.Trim(sent); {
		case text.IsBlank(sent) || sent == found:
		case found != "":
			q.Wrong.Merge(fault.Fields{name: {"Only one value is allowed."}})
		default:
			found = sent
		}
	}
	return found
}

// notPositive is the problem of any other value where a positive integer is needed.
const notPositive = "A positive integer is required."

// PositiveInt returns the parameter as a positive integer, or the fallback if it is absent.
func (q *Query) PositiveInt(name string, fallback int64) int64 {
	sent := q.Text(name)
	if sent == "" {
		return fallback
	}
	n := PositiveInt(sent)
	if n < 1 {
		q.Wrong.Add(name, notPositive)
	}
	return n
}

// PositiveInts returns the parts of a list as positive integers, each once and in their order. The list must have from 1 to
// most of them.
func (q *Query) PositiveInts(name string, most int) []int64 {
	var sent []int64
	for _, part := range q.List(name) {
		sent = append(sent, PositiveInt(part))
	}
	numbers, problem := text.Distinct(sent, most, func(n int64) (int64, string) {
		if n < 1 {
			return n, notPositive
		}
		return n, ""
	})
	if len(sent) == 0 {
		problem = text.Required
	}
	q.Wrong.Add(name, problem)
	return numbers
}

// Page reads the parameters of every paged list (GEN-04, GEN-05, GEN-18). An empty cursor is the beginning of the list.
func (q *Query) Page() page.Request {
	if q.Values.Has("cursor") {
		return q.pageBehind()
	}
	number := q.PositiveInt("page", 1)
	request, err := page.New(int(min(number, math.MaxInt32)), q.pageSize())
	q.Wrong.Merge(fault.FieldsOf(err))
	return request
}

func (q *Query) pageSize() int {
	return int(min(q.PositiveInt("page_size", page.DefaultSize), math.MaxInt32))
}

// Cursor reads the parameters of a list that has cursors alone (EVT-23).
func (q *Query) Cursor() page.CursorRequest { return q.cursor(0) }

// SeenCursor is Cursor for a list whose cursors name what it has shown.
func (q *Query) SeenCursor() page.CursorRequest { return q.cursor(page.MaxSeen) }

func (q *Query) cursor(maxSeen int) page.CursorRequest {
	var after page.Cursor
	if sent := q.Text("cursor"); sent != "" {
		var is bool
		if after, is = parseCursor(q.list, maxSeen, sent); !is {
			q.Wrong.Add("cursor", errCursor)
		}
	}
	return page.Behind(after, q.pageSize())
}

// pageBehind reads the parameters of a page that is selected by a cursor (GEN-18).
func (q *Query) pageBehind() page.Request {
	if q.Text("page") != "" {
		q.Wrong.Add("cursor", errBoth)
	}
	return q.WordCursor().Paged()
}

// WordCursor is Cursor for a list whose keys have a part in words.
func (q *Query) WordCursor() page.CursorRequest {
	r := q.cursor(maxWord)
	if r.After.Word, r.After.Seen = r.After.Seen, ""; (text.Limit{}).Problem(r.After.Word) != "" {
		q.Wrong.Add("cursor", errCursor)
	}
	return r
}

// NeedUsualOrder notes the problem of a cursor in a list that has another order than its usual one (GEN-18).
func (q *Query) NeedUsualOrder(r page.Request, isUsual bool) {
	if r.IsBehind() && !isUsual {
		q.Wrong.Add("cursor", errNotSorted)
	}
}

// Integer returns the parameter as an integer. It reports false if the parameter is absent
// or invalid. Numbers out of range become the bound, which is no object's ID.
func (q *Query) Integer(name string) (int64, bool) {
	sent := q.Text(name)
	switch {
	case sent == "":
		return 0, false
	case !jsonfields.IsDecimal(sent):
		q.Wrong.Add(name, jsonfields.NotInteger)
		return 0, false
	}
	n, _ := strconv.ParseInt(sent, 10, 64) // returns the bound if the number is out of range
	return n, true
}

// ordinary matches decimal numbers, neither infinite nor hexadecimal.
var ordinary = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// Number returns the parameter as a number, or nil if it is absent.
func (q *Query) Number(name string) *float64 {
	sent := q.Text(name)
	if sent == "" {
		return nil
	}
	n, err := strconv.ParseFloat(sent, 64)
	if err != nil || !ordinary.MatchString(sent) {
		q.Wrong.Add(name, "A valid number is required.")
	}
	return &n
}

// List returns the trimmed parts of a parameter that is comma-separated, repeated, or both, each
// once (GEN-04). Blank parts are ignored.
func (q *Query) List(name string) []string {
	var parts []string
	seen := map[string]bool{}
	for part := range strings.SplitSeq(strings.Join(q.Values[name], ","), ",") {
		if part = text.Trim(part); !text.IsBlank(part) && !seen[part] {
			seen[part] = true
			parts = append(parts, part)
		}
	}
	return parts
}

// Texts returns all values of a repeatable parameter under any of its names (ADM-03).
func (q *Query) Texts(names ...string) []string {
	var all []string
	for _, name := range names {
		for _, value := range q.Values[name] {
			if value = text.Trim(value); !text.IsBlank(value) {
				all = append(all, value)
			}
		}
	}
	return all
}

func (q *Query) Err() error { return q.Wrong.Err() }

// Choose returns the parameter as one of the values, or the zero value if it is absent.
func Choose[T any](q *Query, name string, values ...T) (chosen T) {
	sent := q.Text(name)
	if sent == "" {
		return chosen
	}
	for _, value := range values {
		if fmt.Sprint(value) == sent {
			return value
		}
	}
	q.Wrong.Add(name, text.NoChoice(sent, values...))
	return chosen
}

// PositiveInt parses a positive integer of digits only. It returns 0 for any other text.
// Numbers out of range become the bound, which is no object's ID.
func PositiveInt(s string) int64 {
	if strings.Trim(s, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil && s != "" {
		return math.MaxInt64
	}
	return n
}

// Problems of a cursor.
const (
	errCursor    = "The cursor is invalid. Use the one of the last answer."
	errBoth      = "Send either page or cursor."
	errNotSorted = "With a cursor, the list is in its usual order."
)

const (
	maxWord = 256                     // bytes of the part of a key in words
	minTime = -62_135_596_800_000_000 // microseconds since 1970: the beginning of the year 1
	maxTime = 253_402_300_799_999_999 // the end of the year 9999
)

func formatCursor(list List, c page.Cursor) string {
	encoded := binary.BigEndian.AppendUint32(nil, uint32(list))
	for _, part := range []int64{c.Rank, c.Tie, c.ID} {
		encoded = binary.AppendVarint(encoded, part)
	}
	return base64.RawURLEncoding.EncodeToString(append(encoded, c.Word+c.Seen...))
}

func parseCursor(list List, maxSeen int, sent string) (c page.Cursor, is bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(sent)
	if err != nil || len(decoded) < 4 {
		return page.Cursor{}, false
	}
	rest := decoded[4:] // the list is compared at the end
	for _, part := range []*int64{&c.Rank, &c.Tie, &c.ID} {
		n, length := binary.Varint(rest)
		if length <= 0 {
			return page.Cursor{}, false
		}
		*part, rest = n, rest[length:]
	}
	c.Seen = string(rest)
	isInRange := c.Rank >= minTime && c.Rank <= maxTime && c.Tie >= minTime && c.Tie <= maxTime
	return c, isInRange && c.ID != 0 && len(c.Seen) <= maxSeen && formatCursor(list, c) == sent
}

// cursors is the cursor object of a list.
type cursors struct {
	Next *string `json:"next"`
}

// CursorOf returns the cursor object for where the list of the call continues.
func (c *Call) CursorOf(next page.Cursor) *cursors {
	return &cursors{Optional(formatCursor(c.List, next), next != page.Cursor{})}
}
