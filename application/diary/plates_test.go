package diary_test

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
	"plaza/domain/admission"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/test/pictures"
)

func illustrated(t *testing.T) (*fixture, media.Store, media.Raw) {
	t.Helper()
	stored := memory.NewMedia("https://plaza.example", []byte("key"))
	w := newFixture(t, func(p *diary.Ports) { p.Pictures, p.Processor = stored, imaging.NewProcessor(1) })
	return w, stored, bytes.NewReader(pictures.Plain(t, 30, 20))
}

func TestPLA01_plates_come_and_go_with_their_files(t *testing.T) {
	w, pictures, raw := illustrated(t)
	id := w.published(t, w.ann, "a lake", event.Contact)
	_, err := w.Attach(t.Context(), w.bob, id, raw, nil)
	assert.ErrorIs(t, err, event.ErrNotAuthor)
	_, err = w.Attach(t.Context(), w.zoe, id, raw, nil)
	assert.Equal(t, "event", fieldOf(t, err))
	_, err = w.Attach(t.Context(), w.ann, id, strings.NewReader("no picture"), nil)
	assert.Equal(t, "photo", fieldOf(t, err))

	plate, err := w.Attach(t.Context(), w.ann, id, raw, nil)
	require.NoError(t, err)
	assert.Equal(t, []event.Plate{plate}, mustRead(t, w, id).State().Plates)
	assert.ErrorIs(t, w.Detach(t.Context(), w.bob, plate.ID), event.ErrNotAuthor)
	assert.ErrorIs(t, w.Detach(t.Context(), w.zoe, plate.ID), event.ErrNoPlate)
	require.NoError(t, w.Detach(t.Context(), w.ann, plate.ID))
	assert.ErrorIs(t, w.Detach(t.Context(), w.ann, plate.ID), event.ErrNoPlate)
	_, err = pictures.Open(t.Context(), plate.Photo)
	assert.ErrorIs(t, err, media.ErrNotFound)
}

func TestPLA03_plates_wait_in_the_turn_of_their_account(t *testing.T) {
	refuser := &pictures.Refuser{}
	w := newFixture(t, func(p *diary.Ports) { p.Processor = refuser })
	for _, actor := range []access.Actor{w.ann, w.bob} {
		_, err := w.Attach(t.Context(), actor, w.published(t, actor, "a lake", event.Public), strings.NewReader("no picture"), nil)
		assert.Equal(t, "photo", fieldOf(t, err))
	}
	assert.Equal(t, []admission.Key{w.ann.QueueKey(), w.bob.QueueKey()}, refuser.Keys)
}

func TestEVT09_a_deleted_event_takes_its_pictures_along(t *testing.T) {
	w, pictures, raw := illustrated(t)
	id := w.published(t, w.ann, "a lake", event.Public)
	plate, err := w.Attach(t.Context(), w.ann, id, raw, nil)
	require.NoError(t, err)
	require.NoError(t, w.Delete(t.Context(), w.ann, id))
	_, err = pictures.Open(t.Context(), plate.Photo)
	assert.ErrorIs(t, err, media.ErrNotFound)
}

func TestPLA04_the_address_of_a_plate_expires(t *testing.T) {
	w, _, raw := illustrated(t)
	id := w.published(t, w.ann, "a lake", event.Public)
	plate, err := w.Attach(t.Context(), w.ann, id, raw, nil)
	require.NoError(t, err)
	now := w.PhotoURL(plate)
	w.now = w.now.Add(59 * time.Minute)
	assert.Equal(t, now, w.PhotoURL(plate), "the same within the hour, so that it can be cached")
	w.now = w.now.Add(time.Minute)
	assert.NotEqual(t, now, w.PhotoURL(plate))
}
