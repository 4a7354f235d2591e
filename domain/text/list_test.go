package text_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/text"
)

func TestDistinct(t *testing.T) {
	read := func(s string) (string, string) {
		if s = text.Trim(s); s == "" {
			return "", text.Blank
		}
		return s, ""
	}
	for name, c := range map[string]struct {
		values, want []string
		problem      string
	}{
		"nothing":              {nil, nil, ""},
		"each once, in order":  {[]string{"b", " a", "a ", "b"}, []string{"b", "a"}, ""},
		"a problem":            {[]string{"a", " "}, nil, text.Blank},
		"as many as there may": {[]string{"a", "b", "c", "a"}, []string{"a", "b", "c"}, ""},
		"one more":             {[]string{"a", "b", "c", "d"}, nil, "Ensure this field has no more than 3 elements."},
	} {
		got, problem := text.Distinct(c.values, 3, read)
		assert.Equal(t, c.want, got, name)
		assert.Equal(t, c.problem, problem, name)
	}
}

func TestDistinctStopsAtItsLimit(t *testing.T) {
	many := make([]string, 10_000)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	reads := 0
	_, problem := text.Distinct(many, 50, func(s string) (string, string) { reads++; return s, "" })
	assert.NotEmpty(t, problem)
	assert.Equal(t, 51, reads)
}
