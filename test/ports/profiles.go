package ports

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

func (w *fixtures) profile(of, viewer user.ID) user.Profile {
	w.Helper()
	p, err := w.Directory.Profile(w.Context(), of, viewer)
	require.NoError(w, err)
	return p
}

func profiles(w *fixtures) {
	a, m := visitor()
	a.Disabled, a.Erasing = false, false
	id, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	w.people = 1
	viewer, follower := w.newUser(), w.newUser()
	longest := broad(user.BioLimit.Chars-2) + "\né"
	require.NoError(w, w.Directory.ChangeProfile(w.Context(), id, user.ProfileChange{Bio: &longest}))
	w.avatar(id, avatarOf("a"))
	w.write(id, noon, published(false))
	s := w.subscribe(toUser(viewer, id, noon))
	w.follow(id, viewer)
	w.follow(follower, id)
	want := user.Profile{
		Member: w.member(id), Bio: longest, Events: 0, Followers: 2, Followed: 1,
		Relation: user.Relationship{User: id, Subscription: int64(s.ID), FollowsViewer: true},
	}
	assert.Equal(w, want, w.profile(id, viewer))
	w.write(id, noon)
	want.Events = 1
	assert.Equal(w, want, w.profile(id, viewer))
	assertComplete(w, []user.Profile{want}, "Relation.IsBlocked", "Member.Avatar.Path", "Member.Avatar.Sizes.Path")
	for _, stranger := range []user.ID{0, id, w.newUser()} {
		want.Relation = user.Relationship{User: id}
		assert.Equal(w, want, w.profile(id, stranger))
	}
	assert.Equal(w, user.Profile{Member: w.member(follower), Followed: 1, Relation: user.Relationship{User: follower}}, w.profile(follower, 0))
}
