package bootstrap_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPUB06_settings_of_what_readers_are_offered(t *testing.T) {
	s := settings()
	c, err := s.Check()
	require.NoError(t, err)
	assert.Empty(t, c.Translator.Offer.Languages, "any")
	assert.Zero(t, c.Translator.Offer.Budget, "any number")

	s.TranslatorLanguages, s.TranslatorBudget = "en, pt_BR,zh-Hans", "500000"
	c, err = s.Check()
	require.NoError(t, err)
	var names []string
	for _, tag := range c.Translator.Offer.Languages {
		names = append(names, tag.String())
	}
	assert.Equal(t, []string{"en", "pt-BR", "zh-Hans"}, names)
	assert.EqualValues(t, 500_000, c.Translator.Offer.Budget)

	for _, bad := range []string{"english", "en,", ",", " ", "en,*", "zh-CHS"} {
		s.TranslatorLanguages = bad
		_, err = s.Check()
		assert.ErrorContains(t, err, "PLAZA_TRANSLATOR_LANGUAGES: ", "%q", bad)
	}
	for _, bad := range []string{"0", "-1", "1e6", "1.5", "9223372036854775808", "many", " "} {
		s.TranslatorBudget = bad
		_, err = s.Check()
		assert.ErrorContains(t, err, "PLAZA_TRANSLATOR_BUDGET: ", "%q", bad)
	}
}
