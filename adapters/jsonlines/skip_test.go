package jsonlines_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/domain/imported"
)

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

// onDisk are a plain file and a gzip with the content.
func onDisk(t *testing.T, content string) map[string]string {
	return map[string]string{
		"plain": written(t, "a.jsonl", []byte(content)),
		"gzip":  written(t, "a.jsonl.gz", zipped(t, content[:len(content)/3], content[len(content)/3:])),
	}
}

func TestADM04_going_on_equals_reading_on(t *testing.T) {
	for _, c := range []struct{ lines, step int }{{60, 1}, {2500, 251}} {
		for name, path := range onDisk(t, several(c.lines)) {
			t.Run(name, func(t *testing.T) {
				all, _ := rest(t, opened(t, path))
				require.Len(t, all, c.lines+1)
				for i := 0; i < len(all); i += c.step {
					goOn(t, path, all[i], all[i+1:])
				}
			})
		}
	}
}

// goOn continues after the line and compares the remaining lines.
func goOn(t *testing.T, path string, line imported.RawLine, others []imported.RawLine) {
	t.Helper()
	f := opened(t, path)
	there, err := f.Skip(t.Context(), line.End)
	require.NoError(t, err)
	require.True(t, there, "line %d", line.Number)
	lines, end := rest(t, f)
	assert.Equal(t, io.EOF, end)
	assert.Equal(t, append([]imported.RawLine{}, others...), append([]imported.RawLine{}, lines...))
}

func TestADM04_another_file_is_read_from_its_beginning(t *testing.T) {
	content := several(60)
	all, _ := rest(t, opened(t, written(t, "a.jsonl", []byte(content))))
	far, near := all[50], all[2]
	for name, other := range map[string]string{
		"shorter":          content[:far.End.Offset-1],
		"empty":            "",
		"changed before":   content[:far.Offset] + "Z" + content[far.Offset+1:],
		"shifted":          "\n" + content,
		"another encoding": strings.ReplaceAll(content, "\r\n", "\n"),
	} {
		for form, path := range onDisk(t, other) {
			f := opened(t, path)
			there, err := f.Skip(t.Context(), far.End)
			require.NoError(t, err, name)
			assert.False(t, there, "%s, %s", name, form)
			lines, _ := rest(t, f)
			fresh, _ := rest(t, opened(t, path))
			assert.Equal(t, fresh, lines, "%s, %s", name, form)
		}
	}
	for _, odd := range []imported.Position{
		{Lines: 3, Offset: near.End.Offset}, {Lines: 3, Offset: -1, Print: near.End.Print}, {Offset: near.End.Offset, Print: near.End.Print},
		{Lines: 3, Offset: near.End.Offset - 1, Print: near.End.Print}, {Lines: 3, Offset: 1 << 62, Print: near.End.Print},
	} {
		for _, path := range onDisk(t, content) {
			there, err := opened(t, path).Skip(t.Context(), odd)
			require.NoError(t, err)
			assert.False(t, there, "%+v", odd)
		}
	}
}

func TestADM04_the_standard_input_is_never_the_same(t *testing.T) {
	content := several(3)
	all, _ := rest(t, jsonlines.Standard(strings.NewReader(content), ""))
	f := jsonlines.Standard(strings.NewReader(content), "")
	there, err := f.Skip(t.Context(), all[0].End)
	require.NoError(t, err)
	assert.False(t, there)
	lines, _ := rest(t, f)
	assert.Equal(t, all, lines, "nothing was read")
}

func TestADM04_a_last_line_that_got_an_end_is_still_done(t *testing.T) {
	for _, more := range []string{"\n", "\r\n", "\n{2}\n", "\r\n{2}"} {
		path := written(t, "a.jsonl", []byte("{1}"))
		all, _ := rest(t, opened(t, path))
		appended(t, path, more)
		f := opened(t, path)
		there, err := f.Skip(t.Context(), all[0].End)
		require.NoError(t, err)
		assert.True(t, there)
		lines, _ := rest(t, f)
		fresh, _ := rest(t, opened(t, path))
		assert.Equal(t, texts(fresh[1:]), texts(lines), "%q", more)
		for i, line := range lines {
			assert.Equal(t, fresh[i+1], line)
		}
	}
	path := written(t, "a.jsonl", []byte("{1}"))
	all, _ := rest(t, opened(t, path))
	appended(t, path, " \n")
	there, err := opened(t, path).Skip(t.Context(), all[0].End)
	require.NoError(t, err)
	assert.False(t, there, "the line is longer now")
}
