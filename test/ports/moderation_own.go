package ports

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/quota"
	"plaza/domain/user"
)

func attached(id event.PlateID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Plate, ID: int64(id)}
}

func portrayed(id user.ID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Profile, ID: int64(id)}
}

// withPlates stores an event that has plates of so many bytes with these keys, and a text unless it is blank.
func (w *fixtures) withPlates(author user.ID, text string, bytes int64, keys ...media.Key) event.State {
	e := w.written(author, noon, published(false), titled(text))
	for _, key := range keys {
		require.NoError(w, e.AddPlate(event.Plate{Photo: key, Bytes: bytes}, noon))
	}
	require.NoError(w, e.Apply(change(published(true)), noon))
	return stateOf(w.stores(e))
}

func photosOf(plates []event.Plate) []media.Key {
	return mapped(plates, func(p event.Plate) media.Key { return p.Photo })
}

// finished removes the former files of what was moved.
func (w *fixtures) finished(want ...media.Key) {
	due := w.dueDeletions(noon.Add(media.MoveTime))
	assert.ElementsMatch(w, want, due)
	require.NoError(w, w.Deletions.Done(w.Context(), due))
}

func hidePlated(w *fixtures) {
	author := w.newUser()
	before := w.withPlates(author, "Fog", 7, "private/a.png", "private/b.jpg")
	to := w.moves(thing(before.ID))
	w.change(before.ID, func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: "private/c.png", Bytes: 7}, noon) })
	require.ErrorIs(w, w.tryHide(thing(before.ID), to), media.ErrMoving, "the last plate was added since")
	after := stateOf(w.entry(before.ID).Event)
	assert.Equal(w, append(photosOf(before.Plates), "private/c.png"), photosOf(after.Plates))
	assert.False(w, after.IsHidden)
	w.finished(to.To["private/a.png"], to.To["private/b.jpg"])
	w.hide(thing(before.ID), noon)
	hidden := stateOf(w.entry(before.ID).Event)
	for i, p := range hidden.Plates {
		assert.NotEqual(w, after.Plates[i].Photo, p.Photo)
		assert.Regexp(w, `^private/[a-z2-7]{26}\.(png|jpg)$`, string(p.Photo))
		assert.Equal(w, after.Plates[i].ID, p.ID)
	}
	assert.Empty(w, w.dueDeletions(noon), "the former files are not due yet")
	w.finished(photosOf(after.Plates)...)
	full := quota.Limits{Pictures: 21}
	assert.Equal(w, full.ErrPictures(), w.within(full).Room.CheckPictures(w.Context(), author))
	w.restore(thing(before.ID))
	w.finished(photosOf(hidden.Plates)...)
	w.consistent()
}

func hidePlateRemoved(w *fixtures) {
	author := w.newUser()
	one, two, three := w.withPlates(author, "Fog", 7, "private/a.png"), w.withPlates(author, "Fog", 7, "private/b.png"),
		w.withPlates(author, "Fog", 7, "private/c.png")
	var keys []media.Key
	for _, s := range []event.State{one, two, three} {
		w.hide(attached(s.Plates[0].ID), noon)
		keys = append(keys, photosOf(w.entry(s.ID).State().Plates)...)
	}
	w.finished("private/a.png", "private/b.png", "private/c.png")
	full := quota.Limits{Pictures: 21}
	assert.Equal(w, full.ErrPictures(), w.within(full).Room.CheckPictures(w.Context(), author))
	w.change(one.ID, withoutFirstPlate)
	w.finished(keys[0])
	w.remove(two.ID)
	w.finished(keys[1])
	left := w.hidings(author)
	require.Len(w, left, 1)
	assert.Equal(w, attached(three.Plates[0].ID), left[0].Thing)
	w.consistent()
	w.erase(author)
	w.finished(keys[2])
	w.consistent()
}

