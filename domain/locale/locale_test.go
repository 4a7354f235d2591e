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
	var all []string
	var languages []int
	for i, same := range []string{ // a language each
		"en en-US EN_us en-GB en-Latn en-GB-oed en-u-ca-buddhist", "en-Dsrt", "fr fr-CA", "pt pt-BR pt-PT", "es es-419 es-ES",
		"zh zh_CN zh-CN zh-SG zh-Hans zh-Hans-TW cmn zh-cmn zh-cmn-Hans", "zh-TW zh-HK zh-MO zh-Hant zh-Hant-CN cmn-Hant",
		"yue zh-yue", "wuu", "nan zh-min-nan", "no nb nb-NO", "nn", "sr sr-RS sr-Cyrl sr-Cyrl-BA", "sr-Latn sr-ME sh", "hr",
		"iw he", "in id", "ji yi", "mo ro", "tl fil", "arb ar-EG", "swh sw", "i-klingon tlh", "art-lojban jbo",
		"uz", "uz-AF", "pa-PK pa-Arab", "pa-IN", "az", "az-Cyrl", "mn", "mn-Mong", "kk", "kk-CN", "ku", "ckb",
		"ja ja-JP", "ko", "de de-1996 de-CH", "gsw",
	} {
		for name := range strings.FieldsSeq(same) {
			all, languages = append(all, name), append(languages, i)
		}
	}
	for i, a := range all {
		for j, b := range all {
			want := languages[i] == languages[j]
			assert.Equal(t, want, locale.Same(parse(t, a), parse(t, b)), "%s, %s", a, b)
			assert.Equal(t, want, parse(t, a).Language() == parse(t, b).Language(), "%s, %s", a, b)
		}
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
