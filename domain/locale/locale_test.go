package locale_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/locale"
)

func TestSameLanguage(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"en", "en", true},
		{"en", "en-US", true},
		{"en-GB", "en-US", true},
		{"EN_us", "en-Latn", true},
		{"en-GB-oed", "en", true},
		{"en-u-ca-buddhist", "en", true},
		{"en-Dsrt", "en", false},
		{"en", "fr", false},
		{"pt-BR", "pt-PT", true},
		{"pt", "es", false},
		{"zh_CN", "zh-Hans", true},
		{"zh-CN", "zh-SG", true},
		{"zh", "zh-CN", true},
		{"zh-Hans", "zh-SG", true},
		{"zh-TW", "zh-HK", true},
		{"zh-TW", "zh-Hant", true},
		{"zh-HK", "zh-MO", true},
		{"zh-Hant-CN", "zh-TW", true},
		{"zh-Hans-TW", "zh-CN", true},
		{"zh-CN", "zh-Hant", false},
		{"zh-CN", "zh-TW", false},
		{"zh", "zh-Hant", false},
		{"cmn", "zh", true},
		{"cmn-Hant", "zh-TW", true},
		{"zh-cmn", "zh", true},
		{"zh-cmn-Hans", "zh-CN", true},
		{"yue", "zh", false},
		{"yue", "zh-HK", false},
		{"zh-yue", "yue", true},
		{"wuu", "zh", false},
		{"nan", "zh-min-nan", true},
		{"nb", "no", true},
		{"nb-NO", "no", true},
		{"nn", "nb", false},
		{"sr-Latn", "sr", false},
		{"sr", "sr-Cyrl", true},
		{"sr-RS", "sr-Cyrl-BA", true},
		{"sr-ME", "sr-Latn", true},
		{"sh", "sr-Latn", true},
		{"sr", "hr", false},
		{"iw", "he", true},
		{"in", "id", true},
		{"ji", "yi", true},
		{"mo", "ro", true},
		{"tl", "fil", true},
		{"arb", "ar-EG", true},
		{"swh", "sw", true},
		{"i-klingon", "tlh", true},
		{"art-lojban", "jbo", true},
		{"uz", "uz-AF", false},
		{"pa-PK", "pa-Arab", true},
		{"pa-IN", "pa-PK", false},
		{"az", "az-Cyrl", false},
		{"mn", "mn-Mong", false},
		{"kk", "kk-CN", false},
		{"ku", "ckb", false},
		{"ja", "ja-JP", true},
		{"ja", "ko", false},
		{"de-1996", "de-CH", true},
		{"de", "gsw", false},
		{"es-419", "es-ES", true},
		{"fr-CA", "fr", true},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		assert.Equal(t, c.same, locale.Same(a, b), "%s, %s", c.a, c.b)
		assert.Equal(t, c.same, locale.Same(b, a), "%s, %s", c.b, c.a)
		assert.Equal(t, c.same, a.Language() == b.Language(), "%s, %s", c.a, c.b)
	}
}

func TestHeadersThatNameALanguage(t *testing.T) {
	for header, canonical := range map[string]string{
		"en":                                   "en",
		" en \t":                               "en",
		"EN-us":                                "en-US",
		"zh_CN":                                "zh-CN",
		"zh_hans_cn":                           "zh-Hans-CN",
		"pt_BR":                                "pt-BR",
		"nb":                                   "no",
		"cmn":                                  "zh",
		"iw":                                   "he",
		"en-Latn":                              "en",
		"en-GB-oed":                            "en-GB-oxendict",
		"de-DE-u-co-phonebk":                   "de-DE-u-co-phonebk",
		"en-US,en;q=0.8":                       "en-US",
		"fr ; q=0.5, en":                       "fr",
		"de;q=0":                               "de",
		"zh-TW,zh;q=0.9,en-US;q=0.8":           "zh-TW",
		"es,*":                                 "es",
		"es," + strings.Repeat("x", 1000):      "es",
		strings.Repeat(" ", 100) + "ja":        "ja",
		"en-x-" + strings.Repeat("abcd-", 100): "en-x-abcd-abcd-abcd-abcd-abcd-abcd-abcd-abcd-abcd-abcd-abcd-abcd",
	} {
		tag, ok := locale.Parse(header)
		if assert.True(t, ok, header) {
			assert.Equal(t, canonical, tag.String(), header)
		}
	}
}

func TestTags_without_what_names_no_region(t *testing.T) {
	for name, want := range map[string][2]string{
		"en": {"en", "en"}, "en-GB-x-mine": {"en-GB", "en"}, "pt_BR": {"pt-BR", "pt"}, "zh-HK": {"zh-HK", "zh-Hant"},
		"zh-Hant":           {"zh-Hant", "zh-Hant"},
		"zh-CN-u-co-pinyin": {"zh-CN", "zh"}, "sr-Latn": {"sr-Latn", "sr-Latn"}, "de-1996": {"de", "de"},
	} {
		tag := parse(t, name)
		assert.Equal(t, want, [2]string{tag.Regional().String(), tag.Base().String()}, name)
		assert.True(t, locale.Same(tag, tag.Regional()) && locale.Same(tag, tag.Base()), name)
	}
}

func TestHeadersThatNameNone(t *testing.T) {
	for _, header := range []string{
		"", " ", ",", ";", ",en", ";q=1", "*", "*,en", "auto", "english", "default", "null", "undefined",
		"zh-CHS", "zh_CHT", "ZH-cht", "C", "POSIX", "en_US.UTF-8", "ca_ES@valencia", "en-", "-en", "en--US",
		"en US", "e", "1", "jp", "cn", "und", "und-CN", "zxx", "mul", "mul-Latn", "mis", "root", "x-mine", "中文", "en\x00", "\xff\xfe",
		"<script>", "../etc/passwd", "' OR 1=1", strings.Repeat("a", 65), strings.Repeat("字", 10_000),
		strings.Repeat("en-", 1000),
	} {
		tag, ok := locale.Parse(header)
		assert.False(t, ok, "%q is read as %v", header, tag)
		assert.Zero(t, tag)
	}
}

func TestNoLanguageIsTheSameAsNothing(t *testing.T) {
	var none locale.Tag
	assert.True(t, none.IsZero())
	assert.Empty(t, none.String())
	assert.Empty(t, none.Language())
	assert.False(t, locale.Same(none, none))
	assert.False(t, locale.Same(none, parse(t, "en")))
	assert.False(t, locale.Same(parse(t, "en"), none))
}

func FuzzParse(f *testing.F) {
	for _, header := range []string{
		"en-US,en;q=0.8", "zh_CN", "*", "sr-Latn-ME", "en-u-co-phonebk-x-a", "en-t-ja-m0-iso", "i-klingon", "zh-CHT", "\x00",
	} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		tag, ok := locale.Parse(header)
		require.Equal(t, ok, !tag.IsZero())
		require.Equal(t, ok, locale.Same(tag, tag))
		if !ok {
			return
		}
		require.True(t, utf8.ValidString(tag.String()))
		again, ok := locale.Parse(tag.String())
		if len(tag.String()) <= 64 {
			require.True(t, ok, "%q gives %q, which is no locale", header, tag)
			require.Equal(t, tag.Language(), again.Language(), "%q gives %q", header, tag)
		}
	})
}

func parse(t *testing.T, s string) locale.Tag {
	t.Helper()
	tag, ok := locale.Parse(s)
	require.True(t, ok, s)
	return tag
}
