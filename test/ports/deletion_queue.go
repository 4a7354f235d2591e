package ports

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// DeletionQueue is the suite of media.DeletionQueue.
func DeletionQueue(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"a removed plate is queued for deletion", deletionPlate},
		{"the plates of a removed event are queued for deletion", deletionEvent},
		{"a deleted user image is queued for deletion", deletionImage},
		{"a replaced avatar is queued for deletion in all sizes", deletionAvatar},
		{"Discarded is in the order in which the time came, at most limit, and puts off until next", deletionDue},
		{"of many who ask at once each key is given to one", deletionsAtOnce},
		{"Emptied forgets the keys; one that is not there is no error", deletionDone},
		{"Reserve queues the key, due then, unless it is queued", deletionReserved},
		{"Reserve refuses the key of a picture that is kept", deletionReservedKept},
		{"Known goes through all pictures that are known of", referencesAll},
	})
}

// avatarOf is a picture in two sizes, one of which is the picture itself.
func avatarOf(name string) media.Picture {
	key := media.Key("public/" + name)
	return media.Picture{Key: key, Sizes: []media.Size{
		{Name: "sm", Width: 1, Height: 2, Key: key + "-sm"}, {Name: "lg", Width: 3, Height: 4, Key: key},
	}}
}

func (w *fixtures) avatar(id user.ID, p media.Picture) {
	w.Helper()
	require.NoError(w, w.Directory.SetAvatar(w.Context(), id, p, 0))
}

// dueDeletions claims the due keys and postpones them for an hour.
func (w *fixtures) dueDeletions(now time.Time) []media.Key {
	w.Helper()
	keys, err := w.Deletions.Claim(w.Context(), now, now.Add(time.Hour), 1000)
	require.NoError(w, err)
	return keys
}

func deletionReserved(w *fixtures) {
	r := media.Reservation{Key: "private/a", Until: noon.Add(time.Minute)}
	errs := atOnce(4, func(int) error { return w.Deletions.Reserve(w.Context(), r) })
	assertOneWins(w, errs, media.ErrMoving)
	assert.Empty(w, w.dueDeletions(noon))
	assert.Equal(w, []media.Key{r.Key}, w.dueDeletions(r.Until))
	assert.ErrorIs(w, w.Deletions.Reserve(w.Context(), r), media.ErrMoving)
	require.NoError(w, w.Deletions.Done(w.Context(), []media.Key{r.Key}))
	assert.NoError(w, w.Deletions.Reserve(w.Context(), r))
}

func deletionReservedKept(w *fixtures) {
	image := userimage.New(w.newUser(), "public/a", 1, 1, 7, userimage.Tags{}, noon)
	_, err := w.Images.Add(w.Context(), image)
	require.NoError(w, err)
	assert.ErrorIs(w, w.Deletions.Reserve(w.Context(), media.Reservation{Key: image.Key, Until: noon}), media.ErrMoving)
	assert.Empty(w, w.dueDeletions(noon))
}

func setAvatar(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	assert.Zero(w, w.member(who).Avatar)
	for _, p := range []media.Picture{avatarOf("a"), avatarOf("b"), {}} {
		w.avatar(who, p)
		assert.Equal(w, p, w.member(who).Avatar)
		assert.Zero(w, w.member(other).Avatar)
	}
	w.avatar(who, avatarOf("c"))
	assertComplete(w, []media.Picture{avatarOf("c")}, "Path", "Sizes.Path")
	shown := w.member(who).Avatar
	shown.Sizes[0].Key = "x"
	assert.Equal(w, avatarOf("c"), w.member(who).Avatar, "what came out is private")
	w.changeAccount(who, func(*access.Account) {})
	assert.Equal(w, avatarOf("c"), w.member(who).Avatar, "an account that changes keeps it")
}

func setAvatarUnknownUser(w *fixtures) {
	for _, nobody := range []user.ID{0, -1, w.newUser() + 1} {
		require.ErrorIs(w, w.Directory.SetAvatar(w.Context(), nobody, avatarOf("a"), 1), user.ErrNotFound)
		require.ErrorIs(w, w.Directory.ChangeProfile(w.Context(), nobody, user.ProfileChange{Bio: new("A")}), user.ErrNotFound)
	}
	assert.Empty(w, w.dueDeletions(noon))
}

// plated stores an event with plates.
func (w *fixtures) plated(author user.ID, photos ...media.Key) *event.Event {
	w.Helper()
	e := w.written(author, noon)
	w.attach(e, noon, photos...)
	e = w.stores(e)
	return e
}

func deletionPlate(w *fixtures) {
	e := w.plated(w.newUser(), "private/a", "private/b")
	assert.Empty(w, w.dueDeletions(noon))
	w.change(e.ID(), withoutFirstPlate)
	assert.Equal(w, []media.Key{"private/a"}, w.dueDeletions(noon))
	read := w.got(e.ID())
	w.changeRead(read, withoutFirstPlate)
	assert.Equal(w, []media.Key{"private/b"}, w.dueDeletions(noon))
}

func deletionEvent(w *fixtures) {
	e := w.plated(w.newUser(), "private/b", "private/a")
	w.plated(w.newUser(), "private/c")
	w.remove(e.ID())
	assert.ElementsMatch(w, []media.Key{"private/a", "private/b"}, w.dueDeletions(noon))
}

