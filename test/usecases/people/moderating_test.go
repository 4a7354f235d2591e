package people_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/moderating"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/userimage"
	"plaza/test/content"
)

// failingHides is a store whose Hide can be made to fail.
type failingHides struct {
	moderation.Store
	cause  error
	before func() // nil: nothing
}

func (f *failingHides) Hide(ctx context.Context, h moderation.Hiding, to media.Moves) error {
	if f.before != nil {
		f.before()
	}
	if f.cause != nil {
		return f.cause
	}
	return f.Store.Hide(ctx, h, to)
}

func (f *failingHides) Report(ctx context.Context, r moderation.Report, c ...ratelimit.Charge) (moderation.Report, bool, error) {
	if f.cause != nil {
		return moderation.Report{}, false, f.cause
	}
	return f.Store.Report(ctx, r, c...)
}

// deleting is a store that deletes a thing when it is looked at for the first time.
type deleting struct {
	moderation.Store
	remove func()
}

func (d *deleting) Subjects(ctx context.Context, things []moderation.Thing) (map[moderation.Thing]moderation.Subject, error) {
	d.remove()
	return d.Store.Subjects(ctx, things)
}

// newHidingFixture returns the use cases of moderation over the fixture, and an image with its sizes.
func newHidingFixture(t *testing.T) (*cleanupFixture, *failingHides, *moderating.Moderating, moderation.Thing, []media.Key) {
	t.Helper()
	w := newCleanupFixture(t)
	store := &failingHides{Store: w.store.Moderation}
	m := moderating.New(store, w.store.EventReader, w.store.Discussion, w.store.Feed, w.store.Directory,
		media.Addresses{}, w.pictures, w.store.Deletions, nil, func() time.Time { return w.now })
	key := w.put()
	i, err := w.store.Images.Add(t.Context(), userimage.New(w.who, key, 1, 1, 3, userimage.Tags{}, w.now))
	require.NoError(t, err)
	return w, store, m, moderation.Thing{Kind: moderation.Image, ID: int64(i.ID)}, append(w.sizesOf(key), key)
}

// acting returns a context of an act of staff.
func acting(t *testing.T, act audit.Act) context.Context {
	return audit.With(t.Context(), audit.Record{By: audit.Actor{Staff: 1}, Act: act})
}

// assertFiles asserts that the files are where those of the audience are, and nowhere else.
func (w *cleanupFixture) assertFiles(keys []media.Key, a media.Audience) {
	w.t.Helper()
	for _, key := range keys {
		assert.Equal(w.t, a == media.Everyone, w.isThere(key.For(media.Everyone)), key)
		assert.Equal(w.t, a == media.Viewers, w.isThere(key.For(media.Viewers)), key)
	}
	assert.Empty(w.t, w.check(), "pictures that are missing, or orphans")
}

func TestMOD03_the_files_of_a_hidden_image_move(t *testing.T) {
	w, _, m, of, keys := newHidingFixture(t)
	for range 2 {
		err := m.Turn(acting(t, audit.Hidden), operator, of, true, "Rude", nil)
		require.NoError(t, err)
		w.assertFiles(keys, media.Viewers)
		err = m.Turn(acting(t, audit.Restored), operator, of, false, "A mistake", nil)
		require.NoError(t, err)
		w.assertFiles(keys, media.Everyone)
	}
}

func TestMOD03_a_server_that_stops_before_it_removes_the_former_files_leaves_that_to_the_cleanup(t *testing.T) {
	w, _, m, of, keys := newHidingFixture(t)
	w.pictures.is = true
	err := m.Turn(acting(t, audit.Hidden), operator, of, true, "Rude", nil)
	require.NoError(t, err)
	w.pictures.is = false
	err = m.Turn(acting(t, audit.Restored), operator, of, false, "A mistake", nil)
	require.ErrorIs(t, err, media.ErrMoving, "the cleanup would remove what is restored")
	w.now = w.now.Add(media.MoveTime)
	_, err = w.RemoveDue(t.Context())
	require.NoError(t, err)
	w.assertFiles(keys, media.Viewers)
	err = m.Turn(acting(t, audit.Restored), operator, of, false, "A mistake", nil)
	require.NoError(t, err)
	w.assertFiles(keys, media.Everyone)
}

func TestMOD03_a_server_that_stops_before_the_image_is_hidden_leaves_it_as_it_was(t *testing.T) {
	w, store, m, of, keys := newHidingFixture(t)
	store.cause = errors.New("killed")
	err := m.Turn(acting(t, audit.Hidden), operator, of, true, "Rude", nil)
	require.ErrorIs(t, err, store.cause)
	store.cause = nil
	err = m.Turn(acting(t, audit.Hidden), operator, of, true, "Rude", nil)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	w.now = w.now.Add(media.MoveTime)
	_, err = w.RemoveDue(t.Context())
	require.NoError(t, err)
	w.assertFiles(keys, media.Everyone)
	err = m.Turn(acting(t, audit.Hidden), operator, of, true, "Rude", nil)
	require.NoError(t, err)
	w.assertFiles(keys, media.Viewers)
}

