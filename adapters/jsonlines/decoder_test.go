package jsonlines_test

import (
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

func day(t testing.TB, s string) calendar.Date {
	t.Helper()
	d, err := calendar.ParseDate(s)
	require.NoError(t, err)
	return d
}

// full has a line of each kind with all of its fields, and its draft.
func full(t testing.TB) map[string]imported.Draft {
	cover := &imported.CoverDraft{File: "c/a.jpg"}
	elsewhere := &imported.CoverDraft{URL: "https://pictures.example/a", Width: 3, Height: 4}
	content := func(cover *imported.CoverDraft) imported.ContentDraft {
		return imported.ContentDraft{
			Title: "t", Summary: "s", Cover: cover, Author: "u", Language: "en", Category: 2, Deleted: true, Created: at(8), Updated: at(9),
		}
	}
	return map[string]imported.Draft{
		`{"kind":"user","id":"u","username":"+86-13800000001","firstname":"a","lastname":"b","expertise":"c","location":"d","timezone":"UTC","joined":"2026-04-02T08:00:00Z"}`: imported.UserDraft{
			ID: "u", Username: "+86-13800000001", Firstname: "a", Lastname: "b", Expertise: "c", Location: "d", Timezone: "UTC", Joined: at(8),
		},
		`{"kind":"category","id":2,"parent":1,"name":"n","slug":"s"}`: imported.CategoryDraft{ID: 2, Parent: 1, Name: "n", Slug: "s"},
		`{"kind":"bundle","id":3,"first_original":1,"original":2}`:    imported.BundleDraft{ID: 3, FirstOriginal: 1, Original: 2},
		`{"kind":"publication","id":4,"bundle":3,"node":5,"type":100,"title":"t","summary":"s","cover":{"file":"c/a.jpg"},"author":"u","language":"en","category":2,"published":false,"deleted":true,"created":"2026-04-02T08:00:00Z","updated":"2026-04-02T09:00:00Z"}`: imported.PublicationDraft{
			ID: 4, Bundle: 3, Node: 5, Type: publication.MultiChapter, ContentDraft: content(cover),
		},
		`{"kind":"node","id":5,"bundle":3,"title":"t","summary":"s","cover":{"url":"https://pictures.example/a","width":3,"height":4},"author":"u","language":"en","category":2,"published":false,"deleted":true,"created":"2026-04-02T08:00:00Z","updated":"2026-04-02T09:00:00Z"}`: imported.NodeDraft{
			ID: 5, Bundle: 3, ContentDraft: content(elsewhere),
		},
		`{"kind":"demand","id":6,"title":"t","description":"d","tags":["a","b"],"cover":{"file":"c/a.jpg"},"images":["https://pictures.example/a"],"author":"u","address":"x","category":2,"lat":30.25,"lng":-120.5,"closed":"2026-04-02T09:00:00Z","start":"2026-04-02T10:00:00Z","end":"2026-04-02T11:00:00Z","published":false,"deleted":true,"created":"2026-04-02T08:00:00Z","updated":"2026-04-02T09:00:00Z"}`: imported.DemandDraft{
			ID: 6, Title: "t", Description: "d", Tags: []string{"a", "b"}, Cover: cover, Images: []string{"https://pictures.example/a"}, Author: "u",
			Address: "x", Category: 2,
			Lat: new(30.25), Lng: new(-120.5), Closed: at(9), Start: at(10), End: at(11), Deleted: true, Created: at(8), Updated: at(9),
		},
		`{"kind":"howto","category":"c","robot":"r","bundles":[3,4],"created":"2026-04-02T08:00:00Z","updated":"2026-04-02T09:00:00Z"}`: imported.HowToDraft{
			Category: "c", Robot: "r", Bundles: []publication.BundleID{3, 4}, Created: at(8), Updated: at(9),
		},
		`{"kind":"news","id":"n","site_name":"s","site_logo":"l","url":"u","title":"t","released":"2026-04-02","html":"<p>\"","category":"c","city":"d","district":"e","province":"f","country":"g"}`: imported.NewsDraft{
			ID: "n", SiteName: "s", SiteLogo: "l", URL: "u", Title: "t", Released: day(t, "2026-04-02"), HTML: `<p>"`, Category: "c", City: "d", District: "e", Province: "f", Country: "g",
		},
	}
}

func TestADM04_every_kind_is_read_and_written(t *testing.T) {
	require.Len(t, full(t), len(imported.Kinds()))
	for line, draft := range full(t) {
		assert.Equal(t, draft, decoded(t, line))
		again, err := drafts.Encode(draft)
		require.NoError(t, err)
		assert.Equal(t, line, string(again))
	}
}

func TestADM04_what_is_absent_or_null_has_its_usual_meaning(t *testing.T) {
	usual := imported.ContentDraft{Published: true}
	for kind, empty := range map[string]imported.Draft{
		"user": imported.UserDraft{}, "category": imported.CategoryDraft{}, "bundle": imported.BundleDraft{},
		"publication": imported.PublicationDraft{ContentDraft: usual},
		"node":        imported.NodeDraft{ContentDraft: usual}, "demand": imported.DemandDraft{Published: true}, "howto": imported.HowToDraft{},
		"news": imported.NewsDraft{},
	} {
		assert.Equal(t, empty, decoded(t, fmt.Sprintf(`{"kind":%q}`, kind)))
		line, err := drafts.Encode(empty)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf(`{"kind":%q}`, kind), string(line))
		for full := range full(t) {
			if strings.HasPrefix(full, fmt.Sprintf(`{"kind":%q,`, kind)) {
				assert.Equal(t, empty, decoded(t, allNull(t, full)))
			}
		}
	}
	assert.Equal(t, imported.DemandDraft{Published: true, Tags: []string{}, Images: []string{}}, decoded(t, `{"kind":"demand","tags":[],"images":[ ]}`))
	assert.Equal(t, imported.NodeDraft{ContentDraft: imported.ContentDraft{Published: true, Cover: &imported.CoverDraft{}}}, decoded(t, `{"kind":"node","cover":{"file":null}}`))
}

