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
	f = following.New(store.Subscriptions(), store.Categories(), store.Keys(), nil, func() time.Time { return usecases.Noon })
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

func TestSUB04_exactly_one_is_followed(t *testing.T) {
	f, ann, bob := newFollowing(t)
	unread := fault.Field("note", "unreadable")
	for field, target := range map[string]following.Target{
		"followed_user":     {},
		"followed_category": {User: new(bob.ID), Category: new(feed.CategoryID(4))},
	} {
		_, _, err := f.Follow(t.Context(), ann, target, nil, unread)
		assert.Len(t, fault.FieldsOf(err), 2)
		assert.NotEmpty(t, fault.FieldsOf(err)[field])
	}
	_, _, err := f.Follow(t.Context(), ann, following.Target{User: new(bob.ID)}, nil, unread)
	assert.Equal(t, unread, err)
	all, err := f.List(t.Context(), ann, subscription.Query{})
	require.NoError(t, err)
	assert.Zero(t, all.Total)
}

func TestSUB01_to_03_listing(t *testing.T) {
	f, ann, bob := newFollowing(t)
	_, _, err := f.Follow(t.Context(), ann, following.Target{User: new(bob.ID)}, nil, nil)
	require.NoError(t, err)
	walks, isNew, err := f.Follow(t.Context(), ann, following.Target{Category: new(feed.CategoryID(4))}, nil, nil)
	require.NoError(t, err)
	assert.True(t, isNew)
	assert.Equal(t, "Walks", walks.Of.Name)
	for _, none := range []feed.CategoryID{0, 5, -1} {
		_, _, err = f.Follow(t.Context(), ann, following.Target{Category: new(none)}, nil, nil)
		assert.True(t, fault.Is(err, fault.Invalid), "%d: %v", none, err)
	}
	all, err := f.List(t.Context(), ann, subscription.Query{User: bob.ID})
	require.NoError(t, err)
	require.Len(t, all.Items, 2, "the actor's own, whatever the query says")
	assert.Equal(t, "walks", all.Items[0].Of.Slug, "newest first")
	assert.Equal(t, bob.ID, all.Items[1].Followed)
	people, err := f.List(t.Context(), ann, subscription.Query{EntityType: subscription.User})
	require.NoError(t, err)
	assert.Equal(t, 1, people.Total)
}
