package jsonlines_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/domain/fault"
	"plaza/domain/imported"
)

// written is a file with that content.
func written(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// appended adds to the end of the file.
func appended(t *testing.T, path, more string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(more)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// zipped returns a gzip with a member for each part.
func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, part)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	return b.Bytes()
}

func opened(t testing.TB, path string) imported.File {
	t.Helper()
	f, err := jsonlines.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f
}

// rest reads to the end and returns the lines and the error there.
func rest(t testing.TB, f imported.File) (lines []imported.RawLine, end error) {
	t.Helper()
	for {
		line, err := f.Next(t.Context())
		if err != nil {
			_, again := f.Next(t.Context())
			assert.Equal(t, err, again, "the end stays the end")
			return lines, err
		}
		lines = append(lines, line)
	}
}

// texts are what the lines say.
func texts(lines []imported.RawLine) []string {
	all := []string{}
	for _, line := range lines {
		all = append(all, string(line.Raw))
	}
	return all
}

// everywhere runs the test on a plain file, on a gzip of several members, and on the
// standard input.
func everywhere(t *testing.T, content string, test func(t *testing.T, f imported.File)) {
	t.Run("plain", func(t *testing.T) { test(t, opened(t, written(t, "a.jsonl", []byte(content)))) })
	half := len(content) / 2
	t.Run("gzip", func(t *testing.T) {
		test(t, opened(t, written(t, "a.jsonl", zipped(t, content[:half], "", content[half:]))))
	})
	t.Run("standard input", func(t *testing.T) { test(t, jsonlines.Standard(strings.NewReader(content), "")) })
	t.Run("gzip on the standard input", func(t *testing.T) {
		test(t, jsonlines.Standard(bytes.NewReader(zipped(t, content)), ""))
	})
}

func TestADM04_lines_are_numbered_as_they_stand_in_the_file(t *testing.T) {
	everywhere(t, "\ufeff{1}\r\n\n \t\u3000\r\n{2\r}\n{3}", func(t *testing.T, f imported.File) {
		lines, end := rest(t, f)
		assert.Equal(t, io.EOF, end)
		assert.Equal(t, []imported.RawLine{
			{Number: 1, Raw: []byte("{1}"), Offset: 3, Length: 3}, {Number: 4, Raw: []byte("{2\r}"), Offset: 16, Length: 4},
			{Number: 5, Raw: []byte("{3}"), Offset: 21, Length: 3},
		}, lines)
	})
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestADM04_a_line_of_any_length_is_never_held_whole(t *testing.T) {
	f := jsonlines.Standard(io.MultiReader(io.LimitReader(endless{}, 64<<20), strings.NewReader("\n{}")), "")
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	before := allocated()
	lines, err := rest(t, f)
	assert.Equal(t, io.EOF, err)
	require.Len(t, lines, 2)
	assert.EqualValues(t, 64<<20, lines[0].Length)
	assert.Less(t, allocated()-before, uint64(40<<20))
}

// several is a file of lines of many lengths, some of them blank.
func several(n int) string {
	var b strings.Builder
	b.WriteString("\ufeff")
	for i := range n {
		fmt.Fprintf(&b, "{\"n\":%d,\"x\":%q}\r\n", i, strings.Repeat("y", i*i%977))
		if i%5 == 0 {
			b.WriteString("  \n")
		}
	}
	b.WriteString("{\"last\":true}")
	return b.String()
}

func TestADM04_going_on_equals_reading_on(t *testing.T) {
	for _, c := range []struct{ lines, step int }{{60, 1}, {2500, 251}} {
		everywhere(t, several(c.lines), func(t *testing.T, f imported.File) {
			_, err := f.Next(t.Context())
			require.NoError(t, err)
			require.NoError(t, f.Begin(t.Context(), 0))
			all, _ := rest(t, f)
			require.Len(t, all, c.lines+1)
			for i := 0; i < len(all); i += c.step {
				require.NoError(t, f.Begin(t.Context(), all[i].Number))
				lines, end := rest(t, f)
				assert.Equal(t, io.EOF, end)
				assert.Equal(t, texts(all[i+1:]), texts(lines))
			}
		})
	}
}

func TestADM04_a_file_that_has_changed_is_another(t *testing.T) {
	path := written(t, "a.jsonl", []byte("{1}\n"))
	f := opened(t, path)
	assert.Equal(t, f.Version(), opened(t, path).Version())
	appended(t, path, "{2}\n")
	longer := opened(t, path).Version()
	assert.NotEqual(t, f.Version(), longer)
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(0, 0)))
	assert.NotEqual(t, longer, opened(t, path).Version())
	lines, _ := rest(t, f)
	assert.Equal(t, []string{"{1}"}, texts(lines), "what is appended while a file is read is not read")

	input := func() imported.File { return jsonlines.Standard(strings.NewReader("{}"), "") }
	assert.NotEqual(t, input().Version(), input().Version(), "the standard input is never the same")
}

