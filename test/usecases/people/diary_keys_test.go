package people_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/adapters/memory"
	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/test/pictures"
)

// idempotencyKey returns the key of a new call of that name.
func idempotencyKey(t *testing.T, actor access.Actor, name string) *idempotency.Key {
	t.Helper()
	k, err := idempotency.NewKey(actor.ID, name, idempotency.Request{Operation: name})
	require.NoError(t, err)
	return k
}

func TestGEN13_a_repeated_request_is_not_charged(t *testing.T) {
	w := newDiaryFixture(t)
	hourly := ratelimit.Limit{Count: 1, Period: time.Hour}
	w.Diary = diary.New(w.ports, ratelimit.Limits{ratelimit.Event: hourly, ratelimit.Comment: hourly}, func() time.Time { return w.now })
	id := w.published(t, w.ann, "a lake", event.Public)
	written, err := w.Write(t.Context(), w.zoe, event.Change{Title: new("a hill")}, idempotencyKey(t, w.zoe, "event"), nil)
	require.NoError(t, err)
	said, err := w.Comment(t.Context(), w.bob, id, "hello", idempotencyKey(t, w.bob, "comment"), nil)
	require.NoError(t, err)
	for range 3 {
		again, err := w.Write(t.Context(), w.zoe, event.Change{Title: new("a hill")}, idempotencyKey(t, w.zoe, "event"), nil)
		require.NoError(t, err)
		assert.Equal(t, written.ID(), again.ID())
		repeated, err := w.Comment(t.Context(), w.bob, id, "hello", idempotencyKey(t, w.bob, "comment"), nil)
		require.NoError(t, err)
		assert.Equal(t, said, repeated)
	}
	_, err = w.Comment(t.Context(), w.bob, id, "hello", idempotencyKey(t, w.bob, "another"), nil)
	assert.ErrorContains(t, err, "too often")
}

// failingDiscussion is a store that fails once, before or after it has stored the comment.
type failingDiscussion struct {
	event.Discussion
	stores bool
	err    error
}

func (f *failingDiscussion) AddComment(
	ctx context.Context, c event.Comment, charges ...ratelimit.Charge,
) (event.Comment, *user.Member, error) {
	err := f.err
	if f.err = nil; err != nil && !f.stores {
		return event.Comment{}, nil, err
	}
	stored, author, addErr := f.Discussion.AddComment(ctx, c, charges...)
	return stored, author, errors.Join(err, addErr)
}

// The answer of a store may be lost, whether or not it has stored the comment.
func TestGEN13_a_store_that_fails_leaves_one_comment_to_a_repeated_request(t *testing.T) {
	for _, stores := range []bool{false, true} {
		away := errors.New("away")
		broken := &failingDiscussion{stores: stores, err: away}
		w := newDiaryFixture(t, func(p *diary.Ports) { broken.Discussion, p.Discussion = p.Discussion, broken })
		id := w.published(t, w.ann, "a lake", event.Public)
		_, err := w.Comment(t.Context(), w.bob, id, "hello", idempotencyKey(t, w.bob, "one"), nil)
		require.ErrorIs(t, err, away)
		said, err := w.Comment(t.Context(), w.bob, id, "hello", idempotencyKey(t, w.bob, "one"), nil)
		require.NoError(t, err)
		all, _, err := w.Comments(t.Context(), w.bob, id, page.Request{})
		require.NoError(t, err)
		assert.Equal(t, []event.Comment{said.Comment}, all.Items, "stores: %v", stores)
	}
}

// A server that is killed after it has reserved the key leaves a reservation that ends.
func TestGEN13_the_reservation_of_a_killed_server_ends(t *testing.T) {
	w := newDiaryFixture(t)
	killed := idempotencyKey(t, w.ann, "one")
	_, err := w.store.Keys().Reserve(t.Context(), *killed, w.now, w.now.Add(idempotency.Lease))
	require.NoError(t, err)
	write := func() error {
		_, err := w.Write(t.Context(), w.ann, event.Change{Title: new("a lake")}, idempotencyKey(t, w.ann, "one"), nil)
		return err
	}
	w.now = w.now.Add(idempotency.Lease - time.Microsecond)
	assert.ErrorIs(t, write(), idempotency.ErrKeyInUse)
	w.now = w.now.Add(time.Microsecond)
	require.NoError(t, write())
	require.NoError(t, write())
	all, err := w.Own(t.Context(), w.ann, event.Query{}, diary.AllParts)
	require.NoError(t, err)
	assert.Len(t, all.Items, 1)
}

// slowProcessor calls meanwhile once, while it processes a picture.
type slowProcessor struct {
	media.Processor
	meanwhile func()
}

func (s *slowProcessor) Process(ctx context.Context, by string, raw media.Raw, sizes ...media.SizeSpec) (media.Processed, error) {
	if meanwhile := s.meanwhile; meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	return s.Processor.Process(ctx, by, raw, sizes...)
}

func TestGEN13_a_request_that_outlives_its_reservation_stores_nothing(t *testing.T) {
	slow := &slowProcessor{Processor: imaging.NewProcessor(1)}
	stored := memory.NewMedia("https://plaza.example", []byte("key"))
	w := newDiaryFixture(t, func(p *diary.Ports) { p.Pictures, p.Processor = stored, slow })
	id := w.published(t, w.ann, "a lake", event.Public)
	attach := func() (event.Plate, error) {
		return w.Attach(t.Context(), w.ann, id, bytes.NewReader(pictures.Plain(t, 30, 20)), idempotencyKey(t, w.ann, "one"), nil)
	}
	var first event.Plate
	slow.meanwhile = func() {
		_, err := attach()
		require.ErrorIs(t, err, idempotency.ErrKeyInUse)
		w.now = w.now.Add(idempotency.Lease)
		first, err = attach()
		require.NoError(t, err)
	}
	_, err := attach()
	require.ErrorIs(t, err, idempotency.ErrKeyInUse)
	assert.Equal(t, []event.Plate{first}, mustReadEvent(t, w, id).State().Plates)
	assert.Equal(t, filesOf, filesIn(t, stored), "no file is left")
	again, err := attach()
	require.NoError(t, err)
	assert.Equal(t, first, again)
}
