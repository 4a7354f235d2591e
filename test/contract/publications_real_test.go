//go:build soak

package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/publication"
	"plaza/test/apertium"
)

func TestPUB_04_a_page_comes_back_from_a_real_translator(t *testing.T) {
	on := stores[0]
	on.fresh = on.open(t)
	apertium.OnServer(t, func(t *testing.T, url string) {
		s := on.startWith(t, func(s *settings.Config) {
			s.Translator, s.TranslatorURL = "apertium", url
			require.NoError(t, s.TranslatorLanguages.UnmarshalText([]byte("en,es")))
		})
		ada := s.member(t)
		for i, text := range [][3]string{
			{"en-GB", "The big house", "We drink coffee in the kitchen."},
			{"es", "El río", "La ciudad es grande."},
			{"fr", "La maison", "Elle est grande."},
		} {
			s.storesPublication(t, ada, 1+i, 0, func(p *publication.Publication) { p.Language, p.Title, p.Summary = text[0], text[1], text[2] })
		}
		by := object{"title": "apertium", "content": "apertium"}
		for _, locale := range []string{"es", "en"} {
			ada.reading(t, locale)
			s.app.Translation.Close() // however long it takes on a busy machine
		}
		a := ada.reading(t, "es-MX")
		assert.Equal(t, []bool{true, false, false}, a.translated(), "French it has not learned")
		sameJSON(t, object{
			"title": "La casa grande", "content": "Bebemos café en la cocina.", "__translator": by,
			"__source_language": "en-GB", "language": "es",
		}, a.at("data.0.localized"))
		a = ada.reading(t, "en_US")
		sameJSON(t, object{
			"title": "The river", "content": "The city is big.", "__translator": by,
			"__source_language": "es", "language": "en",
		}, a.at("data.1.localized"))
		assert.Equal(t, []bool{false, false, false}, ada.reading(t, "fr").translated(), "it is not offered")
	})
}
