package jsonlines_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

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
		everywhere(t, several(c.lines), func(t *testing.T, f imported.File) {
			all, _ := rest(t, f)
			require.Len(t, all, c.lines+1)
			require.NoError(t, f.Begin(t.Context(), 0))
			again, end := rest(t, f)
			assert.Equal(t, io.EOF, end)
			assert.Equal(t, all, again)
			for i := 0; i < len(all)-1; i += c.step {
				require.NoError(t, f.Begin(t.Context(), all[i].Number))
				lines, end := rest(t, f)
				assert.Equal(t, io.EOF, end)
				assert.Equal(t, all[i+1:], lines)
			}
			require.NoError(t, f.Begin(t.Context(), all[len(all)-1].Number))
			lines, _ := rest(t, f)
			assert.Empty(t, lines)
		})
	}
}

func TestADM04_a_file_that_has_changed_is_another(t *testing.T) {
	for _, path := range onDisk(t, several(60)) {
		version := opened(t, path).Version()
		assert.Equal(t, version, opened(t, path).Version())
		appended(t, path, "\n")
		longer := opened(t, path).Version()
		assert.NotEqual(t, version, longer)
		require.NoError(t, os.Chtimes(path, at(1), at(2)))
		assert.NotEqual(t, longer, opened(t, path).Version())
	}
}

func TestADM04_the_standard_input_is_never_the_same(t *testing.T) {
	input := func() imported.File { return jsonlines.Standard(strings.NewReader(several(3)), "") }
	assert.NotEqual(t, input().Version(), input().Version())
}

func TestADM04_what_is_appended_while_a_file_is_read_is_not_read(t *testing.T) {
	path := written(t, "a.jsonl", []byte("{1}\n"))
	f := opened(t, path)
	appended(t, path, "{2}\n")
	lines, end := rest(t, f)
	assert.Equal(t, io.EOF, end)
	assert.Equal(t, []string{"{1}"}, texts(lines))
}

func TestADM04_an_input_that_was_read_in_part_is_read_on(t *testing.T) {
	f := jsonlines.Standard(iotest.OneByteReader(strings.NewReader(several(60))), "")
	_, err := f.Next(t.Context())
	require.NoError(t, err)
	require.NoError(t, f.Begin(t.Context(), 1))
	lines, end := rest(t, f)
	assert.Equal(t, io.EOF, end)
	assert.Len(t, lines, 60)
	assert.NoError(t, f.Close())
}
