package wechatpay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY10_what_can_be_read_v3(t *testing.T) {
	o, err := parseObject([]byte(` {"a":"x","b":{"total":990,"A":[1,{"c":null}]},"list":[{"d":true}],"":1} `))
	require.NoError(t, err)
	assert.Equal(t, "x", o.text("a"))
	assert.Empty(t, o.text("b"), "not a text")
	assert.Empty(t, o.text("A"), "another name")
	assert.Len(t, o.list("list"), 1)
	total, err := o.object("b").amount("total")
	require.NoError(t, err)
	assert.Equal(t, int64(990), total)
	assert.Nil(t, o.object("none"))
	assert.Empty(t, o.object("none").text("x"))
	_, err = parseObject([]byte(strings.Repeat(`{"a":`, maxDepth) + "1" + strings.Repeat("}", maxDepth)))
	require.NoError(t, err)
}

func TestPAY10_what_is_refused_v3(t *testing.T) {
	for text, wrong := range map[string]string{
		"":                          "not well-formed",
		"null":                      "not a JSON object",
		`"a"`:                       "not a JSON object",
		"{":                         "not well-formed",
		`{"a":1}}`:                  "behind",
		`{"a":1,"a":2}`:             "repeated name",
		`{"a":1,"\u0061":2}`:        "repeated name",
		`{"b":{"a":1,"a":1}}`:       "repeated name",
		`{"b":[{"a":1,"a":1}]}`:     "repeated name",
		"{\"a\":\"\xff\"}":          "UTF-8",
		"{a:1}":                     "not well-formed",
		strings.Repeat("[", 4<<20):  "too deeply",
		strings.Repeat(`{"a":`, 17): "too deeply",
		strings.Repeat("a", 4<<20):  "not well-formed",
	} {
		o, err := parseObject([]byte(text))
		require.ErrorContains(t, err, wrong, "%.20q", text)
		assert.Nil(t, o)
		assert.Less(t, len(err.Error()), 60, "no part of the text")
	}
}

func TestPAY10_amounts(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "990": 990, "9223372036854775807": 1<<63 - 1} {
		o, err := parseObject([]byte(`{"total":` + text + `}`))
		require.NoError(t, err)
		got, err := o.amount("total")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"-1", "1.0", "1e3", "9223372036854775808", `"990"`, "null", "true", "[1]", "99999999999999999999"} {
		o, err := parseObject([]byte(`{"total":` + text + `}`))
		require.NoError(t, err)
		_, err = o.amount("total")
		require.Error(t, err, text)
	}
	_, err := jsonObject(nil).amount("total")
	require.Error(t, err)
}
