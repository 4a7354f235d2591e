package people_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/cleanup"
	"plaza/domain/media"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/usecases"
)

// stuckMedia is a store of pictures whose Remove can be made to fail. It counts what is put.
type stuckMedia struct {
	media.Store
	is   bool
	puts int
}

func (s *stuckMedia) Put(ctx context.Context, key media.Key, content []byte) error {
	s.puts++
	return s.Store.Put(ctx, key, content)
}

func (s *stuckMedia) Remove(ctx context.Context, key media.Key) error {
	if s.is {
		return errors.New("disk failure")
	}
	return s.Store.Remove(ctx, key)
}

type cleanupFixture struct {
	*cleanup.Cleanup
	t        *testing.T
	store    *memory.Store
	pictures *stuckMedia
	who      user.ID
	now      time.Time
}

func newCleanupFixture(t *testing.T) *cleanupFixture {
	t.Helper()
	w := &cleanupFixture{
		t: t, store: memory.New(), pictures: &stuckMedia{Store: memory.NewMedia("https://plaza.example", []byte("key"))},
		now: time.Now(),
	}
	w.who = usecases.OpenAccount(t, w.store, "+86-13900000001")
	w.Cleanup = cleanup.New(w.store.Deletions, w.pictures, func() time.Time { return w.now })
	return w
}

func (w *cleanupFixture) put() media.Key {
	w.t.Helper()
	key, err := media.Upload{Type: "image/png", Width: 1, Height: 1, Bytes: []byte("x")}.Put(w.t.Context(), w.pictures, media.Everyone)
	require.NoError(w.t, err)
	return key
}

// sizesOf stores the sizes of the picture.
func (w *cleanupFixture) sizesOf(key media.Key) []media.Key {
	w.t.Helper()
	sizes := []media.Key{key.SizeKeys("sm")[0], key.SizeKeys("md")[1]}
	for _, size := range sizes {
		require.NoError(w.t, w.pictures.Put(w.t.Context(), size, []byte("x")))
	}
	return sizes
}

func (w *cleanupFixture) shows(p media.Picture) {
	w.t.Helper()
	require.NoError(w.t, w.store.Directory.SetAvatar(w.t.Context(), w.who, p, 0))
}

func (w *cleanupFixture) isThere(key media.Key) bool {
	w.t.Helper()
	f, err := w.pictures.Open(w.t.Context(), key)
	if err == nil {
		require.NoError(w.t, f.Close())
	}
	return err == nil
}