func TestADM04_a_file_is_known_by_its_own_name(t *testing.T) {
	path := written(t, "a.jsonl", zipped(t, "{1}\n"))
	real, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	require.NoError(t, os.Symlink(path, link))
	t.Chdir(filepath.Dir(link))
	for _, name := range []string{path, link, "link.jsonl", "./link.jsonl"} {
		assert.Equal(t, real, opened(t, name).Name())
	}
	assert.Empty(t, jsonlines.Standard(strings.NewReader(""), ".").Name())
}

func TestADM04_what_is_no_file_is_said_at_once(t *testing.T) {
	folder := t.TempDir()
	pipe, loop := fifo(t, folder), filepath.Join(folder, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	for path, kind := range map[string]fault.Kind{
		filepath.Join(folder, "none"): fault.NotFound, filepath.Join(folder, "none", "a"): fault.NotFound,
		folder: fault.Invalid, pipe: fault.Invalid, os.DevNull: fault.Invalid,
	} {
		_, err := jsonlines.Open(path)
		assert.Equal(t, kind, fault.KindOf(err), "%s: %v", path, err)
		assert.Equal(t, kind == fault.NotFound, errors.Is(err, imported.ErrNoFile), path)
		assert.ErrorContains(t, err, path)
	}
	_, err := jsonlines.Open(loop)
	assert.Error(t, err)
}

func TestADM04_reading_ends_with_the_context(t *testing.T) {
	for _, content := range []string{"{1}\n{2}\n", strings.Repeat("x", 3*jsonlines.MaxLine)} {
		ctx, cancel := context.WithCancel(t.Context())
		f := opened(t, written(t, "a.jsonl", []byte(content)))
		cancel()
		_, err := f.Next(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.NotErrorIs(t, err, imported.ErrDamaged)
		assert.ErrorIs(t, f.Begin(ctx, 1), context.Canceled)
		require.NoError(t, f.Begin(t.Context(), 0))
		line, err := f.Next(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 1, line.Number)
	}
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
			assert.Equal(t, all[:len(lines)], texts(lines), "%d bytes", n)
			most = max(most, len(lines))
			assert.ErrorIs(t, end, imported.ErrDamaged, "%d bytes", n)
			assert.ErrorContains(t, end, "the gzip is truncated, after line")
		}
		assert.Equal(t, 4, most)
	}
}

func TestADM04_a_gzip_that_is_broken_is_damaged(t *testing.T) {
	whole := zipped(t, strings.Repeat("{\"kind\":\"bundle\",\"id\":1}\n", 50))
	checksum := len(whole) - 8
	for name, content := range map[string][]byte{
		"a wrong checksum": append(append(bytes.Clone(whole[:checksum]), 1, 2, 3, 4), whole[checksum+4:]...),
		"a wrong method":   append([]byte{0x1f, 0x8b, 7}, whole[3:]...),
		"something behind": append(bytes.Clone(whole), "{}\n and more than a header has"...),
		"no deflate":       append(bytes.Clone(whole[:10]), strings.Repeat("\xff", 30)...),
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
	content := strings.Repeat(strings.Repeat("x", 1000)+"\n", 2000)
	for _, left := range []int64{0, 300_000, int64(len(content)) - 1} {
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

	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	_, err := jsonlines.Standard(strings.NewReader("{}\n"), "").Next(t.Context())
	require.ErrorContains(t, err, "TMPDIR")
	assert.NotErrorIs(t, err, imported.ErrDamaged, "an input that can't be kept")
}
