package ports

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Search is the suite of user.Directory.Search.
func Search(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Search returns the users whom the name finds", searchFinds},
		{"those first whom the searching user follows, and each of both in ascending order of uid, page by page", searchInOrder},
		{"Each comes once, although the searching user follows them, or no longer does, between two pages", searchOnce},
		{"It leaves out users whose account is disabled, or whose data was erased", searchLeavesOut},
		{"imported names find the user", searchImported},
	})
}

func searchName(t *testing.T, name string) user.SearchName {
	t.Helper()
	n, err := user.ParseSearchName(name)
	require.NoError(t, err)
	return n
}

// searches returns the ids of all whom the user finds, or staff if it is zero, by pages of the size.
func (w *fixtures) searches(by user.ID, name string, size int) (ids []user.ID) {
	w.Helper()
	for after := (page.Cursor{}); ; {
		p, err := w.Directory.Search(w.Context(), user.Search{Name: searchName(w.T, name), By: by, WithDisabled: by == 0,
			CursorRequest: page.Behind(after, size)})
		require.NoError(w, err)
		require.LessOrEqual(w, len(p.Items), size)
		for _, m := range p.Items {
			ids = append(ids, m.ID)
		}
		if p.Next == (page.Cursor{}) {
			return ids
		}
		require.Positive(w, p.Next.Compare(after), "it comes to an end")
		after = p.Next
	}
}

func (w *fixtures) named(given, family string) user.ID {
	w.Helper()
	return w.newUser(func(m *user.Member) { m.Firstname, m.Lastname = given, family })
}

func searchFinds(w *fixtures) {
	names := []string{"", "A", "Ab", "Abcdefg", "Abcdefgh", "Abcdefg h", "ABCDEFGHI", "Abcdefghij Klm", "José Ángel", "A\u200dB",
		"葛\U000e0100城", "王", "欧阳", "ＡＢ", "Straße", "%_\\'\"", "\x01\t", broad(64)}
	var all []user.Member
	for _, given := range names {
		for _, family := range names {
			m := user.Member{Firstname: given, Lastname: family, Expertise: "Tea", Location: "Sevilla", Timezone: "UTC", Joined: noon, Seen: noon}
			m.ID = w.newUser(func(to *user.Member) { *to = m })
			all = append(all, m)
		}
	}
	for _, name := range []string{
		"ab", "abc", "abcdefg", "abcdefg h", "abcdefgh", "abcdefghi", "abcdefghij klm", "abcdefghij klma", "王", "王欧", "欧阳王", "strasse", "aba",
		"a a", "a b", "b a", "%_", "no one", broad(64),
		"abcdefgh jose", "angel abc", "angel jose", "jo an", "王 欧", "葛城", "欧 阳", "ab cdefg", "straße abcdefghij", "klm abcdefghij ang",
		"joseangelab",
	} {
		var want []user.ID
		for _, m := range all {
			if searchName(w.T, name).Finds(m) {
				want = append(want, m.ID)
			}
		}
		assert.Equal(w, want, w.searches(all[0].ID, name, 100), name)
	}
	for _, m := range all {
		if name, err := user.ParseSearchName(m.FullName()); err == nil {
			assert.Contains(w, w.searches(all[0].ID, string(name), 100), m.ID, name)
		}
	}
	p, err := w.Directory.Search(w.Context(), user.Search{Name: "straße", By: 1, CursorRequest: page.Behind(page.Cursor{}, 100)})
	require.NoError(w, err)
	assert.Empty(w, p.Items, "the name is folded")
	p, err = w.Directory.Search(w.Context(), user.Search{Name: "strassestr", By: 1, CursorRequest: page.Behind(page.Cursor{}, 100)})
	require.NoError(w, err)
	stored := w.member(p.Items[0].ID)
	assert.Equal(w, []user.Member{stored}, p.Items, "with all that Members returns")
}

