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
	assert.Nil(t, o.list("b"), "not a list")
	total, err := o.object("b").amount("total")
	require.NoError(t, err)
	assert.Equal(t, int64(990), total)
	assert.Nil(t, o.object("none"))
	assert.Empty(t, o.object("none").text("x"))
}

func TestPAY10_what_is_refused_v3(t *testing.T) {
	for _, text := range []string{
		"", "null", `"a"`, "{", `{"a":1}}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"b":{"a":1,"a":1}}`, `{"b":[{"a":1,"a":1}]}`,
		"{\"a\":\"\xff\"}", "{a:1}", strings.Repeat("[", 4<<20), strings.Repeat(`{"a":`, 1<<20), strings.Repeat("a", 4<<20),
	} {
		o, err := parseObject([]byte(text))
		require.Error(t, err, "%.20q", text)
		assert.Nil(t, o)
		assert.Less(t, len(err.Error()), 80, "no part of the text")
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
