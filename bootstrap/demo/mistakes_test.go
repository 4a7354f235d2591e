package demo_test

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/demo"
)

// mistaken returns the demo's files. In each of those named, the first text is replaced by the second.
func mistaken(t *testing.T, mistakes map[string][2]string) fs.FS {
	t.Helper()
	files := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(demo.Embedded, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(demo.Embedded, name)
		if mistake, is := mistakes[name]; is {
			require.Equal(t, 1, bytes.Count(content, []byte(mistake[0])), "%s has %s", name, mistake[0])
			content = bytes.Replace(content, []byte(mistake[0]), []byte(mistake[1]), 1)
		}
		files[name] = &fstest.MapFile{Data: content}
		return err
	}))
	return files
}

func TestLoad_names_the_file_and_the_line_of_a_mistake(t *testing.T) {
	for _, c := range []struct{ file, from, to, want string }{
		{"records/people.jsonl", `"expertise":"Cerámica"`, `"hobby":"Cerámica"`,
			`records/people.jsonl:3: VALIDATION_EXCEPTION; hobby: Unknown field.`},
		{"records/people.jsonl", "2026-11-12T03:00", "2026-12-12T03:00", `records/people.jsonl:14: Rex has not joined yet`},
		{"records/categories.jsonl", `"id":110`, `"id":"kitchen"`, `records/categories.jsonl:2: VALIDATION_EXCEPTION; id: `},
		{"tables/events.jsonl", `"id": "taro", "by"`, `"id": "taro", "author"`, `tables/events.jsonl:2: json: unknown field "author"`},
		{"tables/events.jsonl", `"id": "taro"`, `"id": "rain"`, `tables/events.jsonl:3: another event has the id "rain"`},
		{"tables/events.jsonl", `"2026-10-03 18:40"`, `"2026-09-03 18:40"`, `tables/events.jsonl:2: Yu'an has not joined yet`},
		{"tables/follows.jsonl", `"by": "Camille", "at": "2026-10-02 09:00", "people": ["Inés"], "categories": ["kitchen"]`,
			`"by": "Camille", "at": "2026-10-02 09:00", "people": ["Ines"], "categories": ["cooking"]`,
			"tables/follows.jsonl:4: unknown person \"Ines\"\nunknown category \"cooking\""},
		{"tables/plates.jsonl", "shore-dawn-2.png", "coast.png",
			"tables/plates.jsonl:1: open pictures/coast.png: file does not exist"},
		{"tables/comments.jsonl", `"event": "hundred-days", "by": "Inés"`, `"event": "day-100", "by": "Inés"`,
			`tables/comments.jsonl:3: unknown event "day-100"`},
		{"tables/orders.jsonl", `"amount": 4990}`, `"amount": 4990}{}`, `tables/orders.jsonl:2: a line has one object`},
	} {
		w := emptyFixture()
		w.t = t
		err := demo.LoadFrom(t.Context(), w.ports, mistaken(t, map[string][2]string{c.file: {c.from, c.to}}))
		assert.ErrorContains(t, err, c.want)
		assert.Empty(t, w.accounts(), "%s: nothing is written", c.want)
	}
}

func TestLoad_names_all_mistakes_in_the_tables(t *testing.T) {
	mistakes := map[string][2]string{
		"tables/follows.jsonl": {`"books-and-words"]}` + "\n" + `{"by": "Yu'an"`, `"books"]}` + "\n" + `{"by": "Yuan"`},
		"tables/images.jsonl":  {"bars-moss-1.png", "fog.png"},
	}
	err := demo.LoadFrom(t.Context(), emptyFixture().ports, mistaken(t, mistakes))
	for _, want := range []string{"tables/follows.jsonl:6: ", "tables/follows.jsonl:7: ", "tables/images.jsonl:5: "} {
		assert.ErrorContains(t, err, want)
	}
}

// What only the import or a use case refuses is found when it runs.
func TestLoad_names_the_line_that_is_refused_later(t *testing.T) {
	for _, c := range []struct{ file, from, to, want string }{
		{"records/demands.jsonl", `"id":2,`, `"id":2,"price":7,`, "records/demands.jsonl:2: map[price:[Unknown field.]]"},
		{"tables/comments.jsonl", "本地人，恭喜。桂花糖分我一勺。", "", "tables/comments.jsonl:1: Gu Qing: "},
	} {
		err := demo.LoadFrom(t.Context(), emptyFixture().ports, mistaken(t, map[string][2]string{c.file: {c.from, c.to}}))
		assert.ErrorContains(t, err, c.want)
	}
}