// allNull returns the line with each field except its kind repeated as null.
func allNull(t testing.TB, line string) string {
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &fields))
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(line, "}"))
	for name := range fields {
		if name != "kind" {
			fmt.Fprintf(&b, `,%q:null`, name)
		}
	}
	return b.String() + "}"
}

func TestADM04_ids_may_be_texts_or_whole_numbers(t *testing.T) {
	assert.Equal(t, imported.UserDraft{ID: "12345678901234567890123"}, decoded(t, `{"kind":"user","id":12345678901234567890123}`))
	assert.Equal(t, imported.UserDraft{ID: "0"}, decoded(t, `{"kind":"user","id":0}`))
	assert.Equal(t, imported.UserDraft{ID: "-7"}, decoded(t, `{"kind":"user","id":-7}`))
	assert.Equal(t, imported.UserDraft{ID: "007"}, decoded(t, `{"kind":"user","id":"007"}`))
	assert.Equal(t, imported.NodeDraft{ContentDraft: imported.ContentDraft{Author: "7", Published: true}}, decoded(t, `{"kind":"node","author":7}`))
	assert.Equal(t, imported.HowToDraft{Robot: "7"}, decoded(t, `{"kind":"howto","robot":7}`))
	assert.Equal(t, imported.NewsDraft{ID: "7"}, decoded(t, `{"kind":"news","id":7}`))
	assert.Equal(t, imported.BundleDraft{ID: 9223372036854775807}, decoded(t, `{"kind":"bundle","id":9223372036854775807}`))
}

func TestADM04_texts_times_and_names_are_what_they_say(t *testing.T) {
	assert.Equal(t, imported.CategoryDraft{Name: "\"\\/\b\f\n\r\té😀~", Slug: "桂花😀"},
		decoded(t, ` { "k\u0069nd" : "cate\u0067ory" , "name":"\"\\\/\b\f\n\r\t\u00E9\uD83d\ude00~","slug":"桂花😀" } `))
	for text, want := range map[string]time.Time{
		"2026-04-02T16:00:00+08:00": at(8), "2026-04-02T08:00:00.000000001Z": at(8).Add(1), "2026-04-02T07:30:00-00:30": at(8),
		"2026-04-02T08:00:00+00:00": at(8),
	} {
		assert.Equal(t, imported.UserDraft{Joined: want}, decoded(t, fmt.Sprintf(`{"kind":"user","joined":%q}`, text)))
	}
	assert.Equal(t, imported.DemandDraft{Published: true, Lat: new(-3e1), Lng: new(0.0)}, decoded(t, `{"kind":"demand","lat":-3e1,"lng":0}`))
}

