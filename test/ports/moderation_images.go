package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

func photo(id userimage.ID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Image, ID: int64(id)}
}

// uploaded stores an image of so many bytes with a key of its own.
func (w *fixtures) uploaded(owner user.ID, key media.Key, bytes int64) userimage.Image {
	w.Helper()
	i, err := w.Images.Add(w.Context(), userimage.New(owner, key, 640, 480, bytes, tagged(w, "tea"), noon))
	require.NoError(w, err)
	return i
}

// reserved reserves the place of the image for the audience.
func (w *fixtures) reserved(i userimage.Image, a media.Audience) media.Reservation {
	w.Helper()
	r := media.Reservation{Key: w.imageOf(i.ID).Key.For(a), Until: noon.Add(time.Minute)}
	require.NoError(w, w.Deletions.Reserve(w.Context(), r))
	return r
}

func (w *fixtures) hideImage(i userimage.Image) {
	w.Helper()
	_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: photo(i.ID), Reason: "Rude", At: noon}, w.reserved(i, media.Viewers))
	require.NoError(w, err)
}

func hideImage(w *fixtures) {
	owner := w.newUser()
	i, kept := w.uploaded(owner, "public/a.png", 7), w.uploaded(owner, "public/b.png", 7)
	q := userimage.Query{Owner: owner}
	w.hideImage(i)
	assert.Equal(w, []userimage.Image{kept}, w.pictures(q))
	assert.Equal(w, []userimage.Image{kept}, w.pagedImages(q, 1))
	hidden := i
	hidden.Key, hidden.Hidden = "private/a.png", true
	assert.Equal(w, hidden, w.imageOf(i.ID))
	assert.Empty(w, w.dueDeletions(noon), "its former key is not due yet")
	assert.Equal(w, []media.Key{"public/a.png"}, w.dueDeletions(noon.Add(time.Minute)))
	_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: photo(i.ID), Reason: "Rude", At: noon}, media.Reservation{})
	assert.ErrorIs(w, err, moderation.ErrHidden)
	require.NoError(w, w.Deletions.Done(w.Context(), []media.Key{"public/a.png"}))
	undone, err := w.Moderation.Restore(w.Context(), photo(i.ID), w.reserved(i, media.Everyone))
	require.NoError(w, err)
	assert.Equal(w, moderation.Hiding{Thing: photo(i.ID), Owner: owner, Reason: "Rude", At: noon}, undone)
	assert.Equal(w, i, w.imageOf(i.ID))
	assert.Len(w, w.pictures(q), 2)
	assert.Equal(w, []media.Key{"private/a.png"}, w.dueDeletions(noon.Add(time.Minute)))
	_, err = w.Moderation.Restore(w.Context(), photo(i.ID), media.Reservation{})
	assert.ErrorIs(w, err, moderation.ErrNotHidden)
	w.consistent()
}

func hideUnreserved(w *fixtures) {
	i := w.uploaded(w.newUser(), "public/a.png", 7)
	r := w.reserved(i, media.Viewers)
	w.dueDeletions(r.Until) // the cleanup job removes the files at the reserved key
	for _, to := range []media.Reservation{r, {Key: "private/b.png", Until: r.Until}} {
		_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: photo(i.ID), Reason: "Rude", At: noon}, to)
		assert.ErrorIs(w, err, media.ErrMoving)
	}
	_, err := w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: photo(i.ID + 1), Reason: "Rude", At: noon}, media.Reservation{})
	assert.ErrorIs(w, err, userimage.ErrNotFound)
	i.Bytes = 0
	assert.Equal(w, i, w.imageOf(i.ID))
	w.consistent()
}

func hideImageQuotas(w *fixtures) {
	owner, other := w.newUser(), w.newUser()
	one, two, three := w.uploaded(owner, "public/a.png", 7), w.uploaded(owner, "public/b.png", 7), w.uploaded(other, "public/c.png", 7)
	for _, i := range []userimage.Image{one, two, three} {
		w.hideImage(i)
		require.NoError(w, w.Deletions.Done(w.Context(), []media.Key{i.Key}))
	}
	w.consistent()
	full, roomy := quota.Limits{Pictures: 14}, quota.Limits{Pictures: 15}
	assert.Equal(w, full.ErrPictures(), w.within(full).Room.CheckPictures(w.Context(), owner))
	assert.NoError(w, w.within(roomy).Room.CheckPictures(w.Context(), owner))
	changed := w.changeOf(one.ID, func(i *userimage.Image) error { return i.Retag(tagged(w, "rain")) })
	assert.True(w, changed.Hidden)
	w.changeOf(one.ID, func(i *userimage.Image) error { i.Delete(noon); return nil })
	assert.Equal(w, []media.Key{"private/a.png"}, w.dueDeletions(noon))
	_, err := w.Moderation.Restore(w.Context(), photo(one.ID), media.Reservation{})
	assert.ErrorIs(w, err, userimage.ErrNotFound)
	p, err := w.Moderation.Of(w.Context(), owner, page.Request{})
	require.NoError(w, err)
	require.Len(w, p.Items, 1)
	assert.Equal(w, photo(two.ID), p.Items[0].Thing)
	w.erase(owner)
	assert.Equal(w, []media.Key{"private/b.png"}, w.dueDeletions(noon))
	w.consistent()
	var known []media.Key
	for r, err := range w.Deletions.References(w.Context()) {
		require.NoError(w, err)
		if r.Of != "" {
			known = append(known, r.Key)
		}
	}
	assert.Equal(w, []media.Key{"private/c.png"}, known)
}
