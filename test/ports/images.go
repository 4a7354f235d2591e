package ports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Images is the suite of userimage.Repository.
func Images(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Add stores the image and returns it with its number", addImage},
		{"an image of an unknown user is an error, and is not stored", addDanglingImage},
		{"ErrFull when its owner has MaxImages, however many are added at once", addImagesFull},
		{"Get returns the image, deleted ones too, or ErrNotFound, and so does Change", getImage},
		{"Change stores the result and returns what is stored", changeImage},
		{"Changes of one image at once don't lose each other's work", changeImageAtOnce},
		{"All yields the whole list, and ends when its reader wants no more", allImages},
		{"List returns the images that Admits, the newest first, ties by descending id", listImagesAdmitted},
	})
}

func tagged(w *fixtures, names ...string) userimage.Tags {
	tags, err := userimage.ParseTags(names)
	require.NoError(w, err)
	return tags
}

// picture stores an image of the owner's.
func (w *fixtures) picture(owner user.ID, at time.Time, tags ...string) userimage.Image {
	i, err := w.Images.Add(w.Context(), userimage.New(owner, "public/ab/c.jpg", 640, 480, 0, tagged(w, tags...), at))
	require.NoError(w, err)
	return i
}

func (w *fixtures) imageOf(id userimage.ID) userimage.Image {
	i, err := w.Images.Get(w.Context(), id)
	require.NoError(w, err)
	return i
}

// pictures are all images that the query admits.
func (w *fixtures) pictures(q userimage.Query) []userimage.Image {
	all := []userimage.Image{}
	for image, err := range w.Images.All(w.Context(), q) {
		require.NoError(w, err)
		all = append(all, image)
	}
	return all
}

// changeOf changes the image, which must succeed.
func (w *fixtures) changeOf(id userimage.ID, fn func(*userimage.Image) error) userimage.Image {
	i, err := w.Images.Change(w.Context(), id, fn)
	require.NoError(w, err)
	return i
}

func discard(i *userimage.Image) error {
	i.Delete(noon.Add(time.Hour))
	return nil
}

func addImage(w *fixtures) {
	owner := w.newUser()
	for _, tags := range []userimage.Tags{{}, tagged(w, "b", "a", broad(64), "O'Brien \\ \"%_\"", "A")} {
		i := userimage.New(owner, "public/ab/c.jpg", 7000, 5000, 0, tags, noon)
		added, err := w.Images.Add(w.Context(), i)
		require.NoError(w, err)
		require.Positive(w, added.ID)
		i.ID = added.ID
		assert.Equal(w, i, added)
		assert.Equal(w, i, w.imageOf(added.ID))
		assert.Contains(w, w.pictures(userimage.Query{Owner: owner}), i)
	}
}

func addDanglingImage(w *fixtures) {
	for _, nobody := range []user.ID{0, -1, w.newUser() + 1} {
		_, err := w.Images.Add(w.Context(), userimage.New(nobody, "public/ab/c.jpg", 1, 1, 0, userimage.Tags{}, noon))
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
		assert.Empty(w, w.pictures(userimage.Query{Owner: nobody}))
	}
}

func addImagesFull(w *fixtures) {
	owner, other := w.newUser(), w.newUser()
	deleted := w.picture(owner, noon)
	w.changeOf(deleted.ID, discard)
	var last userimage.Image
	for range userimage.MaxImages - 1 {
		last = w.picture(owner, noon)
	}
	add := func(int) error {
		_, err := w.Images.Add(w.Context(), userimage.New(owner, "public/ab/c.jpg", 1, 1, 0, userimage.Tags{}, noon))
		return err
	}
	assertOneWins(w, atOnce(many, add), userimage.ErrFull)
	assert.Equal(w, userimage.MaxImages, len(w.pictures(userimage.Query{Owner: owner})))
	assert.ErrorIs(w, add(0), userimage.ErrFull)

	w.picture(other, noon)
	w.changeOf(last.ID, discard)
	assert.NoError(w, add(0), "deleted ones are left out")
	assert.ErrorIs(w, add(0), userimage.ErrFull)
}