func TestADM04_of_a_field_that_comes_again_the_last_counts(t *testing.T) {
	assert.Equal(t, imported.BundleDraft{ID: 2}, decoded(t, `{"kind":"node","id":"x","kind":"bundle","id":1,"\u0069d":2,"original":3,"original":null}`))
	assert.Equal(t, imported.NodeDraft{ContentDraft: imported.ContentDraft{Published: true, Cover: &imported.CoverDraft{File: "b"}}}, decoded(t, `{"kind":"node","cover":7,"cover":{"file":1,"file":"b"}}`))
}

func TestADM04_what_is_wrong_is_said_of_each_field_at_once(t *testing.T) {
	const (
		number = jsonfields.NotInteger
		txt    = jsonfields.NotString
		ident  = "Enter a string or an integer."
		moment = "Enter a time with an offset, like 2026-11-21T08:30:00+08:00."
		day    = "Enter a date as YYYY-MM-DD."
		none   = jsonfields.Unknown
	)
	for line, want := range map[string]map[string]string{
		`{"kind":"user","id":1.5,"username":8613800000001,"firstname":["a"],"joined":1775116800,"uid":1,"ID":2}`: {
			"id": ident, "username": txt, "firstname": txt, "joined": moment, "uid": none, "ID": none},
		`{"kind":"user","joined":"2026-02-30T08:00:00Z"}`:                                          {"joined": moment},
		`{"kind":"category","id":"1","parent":1.0,"name":false,"slug":0}`:                          {"id": number, "parent": number, "name": txt, "slug": txt},
		`{"kind":"bundle","id":9223372036854775808,"original":1e2,"first_original":[1]}`:           {"id": number, "original": number, "first_original": number},
		`{"kind":"bundle","kind":"bundle","id":{"a":[1,{"b":null}]},"x":{"y":[]}}`:                 {"id": number, "x": none},
		`{"kind":"publication","type":"0","published":1,"deleted":"no","cover":"a.jpg"}`:           {"type": number, "published": jsonfields.NotBoolean, "deleted": jsonfields.NotBoolean, "cover": jsonfields.NotObject},
		`{"kind":"node","cover":{"file":1,"url":2,"width":"3","height":4.5,"kind":"x","depth":1}}`: {"cover.file": txt, "cover.url": txt, "cover.width": number, "cover.height": number, "cover.kind": none, "cover.depth": none},
		`{"kind":"demand","tags":"a","images":[1],"lat":"30","lng":1e999}`:                         {"tags": jsonfields.NotList, "images": txt, "lat": jsonfields.NotNumber, "lng": jsonfields.NotNumber},
		`{"kind":"demand","tags":[null],"lat":true,"bundle":1}`:                                    {"tags": text.Null, "lat": jsonfields.NotNumber, "bundle": none},
		`{"kind":"howto","bundles":["1"],"category":1}`:                                            {"bundles": number, "category": txt},
		`{"kind":"howto","bundles":[` + strings.Repeat("1,", 5000) + `1]}`:                         {"bundles": "Ensure this field has no more than 5000 elements."},
		`{"kind":"news","released":"2026-4-2","html":1}`:                                           {"released": day, "html": txt},
		`{"kind":"news","released":"2026-02-30"}`:                                                  {"released": day},
		`{"kind":"news","` + strings.Repeat("é", 5000) + `":1}`:                                    {strings.Repeat("é", 32) + "…": none},
		`{"kind":"news","title":"\ud800","city":"\u0000","\ud800x":1,"x":["\udc00"]}`: {
			"title": jsonfields.NotUTF8, "city": "Null characters are not allowed.", "\ufffdx": none, "x": none},
		`{"id":1}`:               {"kind": "Enter one of user, category, bundle, publication, node, demand, howto, news."},
		`{"kind":null}`:          {"kind": "Enter one of user, category, bundle, publication, node, demand, howto, news."},
		`{"kind":"event","x":1}`: {"kind": "Enter one of user, category, bundle, publication, node, demand, howto, news."},
	} {
		_, err := jsonlines.Decoder{}.Decode([]byte(line))
		got := map[string]string{}
		for name, sentences := range fault.FieldsOf(err) {
			got[name] = strings.Join(sentences, "|")
		}
		assert.Equal(t, want, got, "%.200s", line)
		assert.True(t, fault.Is(err, fault.Invalid), "%.200s", line)
	}
}

