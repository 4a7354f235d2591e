package pseudo_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/pseudo"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/test/ports"
)

func TestTranslator(t *testing.T) {
	ports.Translator(t, func(*testing.T) localisation.Translator { return pseudo.New() })
}

func TestItsTranslationsAreMarkedAsSuch(t *testing.T) {
	from, _ := locale.Parse("en")
	to, _ := locale.Parse("zh_CN")
	got, err := pseudo.New().Translate(t.Context(), from, to, []string{"text", ""})
	require.NoError(t, err)
	assert.Equal(t, []string{"⟦zh-CN⟧ text", "⟦zh-CN⟧ "}, got)
	assert.Equal(t, "pseudo", pseudo.New().Name())
}
