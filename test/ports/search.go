package ports

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/search"
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
	n, err := user.ParseSearchName(name)
	require.NoError(t, err)
	return n
}

// searches returns the ids of all whom the user finds, or staff if it is zero, by pages of the size.
func (w *fixtures) searches(by user.ID, name string, size int) (ids []user.ID) {
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
		w.changeAccount(id, func(a *access.Account) { a.Disabled = disabled })
	}
	set(b, true)
	set(c, true)
	assert.Equal(w, []user.ID{d, a, e}, w.searches(a, "ana", 2))
	assert.Equal(w, []user.ID{a, b, c, d, e}, w.searches(0, "ana", 2), "of staff")
	set(b, false)
	set(c, false)
	w.erase(d, personaldata.Account)
	w.erase(e, personaldata.Account)
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

// Texts is the suite of search.Index.
func Texts(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Find returns the things that have all words of the query and are of one of its kinds, the newest creation first", findKinds},
		{"public events and the searcher's own, but no hidden ones, and none of an author with whom the searcher has a block", findEvents},
		{"a changed text is found by its new words alone", findChanged},
		{"a publication or node has the words of the titles of its translations, which its card shows", findTranslated},
		{"page by page each thing comes once, also of those that were created at the same moment", findPages},
		{"random texts are found by their words", findRandom},
	})
}

// searched are the kinds that searches find.
var searched = append(feed.ItemKinds(), feed.Event)

// found returns what the user finds, as kinds and ids, by pages of the size.
func (w *fixtures) found(by user.ID, q string, size int, kinds ...feed.Kind) (found []string) {
	words, err := search.Parse(q)
	require.NoError(w, err)
	if kinds == nil {
		kinds = searched
	}
	for after := (page.Cursor{}); ; {
		p, err := w.Search.Find(w.Context(), search.Query{Words: words, Kinds: kinds, By: by, CursorRequest: page.Behind(after, size)})
		require.NoError(w, err)
		if after != (page.Cursor{}) || p.Next != (page.Cursor{}) {
			require.NotEmpty(w, p.Items, "nothing has changed meanwhile")
		}
		require.LessOrEqual(w, len(p.Items), size)
		for _, f := range p.Items {
			if f.Event != nil {
				assert.Equal(w, stateOf(w.entry(f.Event.ID()).Event), stateOf(f.Event.Event))
				found = append(found, fmt.Sprint("event ", f.Event.ID()))
				continue
			}
			l, _ := f.Item.Listing()
			assert.Equal(w, w.card(l.Kind, l.ID).Item, f.Item)
			found = append(found, fmt.Sprint(l.Kind, " ", l.ID))
		}
		if p.Next == (page.Cursor{}) {
			return found
		}
		after = p.Next
	}
}

func named(e *event.Event) string { return fmt.Sprint("event ", e.ID()) }

func findKinds(w *fixtures) {
	c := w.importer("a")
	c.settled()
	p := publicationRecord(1, func(p *publication.Publication) { p.Title, p.Created = "大理古城 guide", noon.Add(3*time.Second) })
	p.HTML = "<p>Caf<b>é</b></p><p>Straße</p>"
	n := nodeRecord(1, func(n *publication.Node) {
		n.Title, n.Summary, n.Created = "Guía de Dalí", "大理 tea", noon.Add(time.Second)
	})
	d := demandRecord(1, func(d *demand.Demand) {
		d.Title, d.Description = "Guide wanted", "in 大理"
		d.Created = noon.Add(2 * time.Second)
	})
	for _, record := range []imported.Record{bundleRecord(1, 0, 0), p, n, d} {
		c.importAll(record)
	}
	me := w.newUser()
	e := w.write(me, noon, titled("大理"), withTexts("<p>İstanbul</p>"))
	for q, want := range map[string][]string{
		"大理":              {"publication 1", "demand 1", "node 1", named(e)},
		"理":               {"publication 1", "demand 1", "node 1", named(e)},
		"guide 大理":        {"publication 1", "demand 1"},
		"dali GUIA":       {"node 1"},
		"cafe strasse":    {"publication 1"},
		"istanbul 大":      {named(e)},
		"b":               nil, // a tag
		"理古":              {"publication 1"},
		"城古":              nil,
		"guide 大理 absent": nil,
	} {
		assert.Equal(w, want, w.found(me, q, 20), q)
	}
	assert.Equal(w, []string{"node 1", named(e)}, w.found(me, "大理", 1, feed.Event, feed.Node))
	assert.Equal(w, []string{"publication 1", "demand 1", "node 1"}, w.found(0, "大理", 20), "without an account no events")
}

