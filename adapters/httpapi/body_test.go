package httpapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/jsonfields"
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
	Day      *day                       `json:"day"`
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

func TestGEN_08_a_body_is_one_JSON_object(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"nothing":      {"", transport.ErrEmpty},
		"a list":       {`[{"name":"Ada"}]`, transport.ErrNotObject},
		"null":         {` null`, transport.ErrNotObject},
		"broken UTF-8": {"{\"name\":\"\xff\"}", transport.ErrNotUTF8},
		"depth":        {`{"x":` + strings.Repeat("[", transport.MaxBody) + `}`, transport.ErrNotJSON},
		"whole depth":  {`{"name":"Ada","x":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`, transport.ErrNotJSON},
		"hidden depth": {`{"x":"\"` + strings.Repeat("[", 99_999) + `","name":"Ada"}`, nil},
		"enough depth": {`{"name":"Ada","x":` + strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999) + `}`, nil},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, transport.Fill(&sample{}, []byte(c.body))) })
	}
}

func TestGEN_08_all_wrong_fields_are_named_together(t *testing.T) {
	const atMost200, atMost1 = "Ensure this value is no more than 200.", "Ensure this field has no more than 1 characters."
	for _, c := range []struct {
		body  string
		wrong fault.Fields
	}{
		{`{}`, fault.Fields{"name": {text.Required}}},
		{`{"name": null}`, fault.Fields{"name": {text.Null}}},
		{`{"name": " \u00a0"}`, fault.Fields{"name": {text.Blank}}},
		{`{"name": "\ud800"}`, fault.Fields{"name": {jsonfields.NotUTF8}}},
		{`{"name": "\ud83d\ude42\ufffd\\ud800 \u00e9"}`, nil},
		{`{"name": "Ada", "id": 7, "is_staff": true, "ignored": "x", "": "y"}`, nil},
		{`{"name": "Ada", "age": 151}`, fault.Fields{"age": {"Ensure this value is no more than 150."}}},
		{`{"name": "Ada", "day": "2026-02-30"}`, fault.Fields{"day": {errNoDay.Text}}},
		{`{"name": "Ada", "day": "2026-2-3"}`, fault.Fields{"day": {errBadDate.Text}}},
		{`{"name": "Ada", "tags": ["a", " ", ""]}`, fault.Fields{"tags": {text.Blank}}},
		{`{"name": "Ada", "tags": ["a", "b", "c", "d"]}`, fault.Fields{"tags": {"Ensure this field has no more than 3 elements."}}},
		{`{"name": "Ada", "ids": [1, "2", "x", "y"]}`, fault.Fields{"ids": {jsonfields.NotInteger}}},
		{`{"name": "Ada", "extra_params": {"open_id": 5, "type": "cc"}}`,
			fault.Fields{"extra_params.open_id": {jsonfields.NotString}, "extra_params.type": {atMost1}}},
		{`{"name": "Ada", "extra_params": null}`, fault.Fields{"extra_params": {text.Null}}},
		{`{"name": 5, "level": 500, "publish": 5, "ids": 5, "extra_params": {"open_id": null}}`, fault.Fields{
			"name": {jsonfields.NotString}, "level": {atMost200}, "publish": {jsonfields.NotBoolean}, "ids": {jsonfields.NotList},
			"extra_params.open_id": {text.Null},
		}},
	} {
		assert.Equal(t, c.wrong.Err(), transport.Fill(&sample{}, []byte(c.body)), c.body)
	}
	wrong, _ := fault.As(transport.Fill(&sample{}, []byte(`{"name": "Ada", "extra_params": []}`)))
	require.NotNil(t, wrong)
	assert.Equal(t, []string{jsonfields.NotObject}, wrong.Fields["extra_params"])
}

func TestGEN_08_what_is_sent_is_what_is_read(t *testing.T) {
	var s sample
	require.NoError(t, transport.Fill(&s, []byte(`{"name": " Ada ", "age": "007", "level": 100, "publish": false, "password": " x ",
		"day": "2026-11-21", "tags": ["a"], "ids": [], "category": null, "extra_params": {"open_id": "o\u00e9"}, "note": "\\n"}`)))
	assert.Equal(t, " Ada ", *s.Name)
	assert.EqualValues(t, 7, *s.Age)
	assert.Equal(t, 100, *s.Level)
	assert.False(t, *s.Publish)
	assert.Equal(t, " x ", s.Password.Reveal())
	assert.Equal(t, "2026-11-21", s.Day.String())
	assert.Equal(t, []string{"a"}, s.Tags)
	assert.Equal(t, []int64{}, s.IDs)
	assert.Equal(t, transport.Nullable[int64]{Sent: true, Null: true}, s.Category)
	assert.Equal(t, transport.Nullable[string]{}, s.Inner)
	assert.Equal(t, "oé", *s.Extra.OpenID)
	assert.Equal(t, `\n`, s.Note)

	s = sample{}
	require.NoError(t, transport.Fill(&s, []byte(`{"name": "Ada", "category": 5, "inner": ""}`)))
	assert.Equal(t, transport.Nullable[int64]{Sent: true, Value: 5}, s.Category)
	assert.Equal(t, transport.Nullable[string]{Sent: true}, s.Inner)
	assert.Nil(t, s.Age)
	assert.Nil(t, s.Tags)
	assert.Nil(t, s.Extra)
}

func TestGEN_11_types_and_codings_of_a_body(t *testing.T) {
	for header, want := range map[string]error{
		"":                           nil,
		"Content-Encoding: identity": nil,
		"Content-Encoding: gzip":     transport.ErrEncoded,
		"Content-Type: ;":            transport.ErrNotJSONType,
	} {
		name, value, _ := strings.Cut(header, ": ")
		r := newRequest(http.MethodPost, "/", name, value)
		_, err := transport.ReadBody(httptest.NewRecorder(), r, transport.MaxBody)
		assert.Equal(t, want, err, header)
	}
}

func TestGEN_11_a_body_that_breaks_off_is_the_clients_fault(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(`{"name`), brokenReader{}))
	_, err := transport.ReadBody(httptest.NewRecorder(), r, transport.MaxBody)
	assert.Equal(t, transport.ErrCutOff, err)
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// FuzzGate asserts that no body causes a panic, that only objects of valid text are
// accepted, and that every refusal is a client error.
func FuzzGate(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[1]`, `{"name":"Ada","age":"5","tags":["a",null],"ids":[1,"2"],"category":null}`,
		`{"extra_params":{"open_id":"x","type":"a"},"day":"2026-11-21","password":"p","publish":true}`,
		`{"name":"\u0000","name":"\ud800","level":1e999,"extra_params":[]}`, "{\"a\":\"\xff\"}", strings.Repeat("[", 100),
		`{"":1,"ignored":"x","note":5,"inner":null}`, `1e999`, `{"name":"Ada"}{}`, `{'name':'Ada'}`, `-`, `{"name": "Ada"`, "\ufeff{}", `{"name":"Ada",}`,
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
