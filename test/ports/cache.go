package ports

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/locale"
	"plaza/domain/localisation"
)

// Cache is the suite of localisation.Cache.
func Cache(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Get returns those of the translations that are kept", cacheGet},
		{"what has expired is not returned, from the very instant on", cacheExpires},
		{"Put keeps a translation in place of what was kept", cacheReplace},
		{"texts come back as they went in", cacheTexts},
		{"Puts of one translation at once all succeed", cacheAtOnce},
		{"what has not expired is kept, however many come and go", cacheMany},
		{"Claim gives what is not kept to one of many holders", cacheClaim},
		{"of many that claim at once, one gets a key", cacheClaimsAtOnce},
		{"a claim ends with its time, even for its holder", cacheClaimEnds},
		{"Claim returns what is kept, until it expires", cacheClaimKept},
		{"Put ends all claims to what it keeps", cacheClaimsEnd},
		{"Release ends the holder's claims, and no other's", cacheRelease},
		{"Spend counts by translator and day, within the budget", cacheSpend},
		{"of many that spend at once, none goes beyond the budget", cacheSpendsAtOnce},
		{"Refund takes back what was spent", cacheRefund},
	})
}

// keyOf is the key of the text's translation into Spanish.
func keyOf(text string) localisation.Key {
	from, _ := locale.Parse("en")
	to, _ := locale.Parse("es")
	return localisation.KeyOf(localisation.Text{Content: text, Language: from}, to, "pseudo")
}

func (w *fixtures) translate(expires time.Time, texts ...string) {
	w.Helper()
	all := map[localisation.Key]string{}
	for _, text := range texts {
		all[keyOf(text)] = "es: " + text
	}
	require.NoError(w, w.Translations.Put(w.Context(), all, expires))
}

func (w *fixtures) translated(now time.Time, texts ...string) map[localisation.Key]string {
	w.Helper()
	var keys []localisation.Key
	for _, text := range texts {
		keys = append(keys, keyOf(text))
	}
	found, err := w.Translations.Get(w.Context(), keys, now)
	require.NoError(w, err)
	return found
}

func cacheGet(w *fixtures) {
	assert.Empty(w, w.translated(noon, "one"))
	w.translate(noon.Add(localisation.CacheFor), "one", "two", "three")
	w.translate(noon.Add(localisation.CacheFor))
	assert.Equal(w, map[localisation.Key]string{keyOf("one"): "es: one", keyOf("three"): "es: three"},
		w.translated(noon, "three", "one", "four", "one"))
	assert.Empty(w, w.translated(noon))
	assert.Empty(w, w.translated(noon, "", "One"))
}

func cacheExpires(w *fixtures) {
	soon, late := noon.Add(time.Hour), noon.Add(2*time.Hour)
	w.translate(soon, "one")
	w.translate(late, "two")
	w.translate(noon.Add(-time.Hour), "stale")
	assert.Len(w, w.translated(noon, "one", "two", "stale"), 2)
	assert.Len(w, w.translated(soon.Add(-time.Microsecond), "one", "two"), 2)
	assert.Equal(w, map[localisation.Key]string{keyOf("two"): "es: two"}, w.translated(soon, "one", "two"))
	assert.Empty(w, w.translated(late, "one", "two"))
}

func cacheReplace(w *fixtures) {
	w.translate(noon.Add(time.Hour), "one", "two")
	require.NoError(w, w.Translations.Put(w.Context(),
		map[localisation.Key]string{keyOf("one"): "uno"}, noon.Add(2*time.Hour)))
	assert.Equal(w, "uno", w.translated(noon, "one")[keyOf("one")])
	assert.Equal(w, map[localisation.Key]string{keyOf("one"): "uno"}, w.translated(noon.Add(time.Hour), "one", "two"))
	w.translate(noon.Add(90*time.Minute), "one")
	assert.Empty(w, w.translated(noon.Add(90*time.Minute), "one"), "also when it expires earlier than what was kept")
}

func cacheTexts(w *fixtures) {
	all := map[localisation.Key]string{
		keyOf("a"): "", keyOf("b"): broad(16_000), keyOf("c"): "O'Brien \\ \"%_\"\n\t ", keyOf("d"): " <b>&amp;</b> ",
	}
	require.NoError(w, w.Translations.Put(w.Context(), all, noon.Add(time.Hour)))
	assert.Equal(w, all, w.translated(noon, "a", "b", "c", "d"))
}

func cacheAtOnce(w *fixtures) {
	for _, err := range atOnce(many, func(i int) error {
		return w.Translations.Put(w.Context(), map[localisation.Key]string{
			keyOf("one"): fmt.Sprint(i), keyOf("two"): fmt.Sprint(i), keyOf(fmt.Sprint(i)): "own",
		}, noon.Add(time.Hour))
	}) {
		require.NoError(w, err)
	}
	for i := range many {
		assert.Len(w, w.translated(noon, "one", "two", fmt.Sprint(i)), 3)
	}
}

func cacheMany(w *fixtures) {
	w.translate(noon.Add(localisation.CacheFor), "lasting")
	for round := range 8 {
		now := noon.Add(time.Duration(round) * time.Hour)
		var texts []string
		for i := range 500 {
			texts = append(texts, fmt.Sprint(round, " ", i))
		}
		w.translate(now.Add(time.Hour), texts...)
		assert.Len(w, w.translated(now, texts...), 500)
		assert.Len(w, w.translated(now, "lasting"), 1)
	}
}