// withProfile opens an account with all that can be hidden of it.
func (w *fixtures) withProfile(name string) user.ID {
	id := w.newUser(func(m *user.Member) {
		m.Firstname, m.Lastname, m.Expertise, m.Location = name, "Rude", "Insults", "Nowhere"
	})
	require.NoError(w, w.Directory.ChangeProfile(w.Context(), id, user.ProfileChange{Bio: new("Insults")}))
	require.NoError(w, w.Directory.SetAvatar(w.Context(), id, avatarOf(name), 7))
	return id
}

func hideProfileUnchanged(w *fixtures) {
	p, held := userRecord("Ada", 50), w.withProfile("bb")
	w.importer("users").importAll(p)
	id := w.uid(p.Phone)
	for _, who := range []user.ID{id, held} {
		w.hide(portrayed(who), noon)
		for _, c := range []user.ProfileChange{
			{Firstname: new("A")}, {Lastname: new("A")}, {Bio: new("A")}, {Location: new("A")}, {Expertise: new("A"), Timezone: new("UTC")},
		} {
			assert.ErrorIs(w, w.Directory.ChangeProfile(w.Context(), who, c), user.ErrProfileHidden)
		}
		for _, a := range []media.Picture{avatarOf("x"), {}} {
			assert.ErrorIs(w, w.Directory.SetAvatar(w.Context(), who, a, 0), user.ErrProfileHidden)
		}
		require.NoError(w, w.Directory.ChangeProfile(w.Context(), who, user.ProfileChange{Timezone: new("UTC")}))
		assert.Equal(w, "UTC", w.member(who).Timezone)
	}
	p.Firstname = "Another"
	adopted := userRecord("Held", 51)
	adopted.Phone = w.account(held).Phone
	assert.Equal(w, []imported.Status{imported.Same, imported.New}, w.importer("users").importAll(p, adopted))
	for _, who := range []user.ID{id, held} {
		assert.Equal(w, "…", w.member(who).FullName())
		require.NoError(w, w.Deletions.Done(w.Context(), []media.Key{"public/bb", "public/bb-sm"}))
		w.restore(portrayed(who))
		assert.NotEqual(w, "…", w.member(who).FullName())
		assert.Equal(w, "UTC", w.member(who).Timezone)
	}
	assert.Equal(w, []imported.Status{imported.Changed, imported.Changed}, w.importer("users").importAll(p, adopted))
	w.consistent()
}

func hideProfileErased(w *fixtures) {
	id := w.withProfile("aa")
	exported := func() (all []personaldata.Person) {
		for stored, err := range w.PersonalData.Records(w.Context(), id, personaldata.Account) {
			require.NoError(w, err)
			all = append(all, stored.(personaldata.Person))
		}
		return all
	}
	before := exported()
	w.hide(portrayed(id), noon)
	before[0].Member.Avatar.Key, before[0].Member.Avatar.Sizes = "private/aa", []media.Size{
		{Name: "sm", Width: 1, Height: 2, Key: "private/aa-sm"}, {Name: "lg", Width: 3, Height: 4, Key: "private/aa"},
	}
	assert.Equal(w, before, exported())
	w.finished("public/aa", "public/aa-sm")
	w.erase(id)
	w.finished("private/aa", "private/aa-sm")
	_, _, err := w.Moderation.Pictures(w.Context(), portrayed(id))
	assert.ErrorIs(w, err, user.ErrNotFound)
	w.consistent()
}

