package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderation is the suite of moderation.Store.
func Moderation(t *testing.T, open Open) {
	open.keeps(t, append([]promise{
		{"the reports of a thing are one case, also at once", reportCases},
		{"cases are listed by whose thing they are about and by spans of time", caseSpans},
		{"the reports of a person and what is hidden of an owner are listed by spans of time", reportSpans},
		{"a case keeps the thing as it was, each form once, and the newest notes", keepVersions},
		{"a case keeps one copy of each picture; what it does not need is queued", keepCopies},
		{"things are read as they are, unless they were deleted", readSubjects},
		{"a case is decided once, by whom and why the context says", decideOnce},
		{"the erasure of the owner leaves an open case until it is decided", eraseReported},
		{"a change of its author does not show a hidden event", changeHidden},
		{"a comment is listed and counted for those to whom it is VisibleTo, also across blocks", hideComments},
		{"the notification of a hidden comment goes with it, and comes back unless it was removed", hideNotified},
		{"a hidden comment is removed without its count, and by an erasure", hideRemoved},
		{"a comment is hidden and restored once, also at once with other comments", hideCommentsAtOnce},
		{"without its reservation nothing changes", hideUnreserved},
		{"a hidden image counts for the quotas, is retagged, deleted and erased", hideImageQuotas},
		{"the plates of a hidden event move, and the event without a moved plate is not hidden", hidePlated},
		{"a hidden plate counts for the quotas, and is removed alone, with its event and by an erasure", hidePlateRemoved},
		{"a hidden profile can't be changed, but for the time zone, and an import leaves it as it is", hideProfileUnchanged},
		{"a hidden profile is exported as it is, and erased", hideProfileErased},
		{"a thing is hidden and restored once, also at once, and what is not there, or a person, is ErrNotFound or ErrNoPlate", hideOwnOnce},
	}, moderationFeed...))
}

// complain reports the thing, with copies of its pictures that have their names.
func (w *fixtures) complain(by user.ID, of moderation.Thing, owner user.ID) moderation.Report {
	return w.complainFor(moderation.Abuse, "It's \"rude\" \\ 🀄", by, of, owner, noon)
}

func (w *fixtures) complainFor(
	why moderation.Reason, text string, by user.ID, of moderation.Thing, owner user.ID, at time.Time,
) moderation.Report {
	r, err := moderation.NewReport(by, of, why, text, at)
	require.NoError(w, err)
	r.Owner, r.Copies = owner, moderation.Copies{}
	copied, err := w.Moderation.Copied(w.Context(), of)
	require.NoError(w, err)
	if now := w.subject(of); now != nil {
		for _, p := range now.Uncopied(copied) {
			r.Copies[p.Name] = media.Key("private/copy-" + p.Name)
		}
	}
	stored, _, err := w.Moderation.Report(w.Context(), r)
	require.NoError(w, err)
	return stored
}

// cases returns the cases that the query admits, the first reported or the latest decided first, read in parts of two.
func (w *fixtures) cases(q moderation.Query) (all []moderation.Case) {
	q.IsOldestFirst = !q.IsDecided
	for q.CursorRequest = page.Behind(page.Cursor{}, 2); ; {
		part, err := w.Moderation.Cases(w.Context(), q)
		require.NoError(w, err)
		if all = append(all, part.Items...); part.Next == (page.Cursor{}) {
			return all
		}
		q.CursorRequest = page.Behind(part.Next, 2)
	}
}

func (w *fixtures) openCases() []moderation.CaseID {
	return mapped(w.cases(moderation.Query{}), func(c moderation.Case) moderation.CaseID { return c.ID })
}

func thing(id event.ID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Event, ID: int64(id)}
}

func (w *fixtures) hide(t moderation.Thing, at time.Time) {
	require.NoError(w, w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: t, Reason: "Rude", At: at}, w.moves(t)))
}

// moves reserves the moves of the thing's pictures.
func (w *fixtures) moves(t moderation.Thing) media.Moves {
	pictures, wasHidden, err := w.Moderation.Pictures(w.Context(), t)
	require.NoError(w, err)
	m := media.NewMoves(pictures, t.Audience(!wasHidden), noon)
	require.NoError(w, m.Reserve(w.Context(), w.Deletions))
	return m
}

