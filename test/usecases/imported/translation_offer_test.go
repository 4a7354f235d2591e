package imported_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/translation"
	"plaza/domain/localisation"
)

func TestPUB06_a_language_that_is_not_offered_counts_as_no_header(t *testing.T) {
	w := newTranslationFixture(t)
	w.serve(t, translation.Offer{Languages: localeTags(t, "en", "zh-Hans")})
	for reader, want := range map[string]int{"en-US": 2, "zh_CN": 5, "zh-TW": 0, "es": 0} {
		assert.Len(t, w.read(t, reader), want, reader)
	}
	assert.Equal(t, 3, w.translator.asked())
}

func TestPUB06_a_spent_budget_leaves_publications_as_they_were_written_until_the_next_day(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble's clock starts at midnight UTC
		w := newTranslationFixture(t)
		w.serve(t, translation.Offer{Budget: frenchCharacters + englishCharacters - 1})
		assert.NotEmpty(t, w.read(t, "en"))
		assert.Empty(t, w.read(t, "de-DE"), "the budget is one character short of the English texts")
		assert.Equal(t, 1, w.translator.asked())
		assert.EqualValues(t, 2, w.Counts().Failures, "both languages of the page")
		assert.NotEmpty(t, w.read(t, "en"), "cached texts cost nothing")
		w.later = 24*time.Hour - 3*time.Second
		awaitRetryDelay()
		assert.Empty(t, w.read(t, "de"))
		awaitRetryDelay()
		w.later = 24 * time.Hour
		assert.NotEmpty(t, w.read(t, "en-GB"), "still cached")
		assert.NotEmpty(t, w.read(t, "de"))
	})
}

func TestPUB06_of_the_budget_goes_what_may_be_charged(t *testing.T) {
	for name, c := range map[string]struct {
		translator *recordingTranslator
		spent      bool
	}{
		"refused":   {&recordingTranslator{fails: errors.New("quota")}, false},
		"not heard": {&recordingTranslator{takes: time.Minute}, true},
		"cut":       {&recordingTranslator{fails: context.Canceled}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newTranslationFixture(t)
			c.translator.Translator = w.translator.Translator
			w.translator = c.translator
			w.serve(t, translation.Offer{Budget: frenchCharacters})
			assert.Empty(t, w.read(t, "en"), name)
			w.Close()
			allowed, err := w.cache.Spend(t.Context(), localisation.Spending{
				Translator: "pseudo", Day: localisation.DayOf(time.Now()), Characters: 1,
			}, frenchCharacters)
			require.NoError(t, err)
			assert.Equal(t, !c.spent, allowed, name)
			assert.Equal(t, map[bool]int64{true: frenchCharacters}[c.spent], w.Counts().Characters, name)
		})
	}
}
