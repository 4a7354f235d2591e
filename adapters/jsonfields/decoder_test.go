package jsonfields

import (
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
)

type refusing struct{ err error }

func (r refusing) UnmarshalText([]byte) error { return r.err }

func TestA_text_that_its_field_refuses(t *testing.T) {
	early := fault.New(fault.Invalid, "That day is too early.")
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{early, early.Text},
		{errors.New("offset 3"), NotString}, // not a text for clients
	} {
		assert.Equal(t, c.want, unmarshal([]byte(`"tomorrow"`), refusing{c.err}), "%v", c.err)
	}
}

// escapes matches a surrogate pair, half a pair, or another escape.
var escapes = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.`)

var decimals = regexp.MustCompile(`\A-?[0-9]+\z`)

// FuzzValue compares strings and integers with those of encoding/json and math/big.
// Half a surrogate pair, which encoding/json replaces, is refused.
func FuzzValue(f *testing.F) {
	for _, raw := range []string{
		`""`, `"x"`, "null", "5", `"5"`, "-0", `"-0"`, "5.0", "5e0", "9223372036854775807", `"9223372036854775808"`, "-9223372036854775808", `"\u0035"`, `"\ud83d\ude42"`, `"\ud83d"`, `"\ude42\ud83d"`, `"\ud83d\ud83d\ude42"`,
		`"\ufffd"`, "\"\ufffd\"", `"\ufffd\ud800"`, `"\\ufffd\ud800"`, `"\\\ufffd"`, `"\\\\ud800"`, `"\uFFFD\uDfFf"`, `"\u0000"`, `"a\u0000"`, "[1]", "{}", `"` + strings.Repeat("9", 400) + `"`, `" 5"`, "true",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !utf8.ValidString(raw) || !json.Valid([]byte(raw)) || strings.TrimSpace(raw) != raw || raw == "null" {
			return // is refused, or has no space and is no null when it comes here
		}
		var want *string
		isString := json.Unmarshal([]byte(raw), &want) == nil && want != nil
		isWhole := true
		for _, match := range escapes.FindAllStringSubmatch(raw, -1) {
			isWhole = isWhole && match[1] == ""
		}
		s, problem := readString([]byte(raw))
		require.Equal(t, isString && isWhole && !strings.ContainsRune(*want, 0), problem == "", "%q: %s", raw, problem)
		if problem == "" {
			require.Equal(t, *want, s)
		}
		digits := raw
		if isString {
			digits = s
		}
		exact, _ := new(big.Int).SetString(digits, 10)
		isDecimal := decimals.MatchString(digits) && exact.IsInt64()
		for _, isQuoted := range []bool{false, true} { // whether a string may be an integer
			n, isInteger := (&reading{Decoder: &Decoder{QuotedIntegers: isQuoted}}).integer([]byte(raw), 64)
			require.Equal(t, isDecimal && (isQuoted || !isString), isInteger, "%q", raw)
			if isInteger {
				require.Equal(t, exact.Int64(), n)
			}
		}
	})
}
