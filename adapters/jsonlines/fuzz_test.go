package jsonlines_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/adapters/sanitiser"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/test/drafts"
)

// FuzzDecoder asserts that the decoder accepts only JSON, explains every refusal, and reads
// back what Encode writes.
func FuzzDecoder(f *testing.F) {
	for _, line := range examples(f) {
		f.Add([]byte(line))
	}
	for _, line := range odd {
		f.Add([]byte(line[:min(len(line), 1<<10)]))
	}
	f.Add([]byte(`{"kind":"user","id":-0,"joined":"0000-01-01T00:00:00+23:59","firstname":"\ud83d\ude00\u2028"}`))
	f.Add([]byte(`{"kind":"demand","lat":-0,"lng":1e-400,"tags":[""],"closed":"9999-12-31T23:59:59.999999999-23:59"}`))
	f.Add([]byte(`{"rejected":{},"record":"{\"rejected\":1,\"bytes\":\"e30=\"}"}`))
	f.Add([]byte(`{"kind":"demand","":1e700}`))
	clean := sanitiser.New()
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		draft, err := jsonlines.Decoder{}.Decode(raw)
		assert.Equal(t, before, raw)
		if wrong, is := fault.As(err); err != nil {
			require.True(t, is, "%v", err)
			assert.Equal(t, fault.Invalid, wrong.Kind)
			assert.NotEqual(t, wrong.Text == "", len(wrong.Fields) == 0)
			assert.True(t, utf8.ValidString(err.Error()))
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil || object == nil || !utf8.Valid(raw) {
			assert.Error(t, err)
			assert.Nil(t, draft)
		}
		if err != nil {
			return
		}
		again, err := drafts.Encode(draft)
		if year := "year outside of range"; err != nil && strings.Contains(err.Error(), year) {
			return // the offset leads out of what can be written: the rules refuse it
		}
		require.NoError(t, err)
		redone, err := jsonlines.Decoder{}.Decode(again)
		require.NoError(t, err)
		assert.Equal(t, draft, redone)
		if len(raw) < 1<<12 {
			_, _ = draft.Record(clean)
		}
	})
}

// FuzzLines asserts that the lines together are the file, however its bytes arrive.
func FuzzLines(f *testing.F) {
	for _, content := range []string{"", "a", "a\n", "a\r\nb", "\ufeff\n\ufeff", "\n\n \r\n\r\r\n", "\x1f\x8b", "\x1f", several(5)} {
		f.Add([]byte(content), byte(0))
	}
	f.Add(zipped(f, "a\nb", "c\n\n"), byte(1))
	for _, how := range []byte{0x02, 0x72, 0x82} { // the last two: as long as a line may be, and one byte longer
		f.Add([]byte("long\n\r\nlong\r\n"), how)
	}
	f.Fuzz(func(t *testing.T, content []byte, how byte) {
		if how&2 != 0 {
			content = bytes.Replace(content, []byte("long"), bytes.Repeat([]byte("x"), jsonlines.MaxLine+int(how>>4)-7), 2)
		}
		var from io.Reader = bytes.NewReader(content)
		if how&4 != 0 {
			from = iotest.DataErrReader(from)
		}
		if how&8 != 0 && len(content) < 1<<10 {
			from = iotest.OneByteReader(from)
		}
		f := jsonlines.Standard(from, "")
		lines, end := rest(t, f)
		require.NoError(t, f.Begin(t.Context(), 0))
		again, endAgain := rest(t, f)
		assert.Equal(t, lines, again)
		assert.Equal(t, end, endAgain)
		assert.NoError(t, f.Close())
		if len(content) > 0 && content[0] == 0x1f {
			return // a gzip: the test only reads it to its end
		}
		assert.Equal(t, io.EOF, end)
		joined(t, content, lines)
	})
}

// joined asserts that the lines are the whole content except blank lines.
func joined(t *testing.T, content []byte, lines []imported.RawLine) {
	numbers := bytes.SplitAfter(bytes.TrimPrefix(content, []byte("\ufeff")), []byte("\n"))
	next := 0
	offset := int64(len(content)) - int64(len(bytes.Join(numbers, nil)))
	for i, whole := range numbers {
		text := whole
		if cut, is := bytes.CutSuffix(text, []byte("\n")); is {
			text = bytes.TrimSuffix(cut, []byte("\r"))
		}
		if len(text) <= jsonlines.MaxLine && len(bytes.TrimSpace(text)) == 0 {
			offset += int64(len(whole))
			continue
		}
		require.Less(t, next, len(lines))
		line := lines[next]
		next++
		assert.EqualValues(t, i+1, line.Number)
		assert.Equal(t, []int64{offset, int64(len(text))}, []int64{line.Offset, line.Length})
		offset += int64(len(whole))
		assert.Equal(t, len(text) > jsonlines.MaxLine, line.TooLong)
		if line.TooLong {
			text = nil
		}
		assert.True(t, bytes.Equal(text, line.Raw))
	}
	assert.Len(t, lines, next)
}
