package jsonlines_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/domain/imported"
)

// texts are what the lines say.
func texts(lines []imported.RawLine) []string {
	var all []string
	for _, line := range lines {
		all = append(all, string(line.Raw))
	}
	return all
}

func TestADM04_of_a_gzip_that_is_cut_off_the_whole_lines_are_good(t *testing.T) {
	all := []string{`{"a":1}`, `{"bb":22}`, `{"ccc":333}`, `{"d":4}`, `{"no":"end"}`}
	text := strings.Join(all, "\n")
	for _, parts := range [][]string{{text}, {text[:30], text[30:]}} {
		content := zipped(t, parts...)
		most := 0
		for n := 1; n < len(content); n++ {
			if n == len(zipped(t, parts[0])) {
				continue // a complete gzip: missing members can't be detected
			}
			lines, end := rest(t, opened(t, written(t, "a.jsonl.gz", content[:n])))
			require.LessOrEqual(t, len(lines), 4, "the last has no end")
			assert.Equal(t, append([]string{}, all[:len(lines)]...), append([]string{}, texts(lines)...), "%d bytes", n)
			most = max(most, len(lines))
			assert.ErrorIs(t, end, imported.ErrDamaged, "%d bytes", n)
			assert.ErrorContains(t, end, "the gzip is truncated, after line")
		}
		assert.Equal(t, 4, most)
	}
}

func TestADM04_a_gzip_that_is_broken_is_damaged(t *testing.T) {
	text := strings.Repeat("{\"kind\":\"bundle\",\"id\":1}\n", 50)
	whole := zipped(t, text)
	for name, content := range map[string][]byte{
		"a wrong checksum": append(append([]byte{}, whole[:len(whole)-8]...), 1, 2, 3, 4, whole[len(whole)-4], whole[len(whole)-3],
			whole[len(whole)-2], whole[len(whole)-1]),
		"a wrong method":   append([]byte{0x1f, 0x8b, 7}, whole[3:]...),
		"something behind": append(append([]byte{}, whole...), "{}\n and more than a header has"...),
		"no deflate":       append(append([]byte{}, whole[:10]...), strings.Repeat("\xff", 30)...),
	} {
		lines, end := rest(t, opened(t, written(t, "a.jsonl", content)))
		assert.ErrorIs(t, end, imported.ErrDamaged, name)
		assert.ErrorContains(t, end, "the gzip is corrupt", name)
		for _, line := range lines {
			assert.Equal(t, `{"kind":"bundle","id":1}`, string(line.Raw), name)
		}
	}
}

func TestADM04_a_file_that_shrinks_is_damaged(t *testing.T) {
	line := strings.Repeat("x", 1000) + "\n"
	content := strings.Repeat(line, 2000)
	for _, left := range []int64{0, 500, 300_000, 1_000_000, int64(len(content)) - 1} {
		path := written(t, "a.jsonl", []byte(content))
		f := opened(t, path)
		_, err := f.Next(t.Context())
		require.NoError(t, err)
		require.NoError(t, os.Truncate(path, left))
		lines, end := rest(t, f)
		assert.ErrorIs(t, end, imported.ErrDamaged)
		assert.ErrorContains(t, end, "the file shrank while it was read, after line")
		for _, got := range lines {
			assert.Len(t, got.Raw, 1000)
		}
	}
}

func TestADM04_what_can_not_be_read_on_is_damaged(t *testing.T) {
	broken := errors.New("the cable is out")
	f := jsonlines.Standard(io.MultiReader(strings.NewReader("{1}\n{2}\n{3"), iotest.ErrReader(broken)), "")
	lines, end := rest(t, f)
	assert.Equal(t, []string{"{1}", "{2}"}, texts(lines))
	assert.ErrorIs(t, end, imported.ErrDamaged)
	assert.ErrorIs(t, end, broken)
	assert.ErrorContains(t, end, "the file can't be read, after line 2")
}

func TestADM04_a_reader_that_gives_nothing_is_not_waited_for(t *testing.T) {
	_, end := rest(t, jsonlines.Standard(idle{}, ""))
	assert.ErrorIs(t, end, io.ErrNoProgress)
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestAn_input_that_can_not_be_kept_is_not_damaged(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	_, err := jsonlines.Standard(strings.NewReader("{}\n"), "").Next(t.Context())
	require.ErrorContains(t, err, "TMPDIR")
	assert.NotErrorIs(t, err, imported.ErrDamaged)
}