func TestIMG07_what_nobody_shows_loses_its_file_however_long_that_takes(t *testing.T) {
	w := newCleanupFixture(t)
	key := w.put()
	sizes := w.sizesOf(key)
	w.shows(media.Picture{Key: key})
	n, err := w.RemoveDue(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	w.shows(media.Picture{})
	w.pictures.is = true
	n, err = w.RemoveDue(t.Context())
	require.Error(t, err)
	assert.Equal(t, 1, n)
	w.pictures.is = false
	n, err = w.RemoveDue(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n, "not before the retry delay")
	assert.True(t, w.isThere(key))
	w.now = w.now.Add(5 * time.Minute)
	n, err = w.RemoveDue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.False(t, w.isThere(key))
	assert.Zero(t, filesIn(t, w.pictures), "IMG-08: nor are its sizes: %v", sizes)
	w.now = w.now.Add(time.Hour)
	n, err = w.RemoveDue(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n, "it is no longer queued")
}

func TestIMG07_many_deleted_pictures_are_removed_batch_by_batch(t *testing.T) {
	w := newCleanupFixture(t)
	for range 250 {
		w.shows(media.Picture{Key: w.put()})
	}
	var batches []int
	for n := media.RemoveBatch; n == media.RemoveBatch; {
		var err error
		n, err = w.RemoveDue(t.Context())
		require.NoError(t, err)
		batches = append(batches, n)
	}
	assert.Equal(t, []int{100, 100, 49}, batches, "the last picture is shown")
	left, err := w.store.Deletions.Claim(t.Context(), w.now.AddDate(1, 0, 0), w.now, 1000)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func (w *cleanupFixture) check() (found []cleanup.Finding) {
	w.t.Helper()
	_, err := w.Check(w.t.Context(), func(f cleanup.Finding) { found = append(found, f) })
	require.NoError(w.t, err)
	return found
}

// discard discards orphans as the check has found them, however many they are, and returns those that went.
func (w *cleanupFixture) discard(orphans ...media.Key) (gone []media.Key) {
	w.t.Helper()
	require.NoError(w.t, w.Discard(w.t.Context(), orphans, len(orphans), len(orphans), func(key media.Key) { gone = append(gone, key) }))
	return gone
}

func TestPLA04_a_check_finds_files_that_nothing_shows_and_pictures_without_one(t *testing.T) {
	w := newCleanupFixture(t)
	shown, orphan := w.put(), w.put()
	w.shows(media.Picture{Key: shown})
	assert.Empty(t, w.check(), "a young file may belong to an upload in progress")
	w.now = time.Now().Add(cleanup.OrphanGracePeriod + time.Second)
	assert.Equal(t, []cleanup.Finding{{Key: orphan}}, w.check())
	assert.True(t, w.isThere(orphan))
	assert.Equal(t, []media.Key{orphan}, w.discard(orphan))
	assert.False(t, w.isThere(orphan))
	assert.Empty(t, w.check())

	require.NoError(t, w.pictures.Remove(t.Context(), shown))
	missing := []cleanup.Finding{{Key: shown, Missing: "avatar of user 1"}}
	assert.Equal(t, missing, w.check())
	w.shows(media.Picture{})
	assert.Empty(t, w.check(), "queued pictures need no file")
}

// listedMedia is a store of pictures that calls during for each file that it lists.
type listedMedia struct {
	media.Store
	during func(media.Key)
}

func (l listedMedia) All(ctx context.Context) iter.Seq2[media.Stored, error] {
	return func(yield func(media.Stored, error) bool) {
		for file, err := range l.Store.All(ctx) {
			if err == nil {
				l.during(file.Key)
			}
			if !yield(file, err) {
				return
			}
		}
	}
}

func TestIMG08_a_check_knows_the_sizes_of_what_is_shown(t *testing.T) {
	w := newCleanupFixture(t)
	shown, gone := w.put(), w.put()
	kept, orphans := w.sizesOf(shown), w.sizesOf(gone)
	require.NoError(t, w.pictures.Remove(t.Context(), gone))
	w.shows(media.Picture{Key: shown})
	w.now = time.Now().Add(cleanup.OrphanGracePeriod + time.Second)
	assert.ElementsMatch(t, []cleanup.Finding{{Key: orphans[0]}, {Key: orphans[1]}}, w.check())
	assert.Equal(t, orphans, w.discard(orphans...))
	assert.Empty(t, w.check())
	for _, size := range kept {
		assert.True(t, w.isThere(size))
		require.NoError(t, w.pictures.Remove(t.Context(), size))
	}
	assert.Empty(t, w.check(), "a missing size is made when it is asked for")
}

func TestPLA04_RepairSparesPicturesUploadedDuringTheCheck(t *testing.T) {
	w := newCleanupFixture(t)
	w.put() // its row is not stored yet
	began := w.now
	k := cleanup.New(w.store.Deletions, listedMedia{w.pictures, func(media.Key) {
		w.now = began.Add(cleanup.OrphanGracePeriod + time.Minute) // the listing takes over an hour
	}}, func() time.Time { return w.now })
	files, err := k.Check(t.Context(), func(f cleanup.Finding) { t.Errorf("found %+v", f) })
	require.NoError(t, err)
	assert.Equal(t, 1, files)
}

func TestPLA04_what_has_got_a_record_since_the_check_is_spared(t *testing.T) {
	w := newCleanupFixture(t)
	old, orphan := w.put(), w.put()
	sizes := w.sizesOf(old)
	w.shows(media.Picture{Key: old})
	assert.Equal(t, []media.Key{orphan}, w.discard(old, orphan, sizes[0], sizes[1]))
	assert.True(t, w.isThere(old))
	assert.True(t, w.isThere(sizes[0]))
	assert.False(t, w.isThere(orphan))
}

func TestPLA04_no_more_than_a_tenth_is_discarded_unless_so_many_are_allowed(t *testing.T) {
	w := newCleanupFixture(t)
	orphans := []media.Key{w.put(), w.put()}
	discard := func(files, allowed int) error {
		return w.Discard(t.Context(), orphans, files, allowed, func(media.Key) {})
	}
	for _, allowed := range []int{0, 1} {
		require.ErrorIs(t, discard(19, allowed), cleanup.ErrTooMany)
		assert.True(t, w.isThere(orphans[0]))
	}
	require.NoError(t, discard(20, 0))
	assert.False(t, w.isThere(orphans[0]))
	orphans = []media.Key{w.put()}
	require.NoError(t, discard(1, 1))
	assert.False(t, w.isThere(orphans[0]))
}

func TestPLA04_what_is_discarded_stays_in_the_trash_for_a_week(t *testing.T) {
	w := newCleanupFixture(t)
	orphan := w.put()
	all := append([]media.Key{orphan}, w.sizesOf(orphan)...)
	assert.Equal(t, all, w.discard(all...))
	dueIn := func(age time.Duration) {
		w.now = w.now.Add(age)
		_, err := w.RemoveDue(t.Context())
		require.NoError(t, err)
	}
	dueIn(media.TrashTime - time.Second)
	for _, key := range all {
		assert.True(t, w.isThere(key.Trash()), key)
	}
	assert.Empty(t, w.check())
	require.NoError(t, w.pictures.Put(t.Context(), orphan, []byte("put back")))
	assert.Equal(t, []media.Key{orphan}, w.discard(orphan), "its week begins again")
	dueIn(time.Second)
	assert.False(t, w.isThere(all[1].Trash()))
	assert.True(t, w.isThere(orphan.Trash()))
	dueIn(media.TrashTime)
	assert.False(t, w.isThere(orphan.Trash()))
}
