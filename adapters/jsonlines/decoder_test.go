package jsonlines_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonfields"
	"plaza/adapters/jsonlines"
	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/text"
	"plaza/test/drafts"
)

func decoded(t testing.TB, line string) imported.Draft {
	t.Helper()
	d, err := jsonlines.Decoder{}.Decode([]byte(line))
	require.NoError(t, err, line)
	return d
}

// at is an hour of a day that many lines have.
func at(hour int) time.Time { return time.Date(2026, 4, 2, hour, 0, 0, 0, time.UTC) }

// examples has the line of the example in the schema of each kind.
func examples(t testing.TB) map[imported.Kind]string {
	t.Helper()
	all := map[imported.Kind]string{}
	for _, kind := range imported.Kinds() {
		var schema struct{ Examples []json.RawMessage }
		require.NoError(t, json.Unmarshal(jsonlines.Schema(kind), &schema))
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, schema.Examples[0]))
		all[kind] = line.String()
	}
	return all
}

func TestADM04_every_field_is_read(t *testing.T) {
	for line, want := range map[string]imported.Draft{
		`{"kind":"publication","id":4,"bundle":3,"node":5,"type":100,"title":"t","summary":"s","html":"<p>\"","cover":{"file":"c/a.jpg"},` +
			`"author":"u","language":"en","category":2,"published":false,"deleted":true,"created":"2026-04-02T08:00:00Z","updated":"2026-04-02T09:00:00Z"}`: imported.PublicationDraft{
			ID: 4, Bundle: 3, Node: 5, Type: publication.MultiChapter, ContentDraft: imported.ContentDraft{
				Title: "t", Summary: "s", HTML: `<p>"`, Cover: &imported.CoverDraft{File: "c/a.jpg"}, Author: "u", Language: "en", Category: 2,
				Deleted: true, Created: at(8), Updated: at(9),
			},
		},
		`{"kind":"demand","id":6,"tags":["a","b"],"cover":{"url":"https://pictures.example/a","width":3,"height":4},"lat":30.25,"lng":-120.5,"end":"2026-04-02T11:00:00Z"}`: imported.DemandDraft{
			ID: 6, Tags: []string{"a", "b"}, Cover: &imported.CoverDraft{URL: "https://pictures.example/a", Width: 3, Height: 4},
			Lat: new(30.25), Lng: new(-120.5), End: at(11), Published: true,
		},
		`{"kind":"howto","category":"c","robot":"r","bundles":[3,4]}`: imported.HowToDraft{Category: "c", Robot: "r", Bundles: []publication.BundleID{3, 4}},
		`{"kind":"news","id":"n","site_name":"s","released":"2026-04-02"}`: imported.NewsDraft{
			ID: "n", SiteName: "s", Released: calendar.DateOf(at(0)),
		},
	} {
		assert.Equal(t, want, decoded(t, line))
		again, err := drafts.Encode(want)
		require.NoError(t, err)
		assert.Equal(t, line, string(again))
	}
}

func TestADM04_what_is_absent_or_null_has_its_usual_meaning(t *testing.T) {
	usual := imported.ContentDraft{Published: true}
	absent := map[imported.Kind]imported.Draft{
		imported.User: imported.UserDraft{}, imported.Category: imported.CategoryDraft{}, imported.Bundle: imported.BundleDraft{},
		imported.Publication: imported.PublicationDraft{ContentDraft: usual}, imported.Node: imported.NodeDraft{ContentDraft: usual},
		imported.Demand: imported.DemandDraft{Published: true}, imported.HowTo: imported.HowToDraft{}, imported.News: imported.NewsDraft{},
	}
	for kind, line := range examples(t) {
		assert.Equal(t, absent[kind], decoded(t, fmt.Sprintf(`{"kind":%q}`, kind)))
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields))
		line = strings.TrimSuffix(line, "}")
		for name := range fields {
			if name != "kind" {
				line += fmt.Sprintf(`,%q:null`, name)
			}
		}
		assert.Equal(t, absent[kind], decoded(t, line+"}"))
	}
	assert.Equal(t, imported.DemandDraft{Published: true, Tags: []string{}, Images: []string{}}, decoded(t, `{"kind":"demand","tags":[],"images":[ ]}`))
}

func TestADM04_ids_may_be_texts_or_whole_numbers(t *testing.T) {
	for sent, id := range map[string]imported.SourceID{
		`12345678901234567890123`: "12345678901234567890123", `0`: "0", `-7`: "-7", `"007"`: "007",
	} {
		assert.Equal(t, imported.UserDraft{ID: id}, decoded(t, `{"kind":"user","id":`+sent+`}`))
	}
	assert.Equal(t, imported.BundleDraft{ID: 9223372036854775807}, decoded(t, `{"kind":"bundle","id":9223372036854775807}`))
}

func TestADM04_texts_times_and_names_are_what_they_say(t *testing.T) {
	assert.Equal(t, imported.CategoryDraft{Name: "\"\\/\b\f\n\r\té😀~", Slug: "桂花😀"},
		decoded(t, ` { "k\u0069nd" : "cate\u0067ory" , "name":"\"\\\/\b\f\n\r\t\u00E9\uD83d\ude00~","slug":"桂花😀" } `))
	for text, want := range map[string]time.Time{
		"2026-04-02T16:00:00+08:00": at(8), "2026-04-02T08:00:00.000000001Z": at(8).Add(1), "2026-04-02T07:30:00-00:30": at(8),
	} {
		assert.Equal(t, imported.UserDraft{Joined: want}, decoded(t, fmt.Sprintf(`{"kind":"user","joined":%q}`, text)))
	}
	assert.Equal(t, imported.BundleDraft{ID: 2}, decoded(t, `{"kind":"node","id":"x","kind":"bundle","id":1,"\u0069d":2,"original":3,"original":null}`),
		"of a field that comes again the last counts")
}