func changeHidden(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon, shown(event.Exposure{Status: event.Normal, Permission: event.Public}))
	w.hide(thing(e.ID()), noon)
	for _, c := range []struct {
		publish bool
		want    event.Status
	}{{true, event.Normal}, {false, event.Draft}, {true, event.Normal}} {
		changed, err := w.Events.Change(w.Context(), e.ID(), func(e *event.Event) error {
			return e.Apply(event.Change{Publish: &c.publish, Title: new("Another")}, noon)
		})
		require.NoError(w, err)
		assert.True(w, changed.IsHidden())
		assert.Equal(w, c.want, changed.State().Status)
		assert.Empty(w, w.Listings(w.T))
	}
	w.restore(thing(e.ID()))
	assert.Len(w, w.Listings(w.T), 1)
}

func photo(id userimage.ID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Image, ID: int64(id)}
}

// uploaded stores an image of so many bytes with a key of its own.
func (w *fixtures) uploaded(owner user.ID, key media.Key, bytes int64) userimage.Image {
	i, err := w.Images.Add(w.Context(), userimage.New(owner, key, 640, 480, bytes, tagged(w, "tea"), noon))
	require.NoError(w, err)
	return i
}

// hidings returns what of the owner is hidden, the newest first.
func (w *fixtures) hidings(owner user.ID) []moderation.Hiding {
	p, err := w.Moderation.Of(w.Context(), owner, page.Span{}, page.Request{})
	require.NoError(w, err)
	return p.Items
}

func (w *fixtures) hideImage(i userimage.Image) {
	w.hide(photo(i.ID), noon)
}

func hideUnreserved(w *fixtures) {
	i := w.uploaded(w.newUser(), "public/a.png", 7)
	r := w.moves(photo(i.ID))
	w.dueDeletions(r.Until) // the cleanup job removes the files at the reserved key
	for _, to := range []media.Moves{r, {To: map[media.Key]media.Key{i.Key: "private/b.png"}, Until: r.Until}, {}} {
		assert.ErrorIs(w, w.tryHide(photo(i.ID), to), media.ErrMoving)
	}
	assert.ErrorIs(w, w.tryHide(photo(i.ID+1), media.Moves{}), userimage.ErrNotFound)
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
	charge := ratelimit.Limits{ratelimit.Upload: {Count: 1, Period: time.Hour}}.Charge(int64(owner), ratelimit.Upload, noon)
	for range 2 {
		assert.NoError(w, w.within(roomy).Room.CheckPictures(w.Context(), owner, charge), "nothing is charged")
	}
	require.NoError(w, w.PersonalData.Charge(w.Context(), charge))
	assert.True(w, fault.Is(w.within(roomy).Room.CheckPictures(w.Context(), owner, charge), fault.Throttled))
	changed := w.changeOf(one.ID, func(i *userimage.Image) error { return i.Retag(tagged(w, "rain")) })
	assert.True(w, changed.Hidden)
	w.changeOf(one.ID, discard)
	assert.Equal(w, []media.Key{"private/a.png"}, w.dueDeletions(noon))
	assert.ErrorIs(w, w.tryRestore(photo(one.ID), media.Moves{}), userimage.ErrNotFound)
	left := w.hidings(owner)
	require.Len(w, left, 1)
	assert.Equal(w, photo(two.ID), left[0].Thing)
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

func remark(id event.CommentID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Comment, ID: int64(id)}
}

func (w *fixtures) restore(t moderation.Thing) {
	require.NoError(w, w.tryRestore(t, w.moves(t)))
}

func (w *fixtures) tryRestore(t moderation.Thing, to media.Moves) error {
	return w.Moderation.Restore(w.Context(), t, to)
}

func (w *fixtures) tryHide(t moderation.Thing, to media.Moves) error {
	return w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: t, Reason: "Rude", At: noon}, to)
}

