//go:build soak

package apertium_test

import (
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	testserver "plaza/test/apertium"
	"plaza/test/ports"
)

const english = "The house is big. We drink coffee in the kitchen.\n\nTomorrow we will travel to the city, " +
	"because our friends have a new restaurant. The river is long."

// openReal uses long timeouts, because other tests may load the machine.
func openReal(t *testing.T, url string) localisation.Translator {
	return openFor(t, 2*time.Minute, url, nil)
}

func TestPUB06_The_real_Apertium(t *testing.T) {
	testserver.OnServer(t, func(t *testing.T, url string) {
		t.Run("is a translator", func(t *testing.T) {
			ports.TranslatorInto(t, []string{"es"}, func(t *testing.T) localisation.Translator { return openReal(t, url) })
		})

		tr := openReal(t, url)
		t.Run("translates to Spanish and back", func(t *testing.T) {
			spanish := translate(t, tr, "en-GB", "es-MX", english)[0]
			for _, word := range []string{"casa", "grande", "café", "cocina", "ciudad", "amigos", "restaurante", "río"} {
				assert.Contains(t, spanish, word)
			}
			assert.Equal(t, 1, strings.Count(spanish, "\n\n"))
			back := translate(t, tr, "es", "en", spanish)[0]
			for _, word := range []string{"house", "big", "coffee", "city", "friends", "restaurant", "river"} {
				assert.Contains(t, back, word)
			}
			assert.Equal(t, []string{"La casa es grande.", "The house is big."},
				append(translate(t, tr, "en", "es", "The house is big."), translate(t, tr, "es", "en", "La casa es grande.")...))
		})

		t.Run("leaves lines, signs and unknown words as they are", func(t *testing.T) {
			for text, want := range map[string]string{
				"- milk\n- bread\r\n\r\n\t- eggs\n": "- Leche\n- pan\r\n\r\n\t- Huevos\n",
				"  house \n":                        "  Casa \n",
				"blorptak, 5*3 and *blorptak*":      "blorptak, 5*3 y *blorptak*",
				"https://example.com/a?b=c*d&e=f":   "https://example.com/a?b=c*d&e=f",
				"It is big.":                        "Es grande.",
				"john@example.com":                  "john@example.com",
				"[house] \\ ^ $ ~ {big}":            "[Casa] \\ ^ $ ~ {grande}",
				"5 &amp; 6 & 7 < 8":                 "5 &amp; 6 & 7 < 8",
				"西湖 🌊👨\u200d👩\u200d👧":               "西湖 🌊👨\u200d👩\u200d👧",
			} {
				assert.Equal(t, []string{want}, translate(t, tr, "en", "es", text), text)
			}
			// It marks words that it can't inflect with another sign.
			marked := translate(t, tr, "en", "es", "Licensees may be individuals.")[0]
			assert.Contains(t, marked, "ser personaje")
		})

		t.Run("loses nothing of a long text, whoever else is asking", func(t *testing.T) {
			long := strings.Repeat("The big house. ", 1200) + "\nThe end is the river."
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					source, _ := locale.Parse("en")
					target, _ := locale.Parse("es")
					got, err := tr.Translate(t.Context(), source, target, []string{long})
					if assert.NoError(t, err) {
						assert.Equal(t, 1200, strings.Count(strings.ToLower(got[0]), "casa grande"))
						assert.True(t, strings.HasSuffix(got[0], "río ."), got[0][len(got[0])-40:])
						assert.Equal(t, 1, strings.Count(got[0], "\n"))
					}
				})
			}
			all.Wait()
			assert.Greater(t, utf8.RuneCountInString(long), 15_000)
		})

		t.Run("says which languages it does not speak, and goes on", func(t *testing.T) {
			source, _ := locale.Parse("en")
			for range 10 { // more often than a server may fail
				for _, name := range []string{"fr", "zh-CN", "pt-BR"} {
					target, _ := locale.Parse(name)
					_, err := tr.Translate(t.Context(), source, target, []string{"house", "dog"})
					require.ErrorIs(t, err, provider.ErrUnsupportedLanguage, name)
				}
			}
			assert.Equal(t, []string{"Casa"}, translate(t, tr, "en", "es", "house"))
		})

	})
}