func findEvents(w *fixtures) {
	me, other := w.newUser(), w.newUser()
	w.befriend(me, other)
	public, theirs := w.write(other, noon, titled("tea")), w.write(other, noon.Add(1), titled("tea"), permitted(event.Contact))
	draft, own := w.write(other, noon.Add(2), titled("tea"), published(false)), w.write(me, noon.Add(3000), titled("tea"), published(false))
	assert.Equal(w, []string{named(own), named(public)}, w.found(me, "tea", 20))
	assert.ElementsMatch(w, []string{named(draft), named(theirs), named(public)}, w.found(other, "tea", 20))
	assert.Empty(w, w.found(0, "tea", 20))
	w.hide(thing(public.ID()), noon)
	assert.Equal(w, []string{named(own)}, w.found(me, "tea", 20))
	assert.ElementsMatch(w, []string{named(draft), named(theirs)}, w.found(other, "tea", 20), "nobody finds what is hidden")
	w.restore(thing(public.ID()))
	for _, by := range [][2]user.ID{{me, other}, {other, me}} {
		assert.Contains(w, w.found(me, "tea", 20), named(public))
		w.block(by[0], by[1])
		assert.Equal(w, []string{named(own)}, w.found(me, "tea", 1))
		w.unblock(by[0], by[1])
	}
	w.remove(public.ID())
	assert.Equal(w, []string{named(own)}, w.found(me, "tea", 20))
	assert.Equal(w, 1, w.erase(me, personaldata.Events))
	assert.Empty(w, w.found(me, "tea", 20))
	w.consistent()
}

func findChanged(w *fixtures) {
	me := w.newUser()
	e := w.write(me, noon, titled("tea and milk"))
	for _, title := range []string{"tea", "coffee and milk", "milk"} {
		w.change(e.ID(), apply(noon, titled(title)))
		for _, word := range []string{"tea", "coffee", "milk", "and"} {
			assert.Equal(w, strings.Contains(title, word), len(w.found(me, word, 20)) == 1, "%s in %s", word, title)
		}
	}
	c := w.importer("a")
	c.settled()
	c.importAll(bundleRecord(1, 0, 0))
	p := publicationRecord(1)
	for _, word := range []string{"Eins", "Zwei", ""} { // only the text changes
		p.HTML = ""
		if word != "" {
			p.HTML = markup.HTML("<p>" + word + "</p>")
		}
		c.importAll(p)
		for _, of := range []string{"Eins", "Zwei"} {
			assert.Equal(w, of == word, len(w.found(0, of, 20)) == 1, "%s in %s", of, word)
		}
	}
	p.Created = noon.AddDate(1, 0, 0)
	c.importAll(nodeRecord(1, func(n *publication.Node) { n.Title, n.Created = p.Title, noon.Add(time.Hour) }), p)
	assert.Equal(w, []string{"publication 1", "node 1"}, w.found(0, p.Title, 1, feed.Publication, feed.Node), "it was created later")
	w.consistent()
}

