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
