package bootstrap_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/locale"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
)

func TestPUB06_translators_are_chosen_by_their_settings(t *testing.T) {
	needAddress := strings.Split(bootstrap.Offered()["translators_by_url"], ", ")
	require.Contains(t, needAddress, "libretranslate")
	for _, name := range translators() {
		c := settings.Config{Translator: name, TranslatorKey: secret.New("never-shown-key"), TranslatorRegion: "westeurope"}
		_, err := bootstrap.NewTranslator(c)
		if slices.Contains(needAddress, name) {
			require.ErrorContains(t, err, "PLAZA_TRANSLATOR_", name)
			assert.NotContains(t, err.Error(), "never-shown-key")
			c.TranslatorURL, c.TranslatorKey = "http://neighbour:5000", secret.String{}
			_, err = bootstrap.NewTranslator(c)
		}
		require.NoError(t, err, name)
	}
	_, err := parsed(t, "--translator=babel")
	assert.ErrorContains(t, err, "PLAZA_TRANSLATOR: ")
}

// translators are the values of PLAZA_TRANSLATOR.
func translators() []string {
	return append(strings.Split(bootstrap.Offered()["translators"], ", "), settings.Auto, settings.NoTranslator)
}

func names(tags []locale.Tag) (all []string) {
	for _, tag := range tags {
		all = append(all, tag.String())
	}
	return all
}

func TestPUB06_settings_of_what_readers_are_offered(t *testing.T) {
	c, err := parsed(t, "--translator-languages=", "--translator-budget=")
	require.NoError(t, err)
	assert.Empty(t, bootstrap.Offer(c).Languages, "any")
	assert.Zero(t, bootstrap.Offer(c).Budget, "any number")

	c, err = parsed(t, "--translator-languages=en, pt_BR,zh-Hans", "--translator-budget=500000")
	require.NoError(t, err)
	assert.Equal(t, []string{"en", "pt-BR", "zh-Hans"}, names(bootstrap.Offer(c).Languages))
	assert.EqualValues(t, 500_000, bootstrap.Offer(c).Budget)

	for _, bad := range []string{"english", "en,", " "} {
		_, err = parsed(t, "--translator-languages="+bad)
		assert.ErrorContains(t, err, "PLAZA_TRANSLATOR_LANGUAGES: ", "%q", bad)
	}
	for _, bad := range []string{"0", "-1", "many"} {
		_, err = parsed(t, "--translator-budget="+bad)
		assert.ErrorContains(t, err, "PLAZA_TRANSLATOR_BUDGET: ", "%q", bad)
	}
}

func TestPUB06_a_paid_translator_needs_a_budget_and_offers_few_languages(t *testing.T) {
	paid := strings.Split(bootstrap.Offered()["paid_translators"], ", ")
	require.Contains(t, paid, "deepl")
	for _, name := range translators() {
		_, err := parsed(t, "--translator="+name)
		c, withBudget := parsed(t, "--translator="+name, "--translator-budget=500000")
		require.NoError(t, withBudget, name)
		if slices.Contains(paid, name) {
			require.ErrorContains(t, err, "PLAZA_TRANSLATOR_BUDGET: "+name+" charges for each character", name)
			assert.Equal(t, []string{"en", "es", "fr", "de", "pt-BR", "ja", "zh-Hans", "zh-Hant"}, names(bootstrap.Offer(c).Languages), name)
		} else {
			require.NoError(t, err, name)
			assert.Empty(t, bootstrap.Offer(c).Languages, "%s: any", name)
		}
	}
	c, err := parsed(t, "--translator=deepl", "--translator-budget=500000", "--translator-languages=sv")
	require.NoError(t, err)
	assert.Equal(t, []string{"sv"}, names(bootstrap.Offer(c).Languages))
}

func TestGEN14_limits_of_languages_and_addresses(t *testing.T) {
	c, err := parsed(t)
	require.NoError(t, err)
	assert.Equal(t, ratelimit.Limit{Count: 5, Period: time.Hour}, bootstrap.Offer(c).NewLanguages)
	assert.Equal(t, ratelimit.Limit{Count: 6000, Period: time.Minute}, c.LimitAddress)
	c, err = parsed(t, "--limits=off", "--limit-languages=1/d")
	require.NoError(t, err)
	assert.True(t, bootstrap.Offer(c).NewLanguages.IsOff())
}
