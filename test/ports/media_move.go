package ports

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// anyKeys is a queue that reserves every key.
type anyKeys struct{ media.DeletionQueue }

func (anyKeys) Reserve(context.Context, media.Reservation) error { return nil }
func (anyKeys) Done(context.Context, []media.Key) error          { return nil }

func mediaMove(t *testing.T, s media.Store) {
	public, private := put(t, s, upload("image/png", 1), media.Everyone), put(t, s, upload("image/jpeg", 2), media.Viewers)
	sizes := []media.Key{public.Size("sm", "image/jpeg"), private.Size("md", "image/jpeg")}
	for i, key := range sizes {
		require.NoError(t, s.Put(t.Context(), key, []byte{byte(10 + i)}))
	}
	var moved media.Moves
	err := media.Move(t.Context(), s, anyKeys{}, []media.Key{public, private}, media.Viewers, noon, func(m media.Moves) error {
		moved = m
		return nil
	})
	require.NoError(t, err)
	for _, former := range append(sizes, public, private) {
		absent(t, s, former)
	}
	assert.Equal(t, public.For(media.Viewers), moved.To[public])
	assert.NotEqual(t, private, moved.To[private])
	for key, want := range map[media.Key]byte{
		moved.To[public]: 1, moved.To[private]: 2,
		moved.To[public].Size("sm", "image/jpeg"): 10, moved.To[private].Size("md", "image/jpeg"): 11,
	} {
		content, _ := stored(t, s, key)
		assert.Equal(t, []byte{want}, content, key)
	}
}