func hideOwnOnce(w *fixtures) {
	author := w.withProfile("aa")
	for _, of := range []moderation.Thing{
		thing(w.write(author, noon).ID()), attached(w.withPlates(author, "Fog", 7, "private/a.png").Plates[0].ID), portrayed(author),
	} {
		to := w.moves(of)
		assertOneWins(w, atOnce(4, func(int) error { return w.tryHide(of, to) }), moderation.ErrHidden)
		require.NoError(w, w.Deletions.Done(w.Context(), w.dueDeletions(noon.Add(media.MoveTime))))
		to = w.moves(of)
		assertOneWins(w, atOnce(4, func(int) error { return w.tryRestore(of, to) }), moderation.ErrNotHidden)
	}
	for missing, want := range map[moderation.Thing]error{
		attached(1 << 40): event.ErrNoPlate, portrayed(author + 99): user.ErrNotFound, thing(1 << 40): event.ErrNotFound,
		{Kind: moderation.Person, ID: int64(author)}: event.ErrNotFound,
	} {
		assert.ErrorIs(w, w.tryHide(missing, media.Moves{}), want)
		assert.ErrorIs(w, w.tryRestore(missing, media.Moves{}), want)
	}
	w.consistent()
}

var moderationFeed = []promise{
	{"what is hidden of a bundle keeps no translation from being an origin, whatever else of it comes and goes", hideOriginal},
	{"the hiding of what is imported goes to its new author, and with what is erased", hideRecordsOf},
	{"of hidings and imports at once no mark is lost", hideRecordsAtOnce},
	{"a cover does not move when another record has come to show it", hideCoverShown},
}

func recordOf(kind feed.Kind) moderation.Thing {
	return moderation.Thing{Kind: moderation.Kind(kind), ID: 1}
}

// recordsBy returns the number 1 of each kind, with the title and in the category, as the author has written it.
func recordsBy(author, title string, in feed.CategoryID, isDeleted bool) map[feed.Kind]imported.Record {
	p := publicationRecord(1, func(p *publication.Publication) { p.Title, p.Category, p.Deleted = title, in, isDeleted })
	n := nodeRecord(1, func(n *publication.Node) { n.Title, n.Category, n.Deleted = title, in, isDeleted })
	d := demandRecord(1, func(d *demand.Demand) {
		d.Title, d.Category, d.Deleted, d.Place = title, in, isDeleted, &geo.Point{Lat: 30, Lng: 120}
	})
	p.By, n.By, d.By = author, author, author
	return map[feed.Kind]imported.Record{feed.Publication: p, feed.Node: n, feed.Demand: d}
}

func hideOriginal(w *fixtures) {
	author := w.newUser()
	other := article(author, 4, bundleOf(1))
	w.imports(article(author, 1), article(author, 2, translationOf(1)), article(author, 3, translationOf(1)))
	w.hide(recordOf(feed.Publication), noon)
	for _, want := range [][]publication.ID{{4}, {2, 3}} {
		w.imports(other)
		assert.Equal(w, want, w.pagedPublications(publication.Query{OriginOnly: true}, 7))
		w.consistent()
		other.Deleted = true
	}
	w.restore(recordOf(feed.Publication))
	assert.Equal(w, []publication.ID{1}, w.pagedPublications(publication.Query{OriginOnly: true}, 7))
}

func hideRecordsOf(w *fixtures) {
	c := w.importer("a")
	one := c.settled()
	c.importAll(userRecord("other", 1))
	two := c.uid(phone(1))
	hidden := func(owner user.ID) (kinds []moderation.Kind) {
		return mapped(w.hidings(owner), func(h moderation.Hiding) moderation.Kind { return h.Kind })
	}
	all := []moderation.Kind{moderation.Node, moderation.Publication, moderation.Demand}
	for i, kind := range feed.ItemKinds() {
		c.importAll(bundleRecord(1, 0, 0), recordsBy(writer, "A text", 1, false)[kind])
		w.hide(recordOf(kind), noon.Add(-time.Duration(i)*time.Second))
	}
	assert.Equal(w, all, hidden(one))
	for _, kind := range feed.ItemKinds() {
		c.importAll(recordsBy("other", "A text", 1, false)[kind])
	}
	assert.Empty(w, hidden(one))
	assert.Equal(w, all, hidden(two))
	w.consistent()
	w.erase(two)
	assert.Empty(w, hidden(two))
	assert.ErrorIs(w, w.tryRestore(recordOf(feed.Node), media.Moves{}), feed.ErrNoItem)
	w.consistent()
}

