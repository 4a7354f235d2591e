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
	if w.Check != nil {
		w.Check(w.T)
	}
}

// drafted is an event that is not stored yet, a draft.
func (w *fixtures) drafted(author user.ID) *event.Event {
	return w.written(author, noon, published(false))
}

// draftsOf returns the number of the author's drafts.
func (w *fixtures) draftsOf(author user.ID) int {
	drafts := 0
	for _, e := range w.list(event.Query{Author: author, Viewer: author, Page: pageNo(1, 100)}).Items {
		if e.State().Status == event.Draft {
			drafts++
		}
	}
	return drafts
}

// assertRoomFor asserts that of those who tried at once so many succeeded, and the others failed with the error.
func (w *fixtures) assertRoomFor(room int, errs []error, want error) {
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
