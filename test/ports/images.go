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

	"plaza/domain/fault"
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
	w.Helper()
	tags, err := userimage.ParseTags(names)
	require.NoError(w, err)
	return tags
}

// picture stores an image of the owner's.
func (w *fixtures) picture(owner user.ID, at time.Time, tags ...string) userimage.Image {
	w.Helper()
	i, err := w.Images.Add(w.Context(), userimage.New(owner, "public/ab/c.jpg", 640, 480, 0, tagged(w, tags...), at))
	require.NoError(w, err)
	return i
}

func (w *fixtures) imageOf(id userimage.ID) userimage.Image {
	w.Helper()
	i, err := w.Images.Get(w.Context(), id)
	require.NoError(w, err)
	return i
}

// pictures are all images that the query admits.
func (w *fixtures) pictures(q userimage.Query) []userimage.Image {
	w.Helper()
	all := []userimage.Image{}
	for image, err := range w.Images.All(w.Context(), q) {
		require.NoError(w, err)
		all = append(all, image)
	}
	return all
}

// changeOf changes the image, which must succeed.
func (w *fixtures) changeOf(id userimage.ID, fn func(*userimage.Image) error) userimage.Image {
	w.Helper()
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
