package people_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/memory"
)

// owner is a database as far as the marks of pictures go.
type owner struct {
	mu   sync.Mutex
	mark string
	err  error // of keeping a mark
}

func (o *owner) keep(_ context.Context, mark string) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.mark == "" && mark != "" {
		if o.err != nil {
			return "", o.err
		}
		o.mark = mark
	}
	return o.mark, nil
}

func (o *owner) set(_ context.Context, mark string) error {
	o.mark = mark
	return o.err
}

func newPictures() *memory.Media { return memory.NewMedia("https://plaza.example", []byte("key")) }

func putPicture(t *testing.T, s media.Store) {
	t.Helper()
	_, err := media.Upload{Type: "image/png", Width: 1, Height: 1, Bytes: []byte("x")}.Put(t.Context(), s, media.Everyone)
	require.NoError(t, err)
}

func TestPair(t *testing.T) {
	database, pictures := &owner{}, newPictures()
	require.NoError(t, media.Pair(t.Context(), pictures, database.keep))
	mark, err := pictures.Mark(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, database.mark, mark)
	assert.GreaterOrEqual(t, len(mark), 26)
	putPicture(t, pictures)
	require.NoError(t, media.Pair(t.Context(), pictures, database.keep), "again")

	for name, pair := range map[string]struct {
		database *owner
		pictures media.Store
	}{
		"a new database beside pictures of another": {&owner{}, pictures},
		"a database beside an empty folder":         {database, newPictures()},
		"a database beside pictures of another":     {&owner{mark: "other"}, pictures},
	} {
		before, _ := pair.pictures.Mark(t.Context(), "")
		kept := pair.database.mark
		require.ErrorIs(t, media.Pair(t.Context(), pair.pictures, pair.database.keep), media.ErrForeign, name)
		after, _ := pair.pictures.Mark(t.Context(), "")
		assert.Equal(t, before, after, name)
		assert.Equal(t, kept, pair.database.mark, name)
	}
	unmarked := newPictures()
	putPicture(t, unmarked)
	require.ErrorIs(t, media.Pair(t.Context(), unmarked, (&owner{}).keep), media.ErrForeign, "whose are they?")

	other := &owner{}
	require.NoError(t, media.Adopt(t.Context(), pictures, other.set))
	require.NoError(t, media.Pair(t.Context(), pictures, other.keep))
	require.ErrorIs(t, media.Pair(t.Context(), pictures, database.keep), media.ErrForeign, "they are another's now")
	require.NoError(t, media.Adopt(t.Context(), unmarked, database.set))
	assert.NoError(t, media.Pair(t.Context(), unmarked, database.keep))
}

func TestPair_goes_on_where_another_start_was_killed(t *testing.T) {
	database, pictures := &owner{err: errors.New("away")}, newPictures()
	require.ErrorIs(t, media.Pair(t.Context(), pictures, database.keep), database.err)
	database.err = nil
	require.NoError(t, media.Pair(t.Context(), pictures, database.keep))
	require.ErrorIs(t, media.Pair(t.Context(), pictures, (&owner{}).keep), media.ErrForeign, "they are paired for good")

	database, stuck := &owner{}, &unmarkable{newPictures()}
	require.ErrorIs(t, media.Pair(t.Context(), stuck, database.keep), errStuck, "the first mark is stored, the last is not")
	assert.NotEmpty(t, database.mark)
	require.NoError(t, media.Pair(t.Context(), stuck.Media, database.keep))
}

var errStuck = errors.New("stuck")

// unmarkable takes a first mark alone.
type unmarkable struct{ *memory.Media }

func (*unmarkable) SetMark(context.Context, string) error { return errStuck }

// slow is a store whose first Mark takes so long that another server does something meanwhile.
type slow struct {
	*memory.Media
	meanwhile func()
}

func (s *slow) Mark(ctx context.Context, first string) (string, error) {
	mark, err := s.Media.Mark(ctx, first)
	if meanwhile := s.meanwhile; meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	return mark, err
}

func TestPair_reads_again_what_another_server_has_paired_meanwhile(t *testing.T) {
	database, pictures := &owner{}, newPictures()
	other := func() { assert.NoError(t, media.Pair(t.Context(), pictures, database.keep)) }
	require.NoError(t, media.Pair(t.Context(), &slow{pictures, other}, database.keep))
}

func TestPair_of_many_servers_at_once(t *testing.T) {
	for range 50 {
		database, shared, own := &owner{}, newPictures(), newPictures()
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				pictures := shared
				if i == 0 {
					pictures = own // the server that does not share
				}
				errs[i] = media.Pair(t.Context(), pictures, database.keep)
			})
		}
		all.Wait()
		for _, err := range errs[2:] {
			assert.Equal(t, errs[1] == nil, err == nil, "those that share agree")
		}
		assert.NotEqual(t, errs[0] == nil, errs[1] == nil, "one pair alone")
	}
}