func deletionImage(w *fixtures) {
	who := w.newUser()
	i, err := w.Images.Add(w.Context(), userimage.New(who, "public/a", 1, 1, 0, tagged(w, "a"), noon))
	require.NoError(w, err)
	w.changeOf(i.ID, func(i *userimage.Image) error { return i.Retag(tagged(w, "b")) })
	assert.Empty(w, w.dueDeletions(noon))
	w.changeOf(i.ID, discard)
	assert.Equal(w, []media.Key{"public/a"}, w.dueDeletions(noon))
	w.changeOf(i.ID, func(i *userimage.Image) error { return i.Retag(tagged(w, "c")) })
	assert.Empty(w, w.dueDeletions(noon), "once")
}

func deletionAvatar(w *fixtures) {
	who := w.newUser()
	w.avatar(who, avatarOf("a"))
	assert.Empty(w, w.dueDeletions(noon))
	w.avatar(who, avatarOf("b"))
	assert.ElementsMatch(w, []media.Key{"public/a", "public/a-sm"}, w.dueDeletions(noon))
	w.avatar(who, media.Picture{})
	assert.ElementsMatch(w, []media.Key{"public/b", "public/b-sm"}, w.dueDeletions(noon))
}

// queueDeletions queues that many keys and returns them.
func (w *fixtures) queueDeletions(n int) []media.Key {
	w.Helper()
	who := w.newUser()
	var keys []media.Key
	for i := range n {
		key := media.Key(fmt.Sprintf("public/%04d", i))
		w.avatar(who, media.Picture{Key: key})
		keys = append(keys, key)
	}
	w.avatar(who, media.Picture{})
	return keys
}

func deletionDue(w *fixtures) {
	keys := w.queueDeletions(4)
	ask := func(now, next time.Time, limit int) []media.Key {
		w.Helper()
		due, err := w.Deletions.Claim(w.Context(), now, next, limit)
		require.NoError(w, err)
		return due
	}
	assert.Empty(w, ask(noon, noon, 0))
	assert.Empty(w, ask(noon, noon, -1))
	assert.Equal(w, keys[:3], ask(noon, noon.Add(2*time.Minute), 3))
	assert.Equal(w, keys[3:], ask(noon, noon.Add(time.Minute), 3))
	assert.Empty(w, ask(noon.Add(time.Minute-time.Microsecond), noon.Add(time.Hour), 9))
	assert.Equal(w, append(keys[3:], keys[:3]...), ask(noon.Add(2*time.Minute), noon.Add(time.Hour), 9))
}

func deletionsAtOnce(w *fixtures) {
	keys := w.queueDeletions(3 * many)
	given := map[media.Key]int{}
	for _, some := range atOnce(many, func(int) []media.Key {
		due, err := w.Deletions.Claim(w.Context(), noon, noon.Add(time.Hour), 4)
		assert.NoError(w, err)
		return due
	}) {
		for _, key := range some {
			given[key]++
		}
	}
	for _, key := range w.dueDeletions(noon) {
		given[key]++
	}
	assert.Len(w, given, len(keys))
	for key, n := range given {
		assert.Equal(w, 1, n, key)
	}
}

func deletionDone(w *fixtures) {
	keys := w.queueDeletions(3)
	require.NoError(w, w.Deletions.Done(w.Context(), nil))
	require.NoError(w, w.Deletions.Done(w.Context(), []media.Key{keys[1], "public/never"}))
	require.NoError(w, w.Deletions.Done(w.Context(), keys[1:2]))
	assert.Equal(w, []media.Key{keys[0], keys[2]}, w.dueDeletions(noon))
	require.NoError(w, w.Deletions.Done(w.Context(), keys))
	assert.Empty(w, w.dueDeletions(noon.AddDate(1, 0, 0)))
}

func (w *fixtures) references() map[media.Key]string {
	w.Helper()
	all := map[media.Key]string{}
	for k, err := range w.Deletions.References(w.Context()) {
		require.NoError(w, err)
		assert.NotContains(w, all, k.Key)
		all[k.Key] = k.Of
	}
	return all
}

func referencesAll(w *fixtures) {
	assert.Empty(w, w.references())
	hidden := w.withProfile("masked")
	w.hide(portrayed(hidden), noon)
	w.finished("public/masked", "public/masked-sm")
	who := w.newUser()
	e := w.plated(who, "private/plate", "private/gone")
	plates := w.got(e.ID()).State().Plates
	w.change(e.ID(), func(e *event.Event) error {
		_, err := e.RemovePlate(plates[1].ID, noon)
		return err
	})
	i, err := w.Images.Add(w.Context(), userimage.New(who, "public/image", 1, 1, 0, tagged(w, "a"), noon))
	require.NoError(w, err)
	deleted, err := w.Images.Add(w.Context(), userimage.New(who, "public/deleted", 1, 1, 0, tagged(w, "a"), noon))
	require.NoError(w, err)
	w.changeOf(deleted.ID, discard)
	w.avatar(who, avatarOf("face"))
	_, err = w.Imports.RememberCover(w.Context(), imported.Digest{1}, avatarOf("cover"))
	require.NoError(w, err)

	known := w.references()
	imported := known["public/cover"]
	assert.NotEmpty(w, imported)
	assert.Equal(w, map[media.Key]string{
		"private/plate": fmt.Sprint("plate ", plates[0].ID), "private/gone": "",
		"public/image": fmt.Sprint("user image ", i.ID), "public/deleted": "",
		"public/face": fmt.Sprint("avatar of user ", who), "public/face-sm": fmt.Sprint("avatar of user ", who),
		"private/masked": fmt.Sprint("hidden avatar of user ", hidden), "private/masked-sm": fmt.Sprint("hidden avatar of user ", hidden),
		"public/cover": imported, "public/cover-sm": imported,
	}, known)
}