func TestADM04_what_is_wrong_is_said_of_each_field_at_once(t *testing.T) {
	const (
		ident  = "Enter a string or an integer."
		moment = "Enter a time with an offset, like 2026-11-21T08:30:00+08:00."
		day    = "Enter a date as YYYY-MM-DD."
		kinds  = "Enter one of user, category, bundle, publication, node, demand, howto, news."
	)
	for line, want := range map[string]map[string]string{
		`{"kind":"user","id":1.5,"username":8613800000001,"joined":1775116800,"uid":1,"ID":2}`: {
			"id": ident, "username": jsonfields.NotString, "joined": moment, "uid": jsonfields.Unknown, "ID": jsonfields.Unknown},
		`{"kind":"user","joined":"2026-02-30T08:00:00Z"}`:                                {"joined": moment},
		`{"kind":"bundle","id":"1","original":9223372036854775808,"first_original":1.0}`: {"id": jsonfields.NotInteger, "original": jsonfields.NotInteger, "first_original": jsonfields.NotInteger},
		`{"kind":"node","cover":{"file":1,"kind":"x"}}`:                                  {"cover.file": jsonfields.NotString, "cover.kind": jsonfields.Unknown},
		`{"kind":"demand","tags":[null],"images":"a","lat":"30","lng":1e999}`:            {"tags": text.Null, "images": jsonfields.NotList, "lat": jsonfields.NotNumber, "lng": jsonfields.NotNumber},
		`{"kind":"howto","bundles":[` + strings.Repeat("1,", 5000) + `1]}`:               {"bundles": "Ensure this field has no more than 5000 elements."},
		`{"kind":"news","released":"2026-4-2","html":1}`:                                 {"released": day, "html": jsonfields.NotString},
		`{"kind":"news","` + strings.Repeat("é", 5000) + `":1}`:                          {strings.Repeat("é", 32) + "…": jsonfields.Unknown},
		`{"kind":"news","title":"\ud800","\ud800x":1}`:                                   {"title": jsonfields.NotUTF8, "\ufffdx": jsonfields.Unknown},
		`{"id":1}`:               {"kind": kinds},
		`{"kind":"event","x":1}`: {"kind": kinds},
	} {
		_, err := jsonlines.Decoder{}.Decode([]byte(line))
		got := map[string]string{}
		for name, sentences := range fault.FieldsOf(err) {
			got[name] = strings.Join(sentences, "|")
		}
		assert.Equal(t, want, got, "%.200s", line)
		assert.True(t, fault.Is(err, fault.Invalid), "%.200s", line)
	}
	d, err := jsonlines.Decoder{}.Decode([]byte(`{"kind":"category","id":"1","name":" ","slug":"a"}`))
	require.Error(t, err)
	assert.Equal(t, imported.CategoryDraft{Name: " ", Slug: "a"}, d, "the rest is a draft")
}

func TestADM04_a_line_that_is_no_object_is_wrong_as_a_whole(t *testing.T) {
	deep := func(n int) string {
		return `{"kind":"user","x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	for line, want := range map[string]string{
		"":                    "The line can't be read: unexpected EOF.",
		`{"kind":"user"`:      "The line can't be read: unexpected EOF at byte 15.",
		`{"kind":"user",}`:    "The line can't be read: invalid character ',' at start of value at byte 15.",
		`{"kind":"user"} {}`:  "The line can't be read: text after the value.",
		`[]`:                  "The line must be one JSON object.",
		"{\"kind\":\"\xff\"}": "The line must be valid UTF-8.",
		deep(65):              "The line can't be read: objects and lists nested more than 64 levels deep.",
		"{" + strings.Repeat(`"a":1,`, 256) + `"kind":"user"}`: "The line can't be read: more than 256 fields.",
	} {
		d, err := jsonlines.Decoder{}.Decode([]byte(line))
		assert.Nil(t, d, "%.100q", line)
		assert.Equal(t, fault.New(fault.Invalid, want), err, "%.100q", line)
	}
	_, err := jsonlines.Decoder{}.Decode([]byte(deep(64)))
	assert.Equal(t, fault.Fields{"x": {"Unknown field."}}, fault.FieldsOf(err))
}

func TestADM04_a_line_of_the_rejects_says_the_record_in_it(t *testing.T) {
	for _, line := range []string{
		`{"rejected":{"file":"a","line":1,"reason":"x"},"record":{"kind":"bundle","id":7}}`,
		`{"record":"{\"kind\":\"bundle\",\"id\":7}","rejected":null}`,
		`{"rejected":1,"record":null,"bytes":"eyJraW5kIjoiYnVuZGxlIiwiaWQiOjd9"}`,
		`{"rejected":1,"record":{"rejected":2,"record":{"kind":"bundle","id":7}}}`,
	} {
		assert.Equal(t, imported.BundleDraft{ID: 7}, decoded(t, line))
	}
	for line, field := range map[string]string{
		`{"rejected":1}`: "record", `{"rejected":1,"record":null}`: "record", `{"rejected":1,"record":[]}`: "record", `{"rejected":1,"bytes":"?"}`: "bytes",
		`{"rejected":1,"bytes":7}`: "record", `{"rejected":1,"record":{}}`: "kind", `{"kind":"bundle","rejected":1,"record":{"kind":"bundle","id":7}}`: "rejected",
	} {
		_, err := jsonlines.Decoder{}.Decode([]byte(line))
		assert.NotEmpty(t, fault.FieldsOf(err)[field], "%s: %v", line, err)
	}
}
