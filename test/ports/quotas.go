package ports

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Quotas is the suite of what event.Repository, event.Discussion, subscription.Repository, userimage.Repository,
// user.Directory and quota.Room promise of quotas.
func Quotas(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"drafts that are added at once don't exceed the quota", draftsAtOnce},
		{"comments, follows and blocks that are stored at once don't exceed the quota", fullAtOnce},
		{"plates, images and avatars share one quota of bytes, and what exceeds it is not stored", picturesFull},
		{"pictures that are stored at once don't exceed the quota", picturesAtOnce},
	})
}

// within returns the fixtures on stores that keep the quotas.
func (w *fixtures) within(l quota.Limits) *fixtures {
	limited := *w
	limited.Stores = w.Within(l)
	return &limited
}

// consistent checks what the store derives.
func (w *fixtures) consistent() {
	w.Helper()
	if w.Check != nil {
		w.Check(w.T)
	}
}

// drafted is an event that is not stored yet, a draft.
func (w *fixtures) drafted(author user.ID) *event.Event {
	w.Helper()
	return w.written(author, noon, published(false))
}

// draftsOf returns the number of the author's drafts.
func (w *fixtures) draftsOf(author user.ID) int {
	w.Helper()
	drafts := 0
	for _, e := range w.paged(event.Query{Author: author, Viewer: author}, 100) {
		if e.State().Status == event.Draft {
			drafts++
		}
	}
	return drafts
}

// assertRoomFor asserts that of those who tried at once so many succeeded, and the others
// failed with the error.
func (w *fixtures) assertRoomFor(room int, errs []error, want error) {
	w.Helper()
	for _, err := range errs {
		if err == nil {
			room--
			continue
		}
		assert.Equal(w, want, err)
	}
	assert.Zero(w, room, "room that is left")
}

func draftsAtOnce(w *fixtures) {
	l := quota.Limits{Drafts: 6}
	author, w := w.newUser(), w.within(l)
	shown := mapped(make([]event.Entry, 2*many), func(event.Entry) event.Entry { return w.got(w.write(author, noon).ID()) })
	w.assertRoomFor(l.Drafts, atOnce(3*many, func(i int) (err error) {
		switch i % 3 {
		case 0:
			_, err = w.Events.Add(w.Context(), w.drafted(author))
		case 1:
			_, err = w.Events.Change(w.Context(), shown[i/3].ID(), apply(noon, published(false)))
		default:
			_, err = w.Events.ChangeRead(w.Context(), shown[many+i/3], apply(noon, published(false)))
		}
		return err
	}), l.ErrDrafts())
	assert.Equal(w, l.Drafts, w.draftsOf(author))
	w.consistent()
}

// says adds a comment of the author to the event.
func (w *fixtures) says(on event.ID, author user.ID) error {
	_, _, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: author, Content: "One", Created: noon})
	return err
}

// followed returns the error of following.
func (w *fixtures) followed(s subscription.Subscription) error {
	_, _, err := w.Subscriptions.Follow(w.Context(), s)
	return err
}

func fullAtOnce(w *fixtures) {
	l := quota.Limits{Comments: 5, Follows: 5}
	who, other, w := w.newUser(), w.newUser(), w.within(l)
	e := w.write(who, noon).ID()
	others := w.users(many)
	for _, c := range []struct {
		full  error
		write func(by, to user.ID) error
	}{
		{l.ErrComments(), func(by, _ user.ID) error { return w.says(e, by) }},
		{l.ErrFollows(), func(by, to user.ID) error { return w.followed(toUser(by, to, noon)) }},
		{l.ErrBlocks(), func(by, to user.ID) error { return w.blocks(by, to, noon) }},
	} {
		w.assertRoomFor(10, atOnce(2*many, func(i int) error { return c.write([]user.ID{who, other}[i%2], others[i/2]) }), c.full)
	}
	assert.Equal(w, 10, w.entry(e).Comments)
	assert.Len(w, w.blockedBy(who), l.Follows)
	w.consistent()
}

// keyNo returns the key of a picture that no other test has.
func keyNo(n int) media.Key { return media.Key(fmt.Sprint("public/picture-", n)) }

// keeps stores an image of so many bytes.
func (w *fixtures) keeps(owner user.ID, key media.Key, bytes int64) (userimage.Image, error) {
	return w.Images.Add(w.Context(), userimage.New(owner, key, 1, 1, bytes, userimage.Tags{}, noon))
}

// attaches attaches a plate of so many bytes to the event.
func (w *fixtures) attaches(on event.ID, key media.Key, bytes int64) error {
	_, err := w.Events.Change(w.Context(), on, func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: key, Bytes: bytes}, noon) })
	return err
}

// portrays sets an avatar of so many bytes.
func (w *fixtures) portrays(who user.ID, name string, bytes int64) error {
	return w.Directory.SetAvatar(w.Context(), who, avatarOf(name), bytes)
}

