package bootstrap_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/secret"
)

func TestPUB06_translators_are_chosen_by_their_settings(t *testing.T) {
	works := map[string]bool{
		"auto": true, "none": true, "pseudo": true, "deepl": true, "google": true, "azure": true,
		"libretranslate": false, "apertium": false, // which need an address
	}
	for _, name := range bootstrap.Translators {
		good, known := works[name]
		require.True(t, known, name)
		s := settings()
		s.Translator, s.TranslatorKey, s.TranslatorRegion = name, secret.New("never-shown-key"), "westeurope"
		c, err := s.Check()
		require.NoError(t, err, name)
		app, err := bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
		if !good {
			require.ErrorContains(t, err, "PLAZA_TRANSLATOR_", name)
			assert.NotContains(t, err.Error(), "never-shown-key")
			continue
		}
		require.NoError(t, err, name)
		require.NoError(t, app.Close())
	}
	for _, name := range []string{"libretranslate", "apertium"} {
		s := settings()
		s.Translator, s.TranslatorURL = name, "http://neighbour:5000"
		c, err := s.Check()
		require.NoError(t, err)
		app, err := bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
		require.NoError(t, err, name)
		require.NoError(t, app.Close())
	}
	s := settings()
	s.Translator = "babel"
	_, err := s.Check()
	assert.ErrorContains(t, err, "PLAZA_TRANSLATOR: ")
}

func TestPUB06_settings_of_what_readers_are_offered(t *testing.T) {
	c, err := parsed(t, "--translator-languages=", "--translator-budget=")
	require.NoError(t, err)
	assert.Empty(t, bootstrap.Offer(c).Languages, "any")
	assert.Zero(t, bootstrap.Offer(c).Budget, "any number")

	c, err = parsed(t, "--translator-languages=en, pt_BR,zh-Hans", "--translator-budget=500000")
	require.NoError(t, err)
	var names []string
	for _, tag := range bootstrap.Offer(c).Languages {
		names = append(names, tag.String())
	}
	assert.Equal(t, []string{"en", "pt-BR", "zh-Hans"}, names)
	assert.EqualValues(t, 500_000, bootstrap.Offer(c).Budget)

	for _, bad := range []string{"english", "en,", ",", " ", "en,*", "zh-CHS"} {
		_, err = parsed(t, "--translator-languages="+bad)
		assert.ErrorContains(t, err, "PLAZA_TRANSLATOR_LANGUAGES: ", "%q", bad)
	}
	for _, bad := range []string{"0", "-1", "1e6", "1.5", "9223372036854775808", "many", " "} {
		_, err = parsed(t, "--translator-budget="+bad)
		assert.ErrorContains(t, err, "PLAZA_TRANSLATOR_BUDGET: ", "%q", bad)
	}
}