func TestMOD06_an_author_who_adds_plates_keeps_no_event_from_being_hidden(t *testing.T) {
	w, store, m, _, _ := newHidingFixture(t)
	change := event.Change{Title: new("Fog"), Publish: new(true)}.Sanitised(content.AsSent{})
	draft, err := event.New(w.who, change, calendar.DateOf(w.now), w.now)
	require.NoError(t, err)
	e, err := w.store.Events.Add(t.Context(), draft)
	require.NoError(t, err)
	more := 2
	store.before = func() {
		if more--; more >= 0 {
			_, err := w.store.Events.Change(t.Context(), e.ID(), func(e *event.Event) error {
				return e.AddPlate(event.Plate{Photo: w.put().For(media.Viewers)}, w.now)
			})
			require.NoError(t, err)
		}
	}
	of := moderation.Thing{Kind: moderation.Event, ID: int64(e.ID())}
	err = m.Turn(acting(t, audit.Hidden), operator, of, true, "Rude", nil)
	require.NoError(t, err)
	assert.Equal(t, -1, more)
}

// stored returns how many pictures are stored.
func (w *cleanupFixture) stored() (n int) {
	w.t.Helper()
	for _, err := range w.pictures.All(w.t.Context()) {
		require.NoError(w.t, err)
		n++
	}
	return n
}

// operator acts at the command line.
var operator = audit.Actor{Person: "maria"}

func TestMOD05_a_report_keeps_a_copy_of_each_picture_until_it_is_not_needed(t *testing.T) {
	w, _, m, of, keys := newHidingFixture(t)
	_, isNew, err := m.Report(t.Context(), access.Actor{ID: w.who}, of, moderation.Abuse, "", nil)
	require.NoError(t, err)
	require.True(t, isNew)
	cases, err := m.Cases(t.Context(), moderation.Query{}, 0)
	require.NoError(t, err)
	kept := cases.Items[0].Versions[0].Pictures[0].Key
	assert.True(t, w.isThere(kept))
	assert.NotContains(t, keys, kept, "the picture itself, whose files go with it")
	assert.Empty(t, w.check(), "pictures that are missing, or orphans")
	_, isNew, err = m.Report(t.Context(), access.Actor{ID: w.who}, of, moderation.Abuse, "", nil)
	require.NoError(t, err)
	assert.False(t, isNew)
}

func TestMOD05_no_picture_is_copied_for_a_reporter_over_the_limit(t *testing.T) {
	w, store, _, of, _ := newHidingFixture(t)
	limits := ratelimit.Limits{ratelimit.Comment: {Count: 1, Period: time.Hour}}
	m := moderating.New(store, w.store.EventReader, w.store.Discussion, w.store.Feed, w.store.Directory,
		media.Addresses{}, w.pictures, w.store.Deletions, limits, func() time.Time { return w.now })
	person := moderation.Thing{Kind: moderation.Person, ID: int64(w.who)}
	_, _, err := m.Report(t.Context(), access.Actor{ID: w.who}, person, moderation.Spam, "", nil)
	require.NoError(t, err)
	before := w.pictures.puts
	_, _, err = m.Report(t.Context(), access.Actor{ID: w.who}, of, moderation.Spam, "", nil)
	assert.True(t, fault.Is(err, fault.Throttled), "%v", err)
	assert.Equal(t, before, w.pictures.puts)
}

func TestMOD05_no_file_is_left_of_a_report_that_was_refused(t *testing.T) {
	w, store, m, of, _ := newHidingFixture(t)
	before := w.stored()
	for _, store.cause = range []error{errors.New("refused"), moderation.ErrUncopied} {
		_, _, err := m.Report(t.Context(), access.Actor{ID: w.who}, of, moderation.Abuse, "", nil)
		require.ErrorIs(t, err, store.cause)
		assert.Equal(t, before, w.stored(), "%v", store.cause)
	}
}

func TestMOD05_staff_see_what_a_person_owned_who_is_being_erased_as_it_was_reported(t *testing.T) {
	w, store, m, of, _ := newHidingFixture(t)
	r, err := moderation.NewReport(w.who, of, moderation.Abuse, "", w.now)
	require.NoError(t, err)
	r.Owner, r.Copies = w.who, moderation.Copies{fmt.Sprint("image ", of.ID): ""}
	_, _, err = store.Report(t.Context(), r)
	require.NoError(t, err)
	shown := func() moderating.Cases {
		cases, err := m.Cases(t.Context(), moderation.Query{}, 0)
		require.NoError(t, err)
		require.Len(t, cases.Items, 1)
		return cases
	}
	require.NotNil(t, shown().Now[of])
	require.NoError(t, w.store.Accounts.Change(t.Context(), w.who, func(a *access.Account) error {
		a.Close()
		return nil
	}))
	_, err = w.store.PersonalData.Erase(t.Context(), w.who, personaldata.Account, 1)
	require.NoError(t, err)
	assert.Nil(t, shown().Now[of], "its owner is gone, and the image is not yet")
	assert.Len(t, shown().Items[0].Versions, 1)
}

func TestMOD05_a_thing_that_is_deleted_while_it_is_reported_does_not_exist(t *testing.T) {
	w, store, _, of, _ := newHidingFixture(t)
	remove := func() {
		_, err := w.store.Images.Change(t.Context(), userimage.ID(of.ID), func(i *userimage.Image) error {
			i.Delete(w.now)
			return nil
		})
		require.NoError(t, err)
	}
	m := moderating.New(&deleting{store, remove}, w.store.EventReader, w.store.Discussion, w.store.Feed, w.store.Directory,
		media.Addresses{}, w.pictures, w.store.Deletions, nil, func() time.Time { return w.now })
	_, _, err := m.Report(t.Context(), access.Actor{ID: 1}, of, moderation.Spam, "", nil)
	f, is := fault.As(err)
	require.True(t, is)
	assert.Equal(t, fault.Invalid, f.Kind)
	assert.Contains(t, f.Fields, "image")
}