// assertLeft asserts how many bytes the owner may still store.
func (w *fixtures) assertLeft(owner user.ID, l quota.Limits, left int64) {
	w.Helper()
	_, err := w.within(l).keeps(owner, "public/too-much", left+1)
	assert.Equal(w, l.ErrPictures(), err, "a byte more than is left")
	if left == 0 {
		return
	}
	fits, err := w.within(l).keeps(owner, media.Key("public/"+rand.Text()), left)
	require.NoError(w, err, "what is left")
	w.changeOf(fits.ID, discard)
	w.consistent()
}

func picturesFull(w *fixtures) {
	l := quota.Limits{Pictures: 100}
	owner, other, w := w.newUser(), w.newUser(), w.within(l)
	image, err := w.keeps(owner, keyNo(1), 40)
	require.NoError(w, err)
	assert.Zero(w, image.Bytes)
	plated := w.drafted(owner)
	require.NoError(w, plated.AddPlate(event.Plate{Photo: keyNo(2), Bytes: 10}, noon))
	require.NoError(w, plated.AddPlate(event.Plate{Photo: keyNo(3), Bytes: 10}, noon))
	e := w.stores(plated)
	assert.Equal(w, stateOf(e), stateOf(w.entry(e.ID()).Event))
	require.NoError(w, w.attaches(e.ID(), keyNo(4), 5))
	w.changeRead(w.got(e.ID()), func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: keyNo(5), Bytes: 5}, noon) })
	require.NoError(w, w.portrays(owner, "face", 20))
	before := w.got(e.ID())
	w.assertLeft(owner, l, 10)

	for name, tooMuch := range map[string]func() error{
		"image": func() error { _, err := w.keeps(owner, keyNo(6), 11); return err },
		"plate": func() error { return w.attaches(e.ID(), keyNo(6), 11) },
		"plate of an event that was read": func() error {
			_, err := w.Events.ChangeRead(w.Context(), before, func(e *event.Event) error {
				return e.AddPlate(event.Plate{Photo: keyNo(6), Bytes: 11}, noon)
			})
			return err
		},
		"plates together": func() error {
			_, err := w.Events.Change(w.Context(), e.ID(), func(e *event.Event) error {
				return errors.Join(e.AddPlate(event.Plate{Photo: keyNo(6), Bytes: 6}, noon), e.AddPlate(event.Plate{Photo: keyNo(7), Bytes: 5}, noon))
			})
			return err
		},
		"plate of a new event": func() error {
			illustrated := w.written(owner, noon)
			require.NoError(w, illustrated.AddPlate(event.Plate{Photo: keyNo(6), Bytes: 11}, noon))
			_, err := w.Events.Add(w.Context(), illustrated)
			return err
		},
		"avatar": func() error { return w.portrays(owner, "another", 31) },
	} {
		assert.Equal(w, l.ErrPictures(), tooMuch(), name)
		w.assertLeft(owner, l, 10)
	}
	assert.Equal(w, before, w.got(e.ID()))
	assert.Equal(w, avatarOf("face"), w.member(owner).Avatar)
	assert.Equal(w, []userimage.Image{image}, w.pictures(userimage.Query{Owner: owner}))
	assert.Equal(w, 1, w.list(event.Query{Author: owner, Viewer: owner}).Total)
	w.assertLeft(other, l, 100)
	_, err = w.keeps(owner, keyNo(8), 10)
	require.NoError(w, err, "all of it")
}

func picturesAtOnce(w *fixtures) {
	l := quota.Limits{Pictures: 100}
	owner, w := w.newUser(), w.within(l)
	events := []event.ID{w.write(owner, noon).ID(), w.write(owner, noon).ID()}
	kept := make([]userimage.Image, 10)
	for i := range kept {
		var err error
		kept[i], err = w.keeps(owner, keyNo(i), 4)
		require.NoError(w, err)
	}
	errs := atOnce(3*many, func(i int) error {
		key := keyNo(100 + i)
		if i%3 == 0 {
			return w.attaches(events[i%2], key, 10)
		}
		_, err := w.keeps(owner, key, 10)
		return err
	})
	w.assertRoomFor(6, errs, l.ErrPictures())
	w.assertLeft(owner, l, 0)

	// Some are deleted while others are added.
	w.succeed(atOnce(len(kept)+2, func(i int) error {
		switch i {
		case len(kept):
			_, err := w.Events.Remove(w.Context(), events[0])
			return err
		case len(kept) + 1:
			return w.within(quota.Limits{}).portrays(owner, "a", 7)
		}
		_, err := w.Images.Change(w.Context(), kept[i].ID, discard)
		return errors.Join(err, w.within(quota.Limits{}).attaches(events[1], keyNo(200+i), 1))
	}))
	w.consistent()
}
