package jsonlines_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

func TestADM04_rejects_are_beside_the_file(t *testing.T) {
	for path, want := range map[string]string{
		"a.jsonl": "a.rejects.jsonl", "a.jsonl.gz": "a.rejects.jsonl", "a.ndjson": "a.rejects.jsonl", "a.ndjson.gz": "a.rejects.jsonl",
		"/x/y.z/a.jsonl": "/x/y.z/a.rejects.jsonl", "a": "a.rejects.jsonl", "a.json": "a.json.rejects.jsonl", "a.gz": "a.gz.rejects.jsonl",
		"a.rejects.jsonl": "a.rejects.rejects.jsonl", "x/.jsonl": "x/.jsonl.rejects.jsonl", "a.jsonl/b": "a.jsonl/b.rejects.jsonl",
	} {
		assert.Equal(t, want, jsonlines.RejectsPath(path), path)
	}
}

func reject(number int64, raw string) imported.Reject {
	return imported.Reject{RawLine: imported.RawLine{Number: number, Raw: []byte(raw), Offset: 100 * number, Length: int64(len(raw))},
		Reason: "No good."}
}

// keeper opens rejects at the path and closes them after the test.
func keeper(t testing.TB, path string, length int64) imported.Rejects {
	t.Helper()
	r, err := jsonlines.OpenRejects(path, "a.jsonl", length)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	return r
}

func keep(t testing.TB, r imported.Rejects, lines ...imported.Reject) {
	t.Helper()
	require.NoError(t, r.Keep(lines))
}

