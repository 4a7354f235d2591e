package jsonlines_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
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

// written is a file with that content.
func written(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
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
		require.Len(t, lines, 3)
		for i, want := range []struct {
			number, offset, length int64
			text                   string
		}{{1, 3, 3, "{1}"}, {4, 16, 4, "{2\r}"}, {5, 21, 3, "{3}"}} {
			got := lines[i]
			assert.Equal(t, want.text, string(got.Raw))
			assert.Equal(t, []int64{want.number, want.offset, want.length}, []int64{got.Number, got.Offset, got.Length})
			assert.False(t, got.TooLong)
		}
	})
}

func TestADM04_lines_that_are_too_long_come_back_as_their_beginnings(t *testing.T) {
	const head = "{\"kind\":"
	long := head + strings.Repeat("x", jsonlines.MaxLine-len(head)+1)
	content := "{1}\n" + long + "\r\n{3}\n" + long
	everywhere(t, content, func(t *testing.T, f imported.File) {
		lines, err := rest(t, f)
		assert.Equal(t, io.EOF, err)
		require.Len(t, lines, 4)
		for i, at := range map[int]int{1: 4, 3: len(content) - len(long)} {
			line := lines[i]
			assert.True(t, line.TooLong)
			assert.Equal(t, long[:jsonlines.Beginning], string(line.Raw))
			assert.Equal(t, []int64{int64(at), int64(len(long))}, []int64{line.Offset, line.Length})
		}
		assert.Equal(t, "{3}", string(lines[2].Raw))
	})
}

func TestADM04_a_line_of_any_length_is_never_held_whole(t *testing.T) {
	f := jsonlines.Standard(io.MultiReader(io.LimitReader(endless{}, 64<<20), strings.NewReader("\n{}")), "")
	before := allocated()
	lines, err := rest(t, f)
	assert.Equal(t, io.EOF, err)
	require.Len(t, lines, 2)
	assert.EqualValues(t, 64<<20, lines[0].Length)
	assert.Less(t, allocated()-before, uint64(40<<20))
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
	pipe := fifo(t, folder)
	loop := filepath.Join(folder, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	for path, kind := range map[string]fault.Kind{
		filepath.Join(folder, "none"): fault.NotFound, filepath.Join(folder, "none", "a"): fault.NotFound,
		folder: fault.Invalid, pipe: fault.Invalid, os.DevNull: fault.Invalid,
	} {
		_, err := jsonlines.Open(path)
		assert.Equal(t, kind, fault.KindOf(err), "%s: %v", path, err)
		assert.Equal(t, kind == fault.NotFound, isNoFile(err), path)
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
