package catalogue

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/locale"
)

func TestGEN16_translations_have_the_values_of_their_sentences(t *testing.T) {
	content, err := files.ReadFile("zh-Hans.json")
	require.NoError(t, err)
	var all translations
	require.NoError(t, json.Unmarshal(content, &all))
	sentences := flat(all.Sentences)
	assert.Equal(t, bytes.Count(content, []byte(`": "`)), len(sentences)+len(flat(all.Pages)), "nothing is translated twice")
	for english, translated := range sentences {
		verbs := verb.FindAllString(english, -1)
		assert.Equal(t, verbs, verb.FindAllString(translated, -1), english)
		assert.True(t, strings.HasSuffix(translated, "。"), translated)
		assert.NotRegexp(t, `\p{Han}[,.;:?!()]`, translated, "full-width punctuation")
		said, want := english, translated
		for _, place := range verbs {
			value := "7%d。"
			said, want = strings.Replace(said, place, value, 1), strings.Replace(want, place, value, 1)
		}
		assert.Equal(t, want, languages()[0].translate(said), "no other format makes the sentence")
	}
}

func TestGEN16_sentences_are_translated_to_languages_of_the_catalogue(t *testing.T) {
	for tag, want := range map[string]string{
		"zh": "此项必填。", "zh-CN": "此项必填。", "zh-SG": "此项必填。", "zh-TW": "This field is required.", "en": "This field is required.",
		"fr": "This field is required.", "": "This field is required.",
	} {
		to, _ := locale.Parse(tag)
		assert.Equal(t, want, Translate(to, "This field is required."), tag)
	}
	to := Languages()[1]
	assert.Equal(t, "“%s，‘”不是有效的选项，可选：a, b。", Translate(to, "“%s，‘” is not a valid choice. Use one of: a, b."))
	for _, unknown := range []string{"", "No such sentence.", "Unknown time zone ", ".", "Unknown time zone"} {
		assert.Equal(t, unknown, Translate(to, unknown))
	}
	swapped := newLanguage("zh", map[string]string{"%s of %d.": "%[2]d 的 %[1]s。", "%s of %d, or more.": "%[2]d 以上的 %[1]s。"}, nil)
	assert.Equal(t, "3 的 x。", swapped.translate("x of 3."))
	assert.Equal(t, "3 以上的 x。", swapped.translate("x of 3, or more."), "the format with the most words")
}