// hideComments compares what each sees with the rule of the domain.
func hideComments(w *fixtures) {
	author, friend, blocked, both := w.newUser(), w.newUser(), w.newUser(), w.newUser()
	people := []user.ID{author, friend, blocked, both}
	e := w.write(author, noon)
	for i, who := range people {
		for n := range 2 {
			c := w.say(e.ID(), who, noon.Add(time.Duration(2*i+n)*time.Second), "Hm")
			if n == 0 {
				w.hide(remark(c.ID), noon)
			}
		}
	}
	w.block(author, blocked)
	w.block(both, author)
	w.block(friend, both)
	var all []event.Comment
	for id := range event.CommentID(8) {
		c, err := w.Discussion.Comment(w.Context(), id+1)
		require.NoError(w, err)
		assert.Equal(w, id%2 == 0, c.Hidden)
		all = append([]event.Comment{c}, all...)
	}
	for _, viewer := range append(people, w.newUser()) {
		var want []event.CommentID
		for _, c := range all {
			if c.VisibleTo(viewer, w.relations(viewer, c.Author)[c.Author]) {
				want = append(want, c.ID)
			}
		}
		var seen []event.CommentID
		for n := 1; len(seen) < len(want); n++ {
			p, _, err := w.Discussion.Comments(w.Context(), e.ID(), viewer, pageNo(n, 3))
			require.NoError(w, err)
			assert.Equal(w, len(want), p.Total)
			seen = append(seen, commentIDs(p.Items)...)
		}
		assert.Equal(w, want, seen)
		related, err := w.Related.Load(w.Context(), event.RelatedQuery{Viewer: viewer, CommentsFor: []event.ID{e.ID()}, Comments: 2})
		require.NoError(w, err)
		assert.Equal(w, want[:2], commentIDs(related.Comments[e.ID()]))
	}
	w.consistent()
}

func hideNotified(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	c := w.say(e.ID(), other, noon, "Oh")
	w.say(e.ID(), other, noon, "Ah")
	w.hide(remark(c.ID), noon)
	assert.Len(w, w.kindsOf(author), 1)
	w.restore(remark(c.ID))
	assert.Len(w, w.kindsOf(author), 2)
	all, _ := w.notifications(author)
	w.markRead(author, all[0].ID)
	w.hide(remark(c.ID), noon)
	w.restore(remark(c.ID))
	all, unread := w.notifications(author)
	assert.Len(w, all, 2)
	assert.Zero(w, unread, "it was read before")
	w.hide(remark(c.ID), noon)
	w.block(author, other)
	w.unblock(author, other)
	w.restore(remark(c.ID))
	assert.Equal(w, []notification.Kind(nil), w.kindsOf(author))
	w.consistent()
}

func hideRemoved(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	w.say(e.ID(), author, noon, "Hm")
	var said []event.CommentID
	for range 3 {
		c := w.say(e.ID(), other, noon, "Rude")
		w.hide(remark(c.ID), noon)
		said = append(said, c.ID)
	}
	require.NoError(w, w.Discussion.RemoveComment(w.Context(), said[0]))
	assert.ErrorIs(w, w.tryRestore(remark(said[0]), media.Moves{}), event.ErrNoComment)
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
	assert.Len(w, w.hidings(other), 2)
	w.restore(remark(said[1]))
	w.erase(other)
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
	w.consistent()
}

func hideCommentsAtOnce(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	of := remark(w.say(e.ID(), other, noon, "Rude").ID)
	turn := func(isHidden bool, wrong error) {
		errs := atOnce(8, func(i int) (err error) {
			switch {
			case i >= 4:
				_, _, err = w.Discussion.AddComment(w.Context(), event.Comment{Event: e.ID(), Author: other, Content: "Hm", Created: noon})
			case isHidden:
				err = w.tryHide(of, media.Moves{})
			default:
				err = w.tryRestore(of, media.Moves{})
			}
			return err
		})
		assertOneWins(w, errs[:4], wrong)
		assert.Equal(w, make([]error, 4), errs[4:])
	}
	turn(true, moderation.ErrHidden)
	assert.Equal(w, 4, w.entry(e.ID()).Comments)
	turn(false, moderation.ErrNotHidden)
	assert.Equal(w, 9, w.entry(e.ID()).Comments)
	assert.Len(w, w.kindsOf(author), 9)
	w.consistent()
}
