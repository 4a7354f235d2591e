package ports

import (
	"fmt"
	"slices"
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
		{"Get returns those of the translations that are kept, as they went in", cacheGet},
		{"what has expired is not returned, from the very instant on", cacheExpires},
		{"Put keeps a translation in place of what was kept", cacheReplace},
		{"Puts of one translation at once all succeed", cacheAtOnce},
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
	all := map[localisation.Key]string{}
	for _, text := range texts {
		all[keyOf(text)] = "es: " + text
	}
	require.NoError(w, w.Translations.Put(w.Context(), all, expires))
}

func (w *fixtures) translated(now time.Time, texts ...string) map[localisation.Key]string {
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
	all := map[localisation.Key]string{
		keyOf("a"): "", keyOf("b"): broad(16_000), keyOf("c"): "O'Brien \\ \"%_\"\n\t ", keyOf("d"): " <b>&amp;</b> ",
	}
	require.NoError(w, w.Translations.Put(w.Context(), all, noon.Add(time.Hour)))
	assert.Equal(w, all, w.translated(noon, "a", "b", "c", "d"))
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
	require.NoError(w, w.Translations.Put(w.Context(), map[localisation.Key]string{keyOf("one"): "uno"}, noon.Add(2*time.Hour)))
	assert.Equal(w, "uno", w.translated(noon, "one")[keyOf("one")])
	assert.Equal(w, map[localisation.Key]string{keyOf("one"): "uno"}, w.translated(noon.Add(time.Hour), "one", "two"))
	w.translate(noon.Add(90*time.Minute), "one")
	assert.Empty(w, w.translated(noon.Add(90*time.Minute), "one"), "also when it expires earlier than what was kept")
}

func cacheAtOnce(w *fixtures) {
	w.succeed(atOnce(many, func(i int) error {
		return w.Translations.Put(w.Context(), map[localisation.Key]string{
			keyOf("one"): fmt.Sprint(i), keyOf("two"): fmt.Sprint(i), keyOf(fmt.Sprint(i)): "own",
		}, noon.Add(time.Hour))
	}))
	for i := range many {
		assert.Len(w, w.translated(noon, "one", "two", fmt.Sprint(i)), 3)
	}
}

var holderA, holderB = localisation.Holder{'A'}, localisation.Holder{'B'}

// claimLease is how long the claims of the suite last.
const claimLease = 25 * time.Second

func claimOf(h localisation.Holder, now time.Time, texts ...string) localisation.Claim {
	c := localisation.Claim{Holder: h, Now: now, Until: now.Add(claimLease)}
	for _, text := range texts {
		c.Keys = append(c.Keys, keyOf(text))
	}
	return c
}

func (w *fixtures) claims(h localisation.Holder, now time.Time, texts ...string) localisation.Claimed {
	claimed, err := w.Translations.Claim(w.Context(), claimOf(h, now, texts...))
	require.NoError(w, err)
	return claimed
}

func keysOf(texts ...string) []localisation.Key { return claimOf(holderA, noon, texts...).Keys }

func cacheClaim(w *fixtures) {
	first := w.claims(holderA, noon, "one", "two", "one")
	assert.ElementsMatch(w, keysOf("one", "two"), first.Mine, "each once")
	assert.Empty(w, first.Kept)
	second := w.claims(holderB, noon, "two", "three")
	assert.Equal(w, keysOf("three"), second.Mine)
	assert.Empty(w, second.Kept)
	assert.Empty(w, w.claims(holderA, noon).Mine)
	assert.Empty(w, w.translated(noon, "one", "two", "three"), "a claim is no translation")
}

func cacheClaimsAtOnce(w *fixtures) {
	texts := []string{"one", "two", "three", "four", "five"}
	got := make([][]localisation.Key, many)
	w.succeed(atOnce(many, func(i int) error {
		mine := slices.Clone(texts)
		if i%2 == 1 {
			slices.Reverse(mine) // the order of the keys must not matter
		}
		claimed, err := w.Translations.Claim(w.Context(), claimOf(localisation.Holder{byte(i + 1)}, noon, mine...))
		got[i] = claimed.Mine
		return err
	}))
	assert.ElementsMatch(w, keysOf(texts...), slices.Concat(got...))
}

