package bootstrap_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

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
