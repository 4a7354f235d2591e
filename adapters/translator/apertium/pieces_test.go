package apertium

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzPieces cuts any text. A server that translates nothing gives the same text back, and
// no piece is longer than the server reads whole.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{
		"", " ", "A walk.", "\n a *b* \ue000 # @ \t", "**", "\u00a0x\u3000", strings.Repeat("word. ", 400), strings.Repeat("x", 2500),
		strings.Repeat("漢", 1001), strings.Repeat("a\n", 1200), "\ufeff*", "#*@",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return // no text of a client
		}
		var back strings.Builder
		for _, p := range pieces(s) {
			sent := p.sent()
			require.LessOrEqual(t, utf8.RuneCountInString(sent), longest)
			require.NotContains(t, sent, "*")
			require.Equal(t, strings.TrimSpace(sent), sent)
			back.WriteString(p.translated(sent))
		}
		require.Equal(t, s, back.String())
	})
}
