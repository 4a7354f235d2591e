package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/markup"
	"plaza/domain/search"
)

func TestSRC01_texts_are_cut_into_words(t *testing.T) {
	for of, want := range map[string]string{
		"Fog on the LAKE, fog.":      "fog lake on the",
		"Straße STRASSE":             "strasse",
		"Müller über Señor Ñandú":    "muller nandu senor uber",
		"İstanbul ISTANBUL ıstanbul": "istanbul",
		"ＴＯＫＹＯ ２０２６ ｶﾞ":              "2026 tokyo ガ",
		"大理古城":                       "古 古城 城 大 大理 理 理古",
		"去café喝e\u0301té茶，水":         "cafe ete 去 喝 水 茶",
		"🎉🎉 👩🏽‍🌾 🇪🇸 ☕\ufe0f":         "☕ 🇪 🇸 🌾 🎉 👩",
		"スーパー":                       "ー ーパ ス スー パ パー",
		"don't i18n §publication":    "don i18n publication t",
		"… — !?":                     "",
		strings.Repeat("a", 50):      strings.Repeat("a", 40),
	} {
		assert.ElementsMatch(t, strings.Fields(want), search.Words(of), of)
	}
	prose := markup.HTML("<p>b<b>ol</b>d</p><p>one<br>next H<sub>2</sub>O").Prose()
	assert.Equal(t, []string{"bold", "h2o", "next", "one"}, search.Words(prose))
}

func TestSRC01_what_is_searched_for(t *testing.T) {
	for q, want := range map[string]string{
		"LAKE fog lake": "fog lake", "大": "大", "大理古": "大理 理古", "茶 Tee": "tee 茶", "🎉🎉": "🎉",
	} {
		words, err := search.Parse(q)
		require.NoError(t, err, q)
		assert.Equal(t, strings.Fields(want), words, q)
	}
	for _, wrong := range []string{"", "  ", "…!?", strings.Repeat("林", 101), "a\x00"} {
		_, err := search.Parse(wrong)
		assert.True(t, fault.Is(err, fault.Invalid), "%q", wrong)
	}
}

func TestSRC01_each_part_of_a_text_finds_it(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.StringN(0, 20, 60), 1, 5).Draw(t, "texts")
		words := search.Words(whole...)
		for _, part := range whole {
			if q, err := search.Parse(part); err == nil {
				assert.Subset(t, words, q)
			}
		}
		assert.Equal(t, words, search.Words(strings.Join(words, " ")), "words are cut no further")
	})
}
