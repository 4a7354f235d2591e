package localisation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/locale"
	"plaza/domain/localisation"
)

func TestPUB06_what_translations_are_kept_by(t *testing.T) {
	tag := func(name string) locale.Tag {
		parsed, _ := locale.Parse(name)
		return parsed
	}
	keyOf := func(text string, from, to locale.Tag, translator string) localisation.Key {
		return localisation.KeyOf(localisation.Text{Content: text, Language: from}, to, translator)
	}
	key := keyOf("text", tag("en"), tag("zh-CN"), "pseudo")
	assert.Equal(t, key, keyOf("text", tag("en-GB"), tag("zh_CN"), "pseudo"), "the same languages")
	for name, other := range map[string]localisation.Key{
		"text":       keyOf("texts", tag("en"), tag("zh-CN"), "pseudo"),
		"source":     keyOf("text", tag("es"), tag("zh-CN"), "pseudo"),
		"target":     keyOf("text", tag("en"), tag("zh-TW"), "pseudo"),
		"variant":    keyOf("text", tag("en"), tag("zh-SG"), "pseudo"),
		"translator": keyOf("text", tag("en"), tag("zh-CN"), "real"),
		"direction":  keyOf("text", tag("zh-CN"), tag("en"), "pseudo"),
		"boundary":   keyOf("texten-Latn", locale.Tag{}, tag("zh-CN"), "pseudo"),
	} {
		assert.NotEqual(t, key, other, name)
	}
	assert.Equal(t, 30*24*time.Hour, localisation.CacheFor)
}
