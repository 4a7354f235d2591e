package transport

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"plaza/application/catalogue"
	"plaza/domain/locale"
)

// FuzzPreferred compares the language for a header with that of golang.org/x/text, which knows no star, refuses a header
// with a malformed part, and takes weights above one.
func FuzzPreferred(f *testing.F) {
	for _, header := range []string{
		"", "en", "zh", "zh-CN,zh;q=0.9,en;q=0.8", "zh-TW", "zh;q=0", "en;q=0.5, zh;q=0.5", "*", "*;q=0, zh", "zh;q=1e-1", "zh;q=NaN", "zh_CN",
		"\xff", strings.Repeat("-a", 2000), strings.Repeat("zh,", 5000),
	} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := PreferredLanguage(http.Header{"Accept-Language": {header}})
		require.Contains(t, catalogue.Languages(), got)
		if got != catalogue.English {
			require.Regexp(t, `(?i)zh|cmn|chi|zho|\*`, header)
			require.LessOrEqual(t, len(header), maxAcceptLanguage)
		}
		if len(header) > maxAcceptLanguage || strings.Count(header, ",") >= maxAcceptedLanguages || strings.Contains(header, "*") {
			return
		}
		tags, weights, err := language.ParseAcceptLanguage(header)
		if err != nil || len(weights) > 0 && slices.Max(weights) > 1 {
			return
		}
		for i, tag := range tags {
			parsed, _ := locale.Parse(tag.String())
			if offered, is := offer(parsed); is && weights[i] > 0 {
				require.Equal(t, offered, got, "%q", header)
				return
			}
		}
	})
}