// findTranslated compares what is found by the words of titles with the translations that cards show.
func findTranslated(w *fixtures) {
	words := strings.Fields("tea 茶 thé chai")
	w.eachSeed(func(w *fixtures, c random) {
		im := w.importer("a")
		author := im.settled()
		hidden := map[moderation.Thing]bool{}
		bundle := func() publication.BundleID { return publication.BundleID(1 + c.IntN(4)) }
		im.importAll(bundleRecord(1, 0, 0), bundleRecord(2, 1, 1), bundleRecord(3, 1, 2), bundleRecord(4, 0, 0))
		for range 40 {
			id := 1 + c.IntN(4)
			switch c.IntN(6) {
			case 0:
				im.importAll(bundleRecord(bundle(), publication.BundleID(c.IntN(4)), 0))
			case 1:
				kind := pick(c, feed.Publication, feed.Node)
				if _, err := w.Feed.Card(w.Context(), kind, int64(id)); err == nil {
					thing := moderation.Thing{Kind: moderation.Kind(kind), ID: int64(id)}
					w.hide(thing, noon)
					hidden[thing] = true
				}
			case 2:
				for thing := range hidden {
					w.restore(thing)
					delete(hidden, thing)
				}
			case 3:
				_, err := w.PersonalData.Erase(w.Context(), author, pick(c, personaldata.Publications, personaldata.Nodes), c.IntN(3))
				require.NoError(w, err)
				clear(hidden)
			case 4:
				im.importAll(nodeRecord(publication.NodeID(id), func(n *publication.Node) { n.Title, n.Bundle = pick(c, words...), bundle() }))
			default:
				im.importAll(publicationRecord(publication.ID(id), func(p *publication.Publication) {
					p.Title, p.Bundle.ID, p.Deleted = pick(c, words...), bundle(), c.IntN(5) == 0
				}))
			}
			for _, word := range words {
				var want []string
				for i := range 8 {
					kind, id := []feed.Kind{feed.Publication, feed.Node}[i/4], int64(1+i%4)
					card, err := w.Feed.Card(w.Context(), kind, id)
					if err != nil {
						continue // not listed
					}
					var titles []string
					switch thing := card.Listable.(type) {
					case publication.Publication:
						titles = append(titles, thing.Title)
					case publication.Node:
						titles = append(titles, thing.Title)
					}
					for _, t := range card.Translations {
						titles = append(titles, t.Title)
					}
					if slices.Contains(titles, word) {
						want = append(want, fmt.Sprint(kind, " ", id))
					}
				}
				assert.ElementsMatch(w, want, w.found(0, word, 20), word)
			}
		}
		w.consistent()
	})
}

func findPages(w *fixtures) {
	me := w.newUser()
	var want []string
	for i := range 60 {
		want = append(want, named(w.write(me, noon.Add(time.Duration(i%3)*time.Microsecond), titled("tea"))))
	}
	newest := w.found(me, "tea", 100)
	assert.ElementsMatch(w, want, newest)
	for _, size := range []int{1, 7} {
		assert.Equal(w, newest, w.found(me, "tea", size), "the order stays")
	}
	c := w.importer("a")
	c.settled()
	records, leaves := []imported.Record{bundleRecord(1, 0, 0)}, []string{}
	for id := publication.NodeID(1200); id > 0; id-- { // of what all have, stores read the newest first
		title := "cup"
		if id > 1195 || id < 15 {
			title = "cup, leaf"
			leaves = append(leaves, fmt.Sprint("node ", id))
		}
		records = append(records, nodeRecord(id, func(n *publication.Node) {
			n.Title, n.Created = title, noon.Add(time.Duration(id)*time.Second)
		}))
	}
	c.importAll(records...)
	for _, size := range []int{1, 5, 6, 50} {
		assert.Equal(w, leaves, w.found(me, "cup leaf", size), size)
	}
}

func findRandom(w *fixtures) {
	words := strings.Fields("tea Tee 茶 大理古城 北京 Straße ÜBER café 🎉 ＡＢＣ İzmir ısı 2026 it's ガス")
	w.eachSeed(func(w *fixtures, c random) {
		text := func(most int) string {
			var some []string
			for range 1 + c.IntN(most) {
				some = append(some, pick(c, words...))
			}
			return strings.Join(some, pick(c, " ", ", ", "", "-"))
		}
		people := w.users(3)
		var events []event.State
		for i := range 120 {
			at := noon.Add(-time.Duration(c.IntN(1<<(4+c.IntN(43)))+i) * time.Microsecond) // up to two years ago
			e := w.write(pick(c, people...), at, titled(text(6)), shown(event.Exposure{
				Status: pick(c, event.Statuses()...), Permission: pick(c, event.Permissions()...)}))
			if c.IntN(3) == 0 {
				w.change(e.ID(), apply(noon, titled(text(4))))
			}
			events = append(events, w.entry(e.ID()).State())
		}
		for range 250 {
			q, by := text(3), pick(c, people...)
			sought, err := search.Parse(q)
			require.NoError(w, err)
			var want []string
			slices.SortFunc(events, func(a, b event.State) int { return b.Created.Compare(a.Created) })
			for _, e := range events {
				stored, err := event.Restore(e)
				require.NoError(w, err)
				r := subscription.Stranger
				if e.Author == by {
					r = subscription.Self
				}
				lacks := func(word string) bool { return !slices.Contains(search.Words(e.Title), word) }
				if search.IsShown(stored, r) && !slices.ContainsFunc(sought, lacks) {
					want = append(want, named(stored))
				}
			}
			assert.Equal(w, want, w.found(by, q, pick(c, 1, 3, 50)), q)
		}
		w.consistent()
	})
}