func hideRecordsAtOnce(w *fixtures) {
	author := w.newUser()
	import1 := func(title string) error {
		return w.tryImport(article(author, 1, func(p *publication.Publication) { p.Title = title }), article(author, 2, translationOf(1)))
	}
	require.NoError(w, import1("A text"))
	w.succeed(atOnce(many, func(i int) error {
		for turn := range 5 {
			if i > 0 {
				if err := import1(fmt.Sprint("Title ", i, turn)); err != nil {
					return err
				}
				continue
			}
			w.hide(recordOf(feed.Publication), noon)
			w.restore(recordOf(feed.Publication))
		}
		if i > 0 {
			return nil
		}
		w.hide(recordOf(feed.Publication), noon)
		return nil
	}))
	assert.Equal(w, []publication.ID{2}, w.pagedPublications(publication.Query{}, 7))
	assert.Equal(w, []publication.ID{2}, w.pagedPublications(publication.Query{OriginOnly: true}, 7))
	w.assertCounted()
	w.consistent()
}

const (
	shownCover  media.Key = "public/aaaaaaaaaaaaaaaaaaaaaaaaaa.png"
	hiddenCover media.Key = "private/aaaaaaaaaaaaaaaaaaaaaaaaaa.png"
	otherCover  media.Key = "public/bbbbbbbbbbbbbbbbbbbbbbbbbb.png"
)

// covered is the number 1 of the kind, a publication or a node, with the cover.
func covered(kind feed.Kind, key media.Key) imported.Record {
	cover := media.CoverOf(key, "cover_sm", 3, 2)
	if kind == feed.Node {
		return nodeRecord(1, func(n *publication.Node) { n.Cover = cover })
	}
	return publicationRecord(1, func(p *publication.Publication) { p.Cover = cover })
}

// covers returns the covers of the publication and the node, and what imports remember.
func (w *fixtures) covers() []media.Key {
	found := map[string]media.Key{}
	for r, err := range w.Deletions.References(w.Context()) {
		require.NoError(w, err)
		found[r.Of] = r.Key
	}
	kept, _, err := w.Imports.Cover(w.Context(), imported.Digest{1})
	require.NoError(w, err)
	return []media.Key{found["publication 1"], found["node 1"], kept.Key}
}

// coversShared imports a publication and a node with one cover.
func (w *fixtures) coversShared() *importer {
	c := w.importer("a")
	c.settled()
	_, err := w.Imports.RememberCover(w.Context(), imported.Digest{1}, media.CoverOf(shownCover, "cover_sm", 3, 2))
	require.NoError(w, err)
	c.importAll(bundleRecord(1, 0, 0), covered(feed.Publication, shownCover), covered(feed.Node, shownCover))
	return c
}

func hideCoverShown(w *fixtures) {
	c := w.coversShared()
	w.hide(recordOf(feed.Node), noon)
	planned := w.moves(recordOf(feed.Publication))
	assert.Equal(w, map[media.Key]media.Key{shownCover: hiddenCover}, planned.To)
	c.importAll(nodeRecord(2, func(n *publication.Node) { n.Cover = media.CoverOf(shownCover, "cover_sm", 3, 2) }))
	for _, moves := range []media.Moves{planned, {To: map[media.Key]media.Key{otherCover: hiddenCover}, Until: planned.Until}} {
		assert.ErrorIs(w, w.tryHide(recordOf(feed.Publication), moves), media.ErrMoving)
	}
	w.card(feed.Publication, 1)
	assert.Equal(w, []media.Key{shownCover, shownCover, shownCover}, w.covers())
	w.finished(hiddenCover)
	w.hide(recordOf(feed.Publication), noon)
	assert.ErrorIs(w, w.tryHide(moderation.Thing{Kind: moderation.Node, ID: 2}, media.Moves{}), media.ErrMoving)
}