func searchInOrder(w *fixtures) {
	var all []user.ID
	for i := range 12 {
		all = append(all, w.named("Ana", fmt.Sprint("Maximiliana ", i)))
	}
	me := all[5]
	for _, followed := range []int{9, 2, 7} {
		w.follow(me, all[followed])
	}
	w.follow(me, w.named("Bo", ""))
	w.follow(all[3], me)
	w.subscribe(subscription.ToCategory(me, w.category(1), noon))
	want := []user.ID{all[2], all[7], all[9], all[0], all[1], all[3], all[4], all[5], all[6], all[8], all[10], all[11]}
	for size := 1; size <= 13; size++ {
		for _, name := range []string{"an", "maximiliana"} {
			assert.Equal(w, want, w.searches(me, name, size), "%s by %d", name, size)
		}
	}
	assert.Equal(w, all, w.searches(all[0]+1000, "ana", 5), "who follows nobody")
}

func searchOnce(w *fixtures) {
	var all []user.ID
	for range 120 {
		all = append(all, w.named("Ana María", "Ana"))
	}
	me := all[7]
	followed := map[int]subscription.Subscription{}
	turn := func(i int) {
		if s, is := followed[i]; is {
			require.NoError(w, w.Subscriptions.Remove(w.Context(), me, s.ID))
			delete(followed, i)
		} else if i != 7 {
			followed[i] = w.subscribe(toUser(me, all[i], noon))
		}
	}
	for _, name := range []string{"an", "ana mar", "maria"} {
		for _, size := range []int{7, 50} {
			for i := range 110 {
				turn(i)
			}
			var found []user.ID
			for after, round := (page.Cursor{}), 1; round == 1 || after != (page.Cursor{}); round++ {
				p, err := w.Directory.Search(w.Context(), user.Search{Name: searchName(w.T, name), By: me, CursorRequest: page.Behind(after, size)})
				require.NoError(w, err)
				for _, m := range p.Items {
					found = append(found, m.ID)
				}
				after = p.Next
				for i := range 120 {
					if (i+round)%5 == 0 {
						turn(i)
					}
				}
			}
			assert.ElementsMatch(w, all, found, "%s by %d", name, size)
		}
	}
}

func searchLeavesOut(w *fixtures) {
	a, b, c, d, e := w.named("Ana", ""), w.named("Ana", ""), w.named("Ana", ""), w.named("Ana", ""), w.named("Ana", "")
	for _, followed := range []user.ID{b, d} {
		w.follow(a, followed)
	}
	set := func(id user.ID, disabled bool) {
		require.NoError(w, w.Accounts.Change(w.Context(), id, func(account *access.Account) error {
			account.Disabled = disabled
			return nil
		}))
	}
	set(b, true)
	set(c, true)
	assert.Equal(w, []user.ID{d, a, e}, w.searches(a, "ana", 2))
	assert.Equal(w, []user.ID{a, b, c, d, e}, w.searches(0, "ana", 2), "of staff")
	set(b, false)
	set(c, false)
	for _, id := range []user.ID{d, e} {
		_, err := w.PersonalData.Erase(w.Context(), id, personaldata.Account, 1)
		require.NoError(w, err)
	}
	assert.Equal(w, []user.ID{b, a, c}, w.searches(a, "ana", 2))
}

func searchImported(w *fixtures) {
	other := w.named("Zoe", "Zimmer")
	c := w.importer("a")
	brings := func(given, family string, want ...imported.Status) []user.ID {
		known, adopted := userRecord("a", 7), userRecord("b", 1)
		known.Firstname, known.Lastname, adopted.Firstname, adopted.Lastname = given, family, given, family
		require.Equal(w, want, c.importAll(known, adopted))
		return []user.ID{other, w.uid(phone(7))}
	}
	both := brings("Anneliese", "Müller", imported.New, imported.New)
	for _, name := range []string{"anne", "anneliese m", "müllera", "mü", "Muller Anne"} {
		assert.Equal(w, both, w.searches(other, name, 5), name)
	}
	assert.Empty(w, w.searches(other, "zo", 5), "the former name of the account that is theirs")
	brings("Anneliese", "Müller", imported.Same, imported.Same)
	brings("Berta", "Maier", imported.Changed, imported.Changed)
	assert.Equal(w, both, w.searches(other, "berta maier", 5))
	for _, former := range []string{"anneliese", "mü"} {
		assert.Empty(w, w.searches(other, former, 5), former)
	}
}
