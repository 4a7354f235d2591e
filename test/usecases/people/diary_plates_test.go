package people_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/adapters/memory"
	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/test/pictures"
)

// newIllustratedDiary returns a fixture that stores pictures, where it stores them, and a picture.
func newIllustratedDiary(t *testing.T) (*diaryFixture, media.Store, media.Raw) {
	t.Helper()
	stored := memory.NewMedia("https://plaza.example", []byte("key"))
	w := newDiaryFixture(t, func(p *diary.Ports) {
		p.Pictures, p.Addresses, p.Processor = stored, stored.Addresses, imaging.NewProcessor(1)
	})
	return w, stored, bytes.NewReader(pictures.Plain(t, 30, 20))
}

func TestPLA01_plates_come_and_go_with_their_files(t *testing.T) {
	w, pictures, raw := newIllustratedDiary(t)
	id := w.published(t, w.ann, "a lake", event.Contact)
	_, err := w.Attach(t.Context(), w.bob, id, raw, nil, nil)
	assert.ErrorIs(t, err, event.ErrNotAuthor)
	_, err = w.Attach(t.Context(), w.zoe, id, raw, nil, nil)
	assert.Equal(t, "event", onlyField(t, err))
	_, err = w.Attach(t.Context(), w.ann, id, strings.NewReader("no picture"), nil, nil)
	assert.Equal(t, "photo", onlyField(t, err))

	plate, err := w.Attach(t.Context(), w.ann, id, raw, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, []event.Plate{plate}, mustReadEvent(t, w, id).State().Plates)
	assert.ErrorIs(t, w.Detach(t.Context(), w.bob, plate.ID), event.ErrNotAuthor)
	assert.ErrorIs(t, w.Detach(t.Context(), w.zoe, plate.ID), event.ErrNoPlate)
	require.NoError(t, w.Detach(t.Context(), w.ann, plate.ID))
	assert.ErrorIs(t, w.Detach(t.Context(), w.ann, plate.ID), event.ErrNoPlate)
	_, err = pictures.Open(t.Context(), plate.Photo)
	assert.ErrorIs(t, err, media.ErrNotFound)
}

func TestPLA03_plates_wait_in_the_turn_of_their_account(t *testing.T) {
	refuser := &pictures.Refuser{}
	w := newDiaryFixture(t, func(p *diary.Ports) { p.Processor = refuser })
	for _, actor := range []access.Actor{w.ann, w.bob} {
		_, err := w.Attach(t.Context(), actor, w.published(t, actor, "a lake", event.Public), strings.NewReader("no picture"), nil, nil)
		assert.Equal(t, "photo", onlyField(t, err))
	}
	assert.Equal(t, []string{w.ann.QueueKey(), w.bob.QueueKey()}, refuser.Keys)
}

func TestEVT09_a_deleted_event_takes_its_pictures_along(t *testing.T) {
	w, pictures, raw := newIllustratedDiary(t)
	id := w.published(t, w.ann, "a lake", event.Public)
	plate, err := w.Attach(t.Context(), w.ann, id, raw, nil, nil)
	require.NoError(t, err)
	require.NoError(t, w.Delete(t.Context(), w.ann, id))
	_, err = pictures.Open(t.Context(), plate.Photo)
	assert.ErrorIs(t, err, media.ErrNotFound)
}

func TestPLA04_the_address_of_a_plate_expires(t *testing.T) {
	w, _, raw := newIllustratedDiary(t)
	id := w.published(t, w.ann, "a lake", event.Public)
	plate, err := w.Attach(t.Context(), w.ann, id, raw, nil, nil)
	require.NoError(t, err)
	now := w.PhotoURL(plate)
	w.now = w.now.Add(59 * time.Minute)
	assert.Equal(t, now, w.PhotoURL(plate), "the same within the hour, so that it can be cached")
	w.now = w.now.Add(time.Minute)
	assert.NotEqual(t, now, w.PhotoURL(plate))
}

func TestGEN14_a_plate_beyond_the_quota_leaves_no_file_and_a_full_account_decodes_none(t *testing.T) {
	processed, err := imaging.NewProcessor(1).Process(t.Context(), "account", bytes.NewReader(pictures.Plain(t, 30, 20)))
	require.NoError(t, err)
	for decoded, l := range map[int]quota.Limits{2: {Pictures: 2*processed.Size() - 1}, 1: {Pictures: processed.Size()}} {
		stored, processor := memory.NewMedia("https://plaza.example", []byte("key")), &countedProcessor{Processor: imaging.NewProcessor(1)}
		w := newDiaryFixture(t, func(p *diary.Ports) { p.Pictures, p.Processor = stored, processor })
		w.ports.Events, w.ports.Room = w.store.Events().Within(l), w.store.Room(l)
		limited := diary.New(w.ports, nil, func() time.Time { return w.now })
		id := w.published(t, w.ann, "a lake", event.Public)
		_, err := limited.Attach(t.Context(), w.ann, id, bytes.NewReader(pictures.Plain(t, 30, 20)), nil, nil)
		require.NoError(t, err)
		_, err = limited.Attach(t.Context(), w.ann, id, bytes.NewReader(pictures.Plain(t, 30, 20)), nil, nil)
		refusal, _ := fault.As(err)
		assert.Equal(t, l.ErrPictures(), refusal)
		assert.Equal(t, decoded, processor.n)
		assert.Equal(t, filesOf, filesIn(t, stored))
		assert.Len(t, mustReadEvent(t, w, id).State().Plates, 1)
		_, err = limited.Attach(t.Context(), w.bob, id, strings.NewReader(""), nil, nil)
		assert.ErrorIs(t, err, event.ErrNotAuthor, "access is checked first")
	}
}

func TestGEN14_drafts_and_comments_beyond_the_quota(t *testing.T) {
	l := quota.Limits{Drafts: 1, Comments: 1}
	w := newDiaryFixture(t)
	w.ports.Events, w.ports.Discussion = w.store.Events().Within(l), w.store.Events().Within(l)
	limited := diary.New(w.ports, nil, func() time.Time { return w.now })
	id := w.published(t, w.ann, "a lake", event.Public)
	_, err := limited.Write(t.Context(), w.ann, event.Change{Title: new("a draft")}, nil, nil)
	require.NoError(t, err)
	_, err = limited.Write(t.Context(), w.ann, event.Change{Title: new("another")}, nil, nil)
	assert.Equal(t, l.ErrDrafts(), err)
	_, err = limited.Edit(t.Context(), w.ann, id, event.Change{Publish: new(false)}, nil)
	assert.Equal(t, l.ErrDrafts(), err)
	_, err = limited.Comment(t.Context(), w.zoe, id, "Well said", nil, nil)
	require.NoError(t, err)
	_, err = limited.Comment(t.Context(), w.zoe, id, "Well said", nil, nil)
	assert.Equal(t, l.ErrComments(), err)
	_, err = limited.Comment(t.Context(), w.bob, id, "Well said", nil, nil)
	require.NoError(t, err)
}
