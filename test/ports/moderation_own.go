package ports

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/personaldata"
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
	w.Helper()
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
	w.Helper()
	due := w.dueDeletions(noon.Add(media.MoveTime))
	assert.ElementsMatch(w, want, due)
	require.NoError(w, w.Deletions.Done(w.Context(), due))
}

func hidePlated(w *fixtures) {
	author := w.newUser()
	before := w.withPlates(author, "Fog", 7, "private/a.png", "private/b.jpg")
	to := w.moves(thing(before.ID))
	w.change(before.ID, func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: "private/c.png", Bytes: 7}, noon) })
	_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: thing(before.ID), Reason: "Rude", At: noon}, to)
	require.ErrorIs(w, err, media.ErrMoving, "the last plate was added since")
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
	w.Helper()
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
		errs := atOnce(4, func(int) error {
			_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: of, Reason: "Rude", At: noon}, to)
			return err
		})
		assertOneWins(w, errs, moderation.ErrHidden)
		require.NoError(w, w.Deletions.Done(w.Context(), w.dueDeletions(noon.Add(media.MoveTime))))
		to = w.moves(of)
		errs = atOnce(4, func(int) error {
			_, err := w.Moderation.Restore(w.Context(), of, to)
			return err
		})
		assertOneWins(w, errs, moderation.ErrNotHidden)
	}
	for missing, want := range map[moderation.Thing]error{
		attached(1 << 40): event.ErrNoPlate, portrayed(author + 99): user.ErrNotFound, thing(1 << 40): event.ErrNotFound,
		{Kind: moderation.Person, ID: int64(author)}: event.ErrNotFound,
	} {
		_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: missing, Reason: "Rude", At: noon}, media.Moves{})
		assert.ErrorIs(w, err, want)
		_, err = w.Moderation.Restore(w.Context(), missing, media.Moves{})
		assert.ErrorIs(w, err, want)
	}
	w.consistent()
}