func TestADM04_beside_what_is_wrong_the_rest_is_a_draft(t *testing.T) {
	d, err := jsonlines.Decoder{}.Decode([]byte(`{"kind":"category","id":"1","name":" ","slug":"a"}`))
	require.Error(t, err)
	assert.Equal(t, imported.CategoryDraft{Name: " ", Slug: "a"}, d)
}

func TestADM04_a_line_that_is_no_object_is_wrong_as_a_whole(t *testing.T) {
	deep := func(n int) string {
		return `{"kind":"user","x":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	for line, want := range map[string]string{
		"":                    "The line can't be read: unexpected EOF.",
		"\ufeff{}":            "The line can't be read: invalid character '\\ufeff' at start of value at byte 1.",
		"{":                   "The line can't be read: unexpected EOF at byte 2.",
		`{"kind":"user"`:      "The line can't be read: unexpected EOF at byte 15.",
		`{"kind":"user",}`:    "The line can't be read: invalid character ',' at start of value at byte 15.",
		`{"kind" "user"}`:     "The line can't be read: invalid character '\"' after object name (expecting ':') at byte 9.",
		`{"kind":"\x"}`:       "The line can't be read: invalid escape sequence `\\x` in string at byte 10.",
		`{"kind":"\u12g4"}`:   "The line can't be read: invalid escape sequence `\\u12g4` in string at byte 10.",
		`{"id":01}`:           "The line can't be read: invalid character '1' after object value (expecting ',' or '}') at byte 8.",
		`{"id":NaN}`:          "The line can't be read: invalid character 'N' at start of value at byte 7.",
		`{"a":[1,]}`:          "The line can't be read: invalid character ',' at start of value at byte 8.",
		`{"kind":"user"} {}`:  "The line can't be read: text after the value.",
		`[]`:                  "The line must be one JSON object.",
		`null`:                "The line must be one JSON object.",
		"{\"kind\":\"\xff\"}": "The line must be valid UTF-8.",
		deep(65):              "The line can't be read: objects and lists nested more than 64 levels deep.",
		"{" + strings.Repeat(`"a":1,`, 256) + `"kind":"user"}`: "The line can't be read: more than 256 fields.",
	} {
		d, err := jsonlines.Decoder{}.Decode([]byte(line))
		assert.Nil(t, d, "%.100q", line)
		f, is := fault.As(err)
		require.True(t, is, "%.100q: %v", line, err)
		assert.Equal(t, want, f.Text, "%.100q", line)
		assert.Equal(t, fault.Invalid, f.Kind)
	}
	_, err := jsonlines.Decoder{}.Decode([]byte(deep(64)))
	assert.Equal(t, fault.Fields{"x": {"Unknown field."}}, fault.FieldsOf(err))
}

func TestADM04_a_line_of_the_rejects_says_the_record_in_it(t *testing.T) {
	want := imported.BundleDraft{ID: 7}
	for _, line := range []string{
		`{"rejected":{"file":"a","line":1,"reason":"x"},"record":{"kind":"bundle","id":7}}`,
		`{"record":"{\"kind\":\"bundle\",\"id\":7}","rejected":null}`,
		`{"rejected":1,"record":" {\"kind\":\n\"bundle\",\"id\":7} "}`,
		`{"rejected":1,"bytes":"eyJraW5kIjoiYnVuZGxlIiwiaWQiOjd9"}`,
		`{"rejected":1,"record":null,"bytes":"eyJraW5kIjoiYnVuZGxlIiwiaWQiOjd9"}`,
		`{"rejected":1,"record":{"rejected":2,"record":{"kind":"bundle","id":7}}}`,
	} {
		assert.Equal(t, want, decoded(t, line))
	}
	for line, field := range map[string]string{
		`{"rejected":1}`: "record", `{"rejected":1,"record":null}`: "record", `{"rejected":1,"record":[]}`: "record", `{"rejected":1,"bytes":"?"}`: "bytes",
		`{"rejected":1,"bytes":7}`: "record", `{"rejected":1,"record":{}}`: "kind", `{"kind":"bundle","rejected":1,"record":{"kind":"bundle","id":7}}`: "rejected",
	} {
		_, err := jsonlines.Decoder{}.Decode([]byte(line))
		assert.NotEmpty(t, fault.FieldsOf(err)[field], "%s: %v", line, err)
	}
	_, err := jsonlines.Decoder{}.Decode([]byte(`{"rejected":1,"record":"{"}`))
	f, is := fault.As(err)
	require.True(t, is)
	assert.Equal(t, "The line can't be read: unexpected EOF at byte 2.", f.Text)
}
