package httpapi

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/jsonfields"
	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// sample is a body with every type of field.
type sample struct {
	Name     *string                    `json:"name" validate:"required,visible"`
	Age      *int64                     `json:"age" validate:"omitnil,min=0,max=150"`
	Level    *int                       `json:"level" validate:"omitnil,max=200"`
	Publish  *bool                      `json:"publish"`
	Password *secret.String             `json:"password" validate:"omitnil,min=1"`
	Day      *calendar.Date             `json:"day"`
	Tags     []string                   `json:"tags" validate:"omitnil,min=1,max=3,dive,visible"`
	IDs      []int64                    `json:"ids"`
	Category transport.Nullable[int64]  `json:"category"`
	Extra    *extra                     `json:"extra_params"`
	Note     string                     `json:"note"`
	Inner    transport.Nullable[string] `json:"inner"`
	ignored  string
}

type extra struct {
	OpenID *string `json:"open_id" validate:"required"`
	Type   string  `json:"type" validate:"max=1"`
}

func TestGEN_08_depth_is_bounded(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"depth":        {`{"x":` + strings.Repeat("[", transport.MaxBody) + `}`, transport.ErrNotJSON},
		"whole depth":  {`{"name":"Ada","x":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`, transport.ErrNotJSON},
		"hidden depth": {`{"x":"\"` + strings.Repeat("[", 99_999) + `","name":"Ada"}`, nil},
		"enough depth": {`{"name":"Ada","x":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}`, nil},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, transport.Fill(&sample{}, []byte(c.body))) })
	}
}

func TestGEN_08_all_wrong_fields_are_named_together(t *testing.T) {
	for body, wrong := range map[string]fault.Fields{
		`{}`:                        {"name": {text.Required}},
		`{"name": null}`:            {"name": {text.Null}},
		`{"name": " \u00a0"}`:       {"name": {text.Blank}},
		`{"name": "\ud800"}`:        {"name": {jsonfields.NotUTF8}},
		`{"name": "A", "age": 151}`: {"age": {"Ensure this value is no more than 150."}},
		`{"name": "\ud83d\ude42\ufffd\\ud800 \u00e9", "id": 7, "is_staff": true, "ignored": "x", "": "y"}`: nil,
		`{"name": "A", "day": "2026-02-30"}`:          {"day": {calendar.ErrNoDay.Text}},
		`{"name": "A", "day": "2026-2-3"}`:            {"day": {calendar.ErrForm.Text}},
		`{"name": "A", "tags": ["a", " ", ""]}`:       {"tags": {text.Blank}},
		`{"name": "A", "tags": ["a", "b", "c", "d"]}`: {"tags": {"Ensure this field has no more than 3 elements."}},
		`{"name": "A", "ids": [1, "2", "x", "y"]}`:    {"ids": {jsonfields.NotInteger}},
		`{"name": "A", "extra_params": null}`:         {"extra_params": {text.Null}},
		`{"name": 5, "level": 500, "publish": 5, "ids": 5, "extra_params": {"open_id": null, "type": "cc"}}`: {
			"name": {jsonfields.NotString}, "level": {"Ensure this value is no more than 200."}, "publish": {jsonfields.NotBoolean},
			"ids": {jsonfields.NotList}, "extra_params.open_id": {text.Null},
			"extra_params.type": {"Ensure this field has no more than 1 characters."},
		},
	} {
		assert.Equal(t, wrong.Err(), transport.Fill(&sample{}, []byte(body)), body)
	}
}

func TestGEN_08_what_is_sent_is_what_is_read(t *testing.T) {
	var s sample
	require.NoError(t, transport.Fill(&s, []byte(`{"name": " Ada ", "age": "007", "level": 100, "publish": false, "password": " x ",
		"day": "2026-11-21", "tags": ["a"], "ids": [], "category": null, "extra_params": {"open_id": "o\u00e9"}, "note": "\\n"}`)))
	assert.Equal(t, []any{" Ada ", int64(7), 100, false, " x ", "2026-11-21", "oé", `\n`},
		[]any{*s.Name, *s.Age, *s.Level, *s.Publish, s.Password.Reveal(), s.Day.String(), *s.Extra.OpenID, s.Note})
	assert.Equal(t, []string{"a"}, s.Tags)
	assert.Equal(t, []int64{}, s.IDs)
	assert.Equal(t, transport.Nullable[int64]{Sent: true, Null: true}, s.Category)
	assert.Equal(t, transport.Nullable[string]{}, s.Inner)

	s = sample{}
	require.NoError(t, transport.Fill(&s, []byte(`{"name": "Ada", "category": 5, "inner": ""}`)))
	assert.Equal(t, transport.Nullable[int64]{Sent: true, Value: 5}, s.Category)
	assert.Equal(t, transport.Nullable[string]{Sent: true}, s.Inner)
	assert.True(t, s.Age == nil && s.Tags == nil && s.Extra == nil)
}

// FuzzGate asserts that no body causes a panic, that only objects of valid text are accepted, and that every refusal is a client error.
func FuzzGate(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[1]`, `{"name":"Ada","age":"5","tags":["a",null],"ids":[1,"2"],"category":null}`,
		`{"extra_params":{"open_id":"x","type":"a"},"day":"2026-11-21","password":"p","publish":true}`,
		`{"name":"\u0000","name":"\ud800","level":1e999,"extra_params":[]}`, "{\"a\":\"\xff\"}", strings.Repeat("[", 100),
		`{"":1,"ignored":"x","note":5,"inner":null}`, `1e999`, `{"name":"Ada"}{}`, `{'name':'Ada'}`, `-`, `{"name": "Ada"`, "\ufeff{}", `{"name":"Ada",}`,
		`{"age":01}`, `{"age":0x10}`, `{"age":+1}`, `{"age":Infinity}`, `{"name":"\u00"}`, `{"name":"\x41"}`, `{"name":"Ada"} // x`,
		`{"name":"Ada",,"age":5}`, `{,"name":"Ada"}`, `{"name":"Ada" "age":5}`,
		`{"name" "Ada"}`, `{"name"::"Ada"}`, `{"name":}`, `{5:"Ada"}`, `{"name":"Ada"]`, `{"name":"Ada"}}`, " {\n\t\"name\" :  \"Ada\" ,\r\n \"age\" :\t5 } \n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s sample
		if err := transport.Fill(&s, raw); err != nil {
			require.False(t, err == transport.ErrNotJSON && json.Valid(raw), "%q is JSON", raw)
			wrong, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, fault.Invalid, wrong.Kind)
			require.True(t, wrong.Text != "" || len(wrong.Fields) > 0)
			_, err := transport.Encode(transport.Refuse(err).Content)
			require.NoError(t, err)
			return
		}
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &object))
		require.Contains(t, object, "name")
		require.NotNil(t, s.Name)
		for _, kept := range append([]string{*s.Name, s.Note, s.Inner.Value}, s.Tags...) {
			require.True(t, utf8.ValidString(kept) && !strings.ContainsRune(kept, 0), "%q", kept)
		}
		require.Empty(t, s.ignored)
	})
}