func cacheClaimEnds(w *fixtures) {
	end := noon.Add(claimLease)
	w.claims(holderA, noon, "one", "two")
	assert.Empty(w, w.claims(holderB, end.Add(-time.Microsecond), "one", "two").Mine)
	assert.Empty(w, w.claims(holderA, noon.Add(time.Second), "two").Mine, "its own")
	assert.ElementsMatch(w, keysOf("one", "two"), w.claims(holderB, end, "one", "two").Mine, "from the very instant on")
	assert.Empty(w, w.claims(holderA, end, "one").Mine, "it has another holder now")
}

func cacheClaimKept(w *fixtures) {
	soon := noon.Add(time.Hour)
	w.translate(soon, "one")
	claimed := w.claims(holderA, noon, "one", "two")
	assert.Equal(w, map[localisation.Key]string{keyOf("one"): "es: one"}, claimed.Kept)
	assert.Equal(w, keysOf("two"), claimed.Mine)
	claimed = w.claims(holderB, soon, "one", "two")
	assert.ElementsMatch(w, keysOf("one", "two"), claimed.Mine, "it has expired, and nobody has claimed it")
	assert.Empty(w, claimed.Kept)
}

func cacheClaimsEnd(w *fixtures) {
	w.claims(holderA, noon, "one", "two")
	require.NoError(w, w.Translations.Put(w.Context(), map[localisation.Key]string{keyOf("one"): "uno"}, noon.Add(time.Second)))
	claimed := w.claims(holderB, noon, "one", "two")
	assert.Equal(w, map[localisation.Key]string{keyOf("one"): "uno"}, claimed.Kept)
	assert.Empty(w, claimed.Mine)
	assert.Equal(w, keysOf("one"), w.claims(holderB, noon.Add(time.Second), "one", "two").Mine)
}

func cacheRelease(w *fixtures) {
	w.claims(holderA, noon, "one", "two")
	w.claims(holderB, noon, "three")
	require.NoError(w, w.Translations.Release(w.Context(), holderA, keysOf("one", "three", "nobody's")))
	require.NoError(w, w.Translations.Release(w.Context(), holderA, nil))
	assert.Equal(w, keysOf("one"), w.claims(localisation.Holder{'C'}, noon, "one", "two", "three").Mine)
}

// spending is of so many characters on a day of noon's.
func spending(characters int64) localisation.Spending {
	return localisation.Spending{Translator: "pseudo", Day: localisation.DayOf(noon), Characters: characters}
}

func (w *fixtures) spends(s localisation.Spending, budget int64) bool {
	within, err := w.Translations.Spend(w.Context(), s, budget)
	require.NoError(w, err)
	return within
}

func cacheSpend(w *fixtures) {
	assert.False(w, w.spends(spending(11), 10))
	assert.True(w, w.spends(spending(6), 10))
	assert.False(w, w.spends(spending(5), 10))
	assert.True(w, w.spends(spending(4), 10), "nothing of what was refused counts")
	assert.False(w, w.spends(spending(1), 10))
	assert.True(w, w.spends(spending(1_000_000_000_000), 1_000_000_000_010), "the budget is what it is now")
	assert.False(w, w.spends(spending(1), 1_000_000_000_010))
	other, later := spending(10), spending(10)
	other.Translator, later.Day = "other", later.Day.Add(24*time.Hour)
	assert.True(w, w.spends(other, 10))
	assert.True(w, w.spends(later, 10))
}

func cacheSpendsAtOnce(w *fixtures) {
	within := make([]bool, many)
	w.succeed(atOnce(many, func(i int) (err error) {
		within[i], err = w.Translations.Spend(w.Context(), spending(2), 7)
		return err
	}))
	assert.Equal(w, 3, len(slices.DeleteFunc(within, func(is bool) bool { return !is })))
}

func cacheRefund(w *fixtures) {
	require.NoError(w, w.Translations.Refund(w.Context(), spending(5)), "nothing was spent")
	assert.True(w, w.spends(spending(10), 10))
	require.NoError(w, w.Translations.Refund(w.Context(), spending(4)))
	assert.False(w, w.spends(spending(5), 10))
	assert.True(w, w.spends(spending(4), 10))
	require.NoError(w, w.Translations.Refund(w.Context(), spending(11)), "more than there is")
	assert.False(w, w.spends(spending(11), 10))
	assert.True(w, w.spends(spending(10), 10))
}
