package bootstrap

import (
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/publication"
)

func TestPUB07_what_is_counted_of_translations_can_be_seen(t *testing.T) {
	s := serveSettings(demoDir(t))
	s.PublicURL, s.Translator = "https://plaza.example.org", "pseudo"
	c, err := s.Check()
	require.NoError(t, err)
	app, err := NewApp(t.Context(), c, slog.New(slog.DiscardHandler), Parts{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, app.Close()) })
	read := func() string {
		seen := httptest.NewRecorder()
		app.metrics().ServeHTTP(seen, httptest.NewRequest("GET", "/metrics", nil))
		body, err := io.ReadAll(seen.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.Contains(t, read(), "plaza_translation_misses_total 0\n")
	tag, _ := locale.Parse("eo")
	for range 2 {
		p, err := app.Reading.Feed(t.Context(), access.Actor{ID: 1}, publication.Query{}, tag)
		require.NoError(t, err)
		require.NotEmpty(t, p.Items)
	}
	text := read()
	assert.Regexp(t, `plaza_translation_misses_total [1-9]`, text)
	assert.Regexp(t, `plaza_translation_hits_total [1-9]`, text)
	assert.Regexp(t, `plaza_translation_characters_total [1-9]`, text)
	assert.Contains(t, text, "plaza_translation_failures_total 0\n")
	assert.Contains(t, text, "go_goroutines ", "and what Go knows of itself")
}
