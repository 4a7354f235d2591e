package ports

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/locale"
	"plaza/domain/localisation"
)

// Translator is the suite of localisation.Translator.
func Translator(t *testing.T, fresh func(t *testing.T) localisation.Translator) {
	TranslatorInto(t, []string{"es", "zh-Hant"}, fresh)
}

// TranslatorInto is the suite of translators that know few languages: these, and English.
func TranslatorInto(t *testing.T, targets []string, fresh func(t *testing.T) localisation.Translator) {
	language := func(name string) locale.Tag {
		tag, ok := locale.Parse(name)
		require.True(t, ok, name)
		return tag
	}
	english, other := language("en-GB"), language(targets[0])
	texts := []string{"One", "Two words", "Two words", "西湖 🌊", "Tom & Jerry: 1 < 2 > 0, isn't \"it\"?", "line\nline"}

	t.Run("it has a name, always the same", func(t *testing.T) {
		tr := fresh(t)
		assert.NotEmpty(t, tr.Name())
		assert.Equal(t, tr.Name(), tr.Name())
		assert.Equal(t, tr.Name(), fresh(t).Name())
	})

	t.Run("the target of a language is of that language, and its own target", func(t *testing.T) {
		tr := fresh(t)
		for _, name := range []string{"en", "en-GB", "en-IE", "pt", "pt-PT", "pt-BR", "zh", "zh-HK", "zh-TW", "no", "fil", "sr-Latn", "hr", "ms",
			"fa"} {
			target := tr.Target(language(name))
			assert.True(t, locale.Same(target, language(name)), name)
			assert.Equal(t, target, tr.Target(target), name)
		}
	})

	t.Run("it returns the texts in their order and as many", func(t *testing.T) {
		tr := fresh(t)
		for _, target := range targets {
			to := language(target)
			all, err := tr.Translate(t.Context(), english, to, texts)
			require.NoError(t, err)
			require.Len(t, all, len(texts))
			for i, text := range texts {
				alone, err := tr.Translate(t.Context(), english, to, []string{text})
				require.NoError(t, err)
				assert.Equal(t, alone, all[i:i+1])
				assert.NotEmpty(t, all[i])
			}
		}
		none, err := tr.Translate(t.Context(), english, other, nil)
		require.NoError(t, err)
		assert.Empty(t, none)
	})

	t.Run("what comes back is text, never markup", func(t *testing.T) {
		all, err := fresh(t).Translate(t.Context(), english, other, texts)
		require.NoError(t, err)
		for _, text := range all {
			for _, escape := range []string{"&amp;", "&lt;", "&gt;", "&#", "&quot;", "<br", "<p"} {
				assert.NotContains(t, text, escape)
			}
		}
	})

	t.Run("the texts that it was given stay as they were", func(t *testing.T) {
		given := []string{"One", "Two"}
		_, err := fresh(t).Translate(t.Context(), english, other, given)
		require.NoError(t, err)
		assert.Equal(t, []string{"One", "Two"}, given)
	})

	t.Run("it keeps to the deadline of the context", func(t *testing.T) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := fresh(t).Translate(gone, english, other, texts)
		require.ErrorIs(t, err, context.Canceled)
		late, cancel := context.WithDeadline(t.Context(), noon.AddDate(-10, 0, 0))
		defer cancel()
		_, err = fresh(t).Translate(late, english, other, texts)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})

	t.Run("it is safe to call from many goroutines at once", func(t *testing.T) {
		tr := fresh(t)
		want, err := tr.Translate(t.Context(), english, other, texts)
		require.NoError(t, err)
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				got, err := tr.Translate(t.Context(), english, other, texts)
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			})
		}
		all.Wait()
	})
}