func getImage(w *fixtures) {
	i := w.picture(w.newUser(), noon, "a")
	deleted := w.changeOf(i.ID, discard)
	assert.Equal(w, noon.Add(time.Hour), deleted.Deleted)
	i.Deleted = noon.Add(time.Hour)
	assert.Equal(w, i, w.imageOf(i.ID))
	assertComplete(w, []userimage.Image{i}, "Completes", "Bytes", "Hidden")
	for _, none := range []userimage.ID{0, -1, i.ID + 1} {
		_, err := w.Images.Get(w.Context(), none)
		assert.ErrorIs(w, err, userimage.ErrNotFound)
		_, err = w.Images.Change(w.Context(), none, func(*userimage.Image) error {
			w.Error("there is nothing to change")
			return nil
		})
		assert.ErrorIs(w, err, userimage.ErrNotFound)
	}
}

func changeImage(w *fixtures) {
	i, bystander := w.picture(w.newUser(), noon, "a", "b"), w.picture(w.newUser(), noon, "a")
	got := w.changeOf(i.ID, func(loaded *userimage.Image) error {
		assert.Equal(w, i, *loaded)
		loaded.ID = bystander.ID
		return loaded.Retag(tagged(w, "c", "b"))
	})
	i.Tags = tagged(w, "c", "b")
	assert.Equal(w, i, got)
	assert.Equal(w, i, w.imageOf(i.ID))
	assert.Equal(w, bystander, w.imageOf(bystander.ID))
	assert.Equal(w, []userimage.Image{i}, w.pictures(userimage.Query{Owner: i.Owner, Contains: []string{"c"}}))
	assert.Empty(w, w.pictures(userimage.Query{Owner: i.Owner, Overlaps: []string{"a"}}))
}

func changeImageAtOnce(w *fixtures) {
	i := w.picture(w.newUser(), noon, "start")
	w.succeed(atOnce(many, func(n int) error {
		_, err := w.Images.Change(w.Context(), i.ID, func(loaded *userimage.Image) error {
			tags, err := userimage.ParseTags(append(loaded.Tags.Names(), fmt.Sprint("n", n)))
			return errors.Join(err, loaded.Retag(tags))
		})
		return err
	}))
	assert.Equal(w, many+1, w.imageOf(i.ID).Tags.Len())
}

// imagesOf are those of the images that the query admits, in order.
func imagesOf(all []userimage.Image, q userimage.Query) []userimage.Image {
	admitted := []userimage.Image{}
	for _, i := range all {
		if q.Admits(i) {
			admitted = append(admitted, i)
		}
	}
	slices.SortFunc(admitted, func(a, b userimage.Image) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID)) })
	return admitted
}

func allImages(w *fixtures) {
	owner := w.newUser()
	for range page.MaxSize + 5 {
		w.picture(owner, noon)
	}
	for range w.Images.All(w.Context(), userimage.Query{Owner: owner}) {
		break
	}
	w.promptly(func() { assert.Len(w, w.pictures(userimage.Query{Owner: owner}), page.MaxSize+5) })
}

func listImagesAdmitted(w *fixtures) {
	owner, other := w.newUser(), w.newUser()
	var all []userimage.Image
	for i, tags := range [][]string{{}, {"a"}, {"b"}, {"a", "b"}, {"c", "b", "a"}, {"c"}, {"A"}, {"a b"}} {
		at := noon.Add(time.Duration(i%3) * time.Microsecond)
		all = append(all, w.picture(owner, at, tags...), w.picture(other, at, tags...), w.changeOf(w.picture(owner, at, tags...).ID, discard))
	}
	some := [][]string{nil, {"a"}, {"a", "b"}, {"a", "c", "d"}, {"d"}, {"b", "a", "c"}}
	for _, contains := range some {
		for _, overlaps := range some {
			q := userimage.Query{Owner: owner, Contains: contains, Overlaps: overlaps}
			paged := everyPage(w, 3, func(r page.Request) (page.Page[userimage.Image], error) { return w.Images.List(w.Context(), q, r) })
			assert.Equal(w, imagesOf(all, q), paged, "%+v", q)
		}
	}
}

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
	require.NoError(w, w.Directory.SetAvatar(w.Context(), id, p, 0))
}

// dueDeletions claims the due keys and postpones them for an hour.
func (w *fixtures) dueDeletions(now time.Time) []media.Key {
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