func content(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestADM04_a_reject_says_what_where_and_why(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rejects.jsonl")
	r := keeper(t, path, 0)
	assert.Zero(t, r.Length())
	wrong := reject(7, `{"kind":"node", "title":"<b>","id":1.0 } `)
	wrong.Reason, wrong.Fields = "", fault.Fields{"title": {"One.", "Two."}, "id": {"Three."}}
	long := reject(9, `{"kind":"no`)
	long.TooLong, long.Length = true, 5_000_000
	keep(t, r, wrong, reject(8, `{"kind":"n`+"\u2028"), long)
	keep(t, r, reject(10, "{\xff"))
	want := `{"rejected":{"file":"a.jsonl","line":7,"fields":{"id":["Three."],"title":["One.","Two."]}},"record":{"kind":"node", "title":"<b>","id":1.0 }}
{"rejected":{"file":"a.jsonl","line":8,"reason":"No good."},"record":"{\"kind\":\"n\u2028"}
{"rejected":{"file":"a.jsonl","line":9,"reason":"No good.","offset":900,"length":5000000},"record":null}
{"rejected":{"file":"a.jsonl","line":10,"reason":"No good."},"bytes":"e/8="}
`
	assert.Equal(t, want, content(t, path))
	assert.EqualValues(t, len(want), r.Length())
}

// odd are lines of all sorts that may be rejected.
var odd = []string{
	`{"kind":"bundle","id":0}`, ` {"kind" : "bundle"}	`, `{"kind":"bundle"`, "\u3000{}", `"x"`, `[1]`, "{\r\"a\":1}", `{"a":"\ud800"}`, "{\xff}", "\x00", "null",
	`{"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `}`, `{"a":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}`,
	`{` + strings.Repeat(`"a":1,`, 300) + `"b":1}`, "{\"a\":\n1}", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, "{\"kind\":\"bundle\",\"x\":\"é桂😀\"}",
	`{"rejected":{"line":3},"record":null}`,
}

func TestADM04_what_was_rejected_reads_the_same_and_does_not_grow_however_often(t *testing.T) {
	var lines []imported.RawLine
	for i, raw := range odd {
		lines = append(lines, reject(int64(i+1), raw).RawLine)
	}
	before := ""
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "a.rejects.jsonl")
		r := keeper(t, path, 0)
		for _, line := range lines {
			keep(t, r, imported.Reject{RawLine: line, Reason: "No good."})
		}
		kept := content(t, path)
		if round > 0 {
			assert.Equal(t, before, kept)
		}
		before = kept
		lines, _ = rest(t, opened(t, path))
		require.Len(t, lines, len(odd))
		for i, line := range lines {
			assert.True(t, json.Valid(line.Raw), "%.100q", line.Raw)
			wantDraft, want := jsonlines.Decoder{}.Decode([]byte(odd[i]))
			gotDraft, got := jsonlines.Decoder{}.Decode(line.Raw)
			assert.Equal(t, wantDraft, gotDraft, "%.100q", odd[i])
			assert.Equal(t, want, got, "%.100q", odd[i])
		}
	}
}

func TestADM04_no_reject_is_longer_than_a_line_may_be(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rejects.jsonl")
	r := keeper(t, path, 0)
	object := `{"a":"` + strings.Repeat("x", jsonlines.MaxLine-8) + `"}`
	require.Len(t, object, jsonlines.MaxLine)
	wide := reject(2, strings.Repeat("\x01", jsonlines.MaxLine/2))
	wide.Offset, wide.Length = 0, 0 // as of a line that waited
	keep(t, r, reject(1, object), wide, reject(3, object[:jsonlines.MaxLine-200]))
	lines, _ := rest(t, opened(t, path))
	require.Len(t, lines, 3)
	assert.Equal(t, `{"rejected":{"file":"a.jsonl","line":1,"reason":"No good.","offset":100,"length":4194304},"record":null}`, string(lines[0].Raw))
	assert.Equal(t, `{"rejected":{"file":"a.jsonl","line":2,"reason":"No good.","offset":0,"length":2097152},"record":null}`, string(lines[1].Raw))
	assert.False(t, lines[2].TooLong)
	assert.Greater(t, len(lines[2].Raw), jsonlines.MaxLine-200)
}

func TestADM04_earlier_rejects_are_moved_aside(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.rejects.jsonl")
	for i, name := range []string{"a.rejects.jsonl", "a.rejects.1.jsonl", "a.rejects.3.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte{byte('1' + i)}, 0o600))
	}
	r := keeper(t, path, 0)
	assert.Equal(t, "1", content(t, path), "there is nothing to keep yet")
	keep(t, r, reject(1, "{"))
	assert.Equal(t, "1", content(t, filepath.Join(folder, "a.rejects.2.jsonl")))
	assert.Equal(t, "2", content(t, filepath.Join(folder, "a.rejects.1.jsonl")))
	assert.Equal(t, "3", content(t, filepath.Join(folder, "a.rejects.3.jsonl")))
	assert.EqualValues(t, len(content(t, path)), r.Length())
	assert.NoFileExists(t, filepath.Join(folder, "a.rejects.4.jsonl"))

	empty := filepath.Join(folder, "b.rejects.jsonl")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	keep(t, keeper(t, empty, 0), reject(1, "{"))
	assert.NoFileExists(t, filepath.Join(folder, "b.rejects.1.jsonl"))
}

func TestADM04_going_on_forgets_what_was_kept_since(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rejects.jsonl")
	first := keeper(t, path, 0)
	keep(t, first, reject(1, "{"))
	length, good := first.Length(), content(t, path)
	keep(t, first, reject(2, "{"), reject(3, "{"))
	again := keeper(t, path, length)
	assert.Equal(t, good, content(t, path))
	assert.Equal(t, length, again.Length())
	keep(t, again, reject(4, "{"))
	assert.Equal(t, good+strings.ReplaceAll(good, `"line":1`, `"line":4`), content(t, path))
	assert.EqualValues(t, len(content(t, path)), again.Length())
}

func TestADM04_rejects_that_are_others_are_not_gone_on_with(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.rejects.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{}\n{}\n"), 0o600))
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink(path, link))
	for _, c := range []struct {
		path   string
		length int64
		says   string
	}{
		{path, 7, "fewer than the 7"}, {path, 2, "no line ends at byte 2"}, {filepath.Join(folder, "none"), 3, "is missing"},
		{link, 3, "not a regular file"}, {link, 0, "not a regular file"}, {folder, 0, "not a regular file"},
		{fifo(t, folder), 0, "not a regular file"},
		{path, -1, "negative length"},
	} {
		_, err := jsonlines.OpenRejects(c.path, "a", c.length)
		assert.ErrorContains(t, err, c.says, c.path)
	}
	assert.Equal(t, "{}\n{}\n", content(t, path))
}

func TestADM04_what_does_not_fit_on_the_disk_leaves_what_did(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rejects.jsonl")
	r := keeper(t, path, 0)
	keep(t, r, reject(1, "{"))
	before := content(t, path)
	withLittleRoom(t, int64(len(before))+300_000, func() {
		err := r.Keep([]imported.Reject{reject(2, "{"), reject(3, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`)})
		assert.ErrorContains(t, err, path)
	})
	assert.Equal(t, before, content(t, path))
	assert.EqualValues(t, len(before), r.Length())
	keep(t, r, reject(4, "{"))
	assert.Equal(t, 2, bytes.Count([]byte(content(t, path)), []byte("\n")))
}
