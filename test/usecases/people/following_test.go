package people_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/following"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/test/content"
	"plaza/test/usecases"
)

// newFollowing returns the use cases, two members and, as category 4, Walks.
func newFollowing(t *testing.T) (f *following.Following, ann, bob access.Actor) {
	t.Helper()
	store := memory.New()
	walks := feed.Category{ID: 4, Name: "Walks", Slug: "walks"}
	require.NoError(t, content.Import(t.Context(), content.Stores{Imports: store.Imports()}, walks))
	f = following.New(store.Subscriptions(), store.Blocks(), store.Categories(), store.Keys(), nil, func() time.Time { return usecases.Noon })
	return f, usecases.OpenActor(t, store, "+86-13900000001"), usecases.OpenActor(t, store, "+86-13900000002")
}

func TestSUB04_following(t *testing.T) {
	f, ann, bob := newFollowing(t)
	first, isNew, err := f.Follow(t.Context(), ann, following.Target{User: new(bob.ID)}, nil, nil)
	require.NoError(t, err)
	assert.True(t, isNew)
	again, isNew, err := f.Follow(t.Context(), ann, following.Target{User: new(bob.ID)}, nil, nil)
	require.NoError(t, err)
	assert.False(t, isNew)
	assert.Equal(t, first, again)
	for _, nobody := range []user.ID{ann.ID, 999, 0, -1} {
		_, _, err = f.Follow(t.Context(), ann, following.Target{User: new(nobody)}, nil, nil)
		assert.True(t, fault.Is(err, fault.Invalid), "%d: %v", nobody, err)
	}
	assert.ErrorIs(t, f.Unfollow(t.Context(), bob, first.ID), subscription.ErrNotFound, "somebody else's")
	assert.NoError(t, f.Unfollow(t.Context(), ann, first.ID))
	assert.ErrorIs(t, f.Unfollow(t.Context(), ann, first.ID), subscription.ErrNotFound)
}
