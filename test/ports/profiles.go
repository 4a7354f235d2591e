package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func (w *fixtures) profile(of, viewer user.ID) user.Profile {
	w.Helper()
	p, err := w.Directory.Profile(w.Context(), of, viewer)
	require.NoError(w, err)
	return p
}

func (w *fixtures) noProfile(of, viewer user.ID) {
	w.Helper()
	_, err := w.Directory.Profile(w.Context(), of, viewer)
	require.ErrorIs(w, err, user.ErrNotFound)
}

// counted asserts what the user's profile counts.
func (w *fixtures) counted(of user.ID, events, followers, followed int) {
	w.Helper()
	p := w.profile(of, 0)
	assert.Equal(w, []int{events, followers, followed}, []int{p.Events, p.Followers, p.Followed})
}

func (w *fixtures) disable(id user.ID, is bool) {
	w.Helper()
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.Disabled = is
		return nil
	}))
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

func profileCounts(w *fixtures) {
	who, other, third := w.newUser(), w.newUser(), w.newUser()
	w.counted(who, 0, 0, 0)
	for _, s := range event.Statuses() {
		for _, p := range event.Permissions() {
			w.write(who, noon, shown(event.Exposure{Status: s, Permission: p}))
		}
	}
	e := w.write(who, noon)
	w.counted(who, 2, 0, 0)
	w.change(e.ID(), func(e *event.Event) error { return e.Apply(event.Change{Title: new("Another")}, noon) })
	w.counted(who, 2, 0, 0)
	for _, c := range []struct {
		change event.Change
		events int
	}{
		{event.Change{Permission: new(event.Private)}, 1}, {event.Change{Permission: new(event.Contact)}, 1},
		{event.Change{Permission: new(event.Public)}, 2}, {event.Change{Publish: new(false)}, 1}, {event.Change{Publish: new(true)}, 2},
	} {
		w.change(e.ID(), func(e *event.Event) error { return e.Apply(c.change, noon) })
		w.counted(who, c.events, 0, 0)
	}
	w.hide(thing(e.ID()), noon)
	w.counted(who, 1, 0, 0)
	w.restore(thing(e.ID()))
	w.counted(who, 2, 0, 0)
	_, err := w.Events.Remove(w.Context(), e.ID())
	require.NoError(w, err)
	w.counted(who, 1, 0, 0)

	w.befriend(who, other)
	w.subscribe(subscription.ToCategory(who, w.category(1), noon))
	s := w.subscribe(toUser(third, who, noon))
	w.counted(who, 1, 2, 1)
	w.counted(other, 0, 1, 1)
	require.NoError(w, w.Subscriptions.Remove(w.Context(), third, s.ID))
	w.counted(third, 0, 0, 0)
	w.counted(who, 1, 1, 1)
	w.block(other, who)
	w.unblock(other, who)
	w.counted(who, 1, 0, 0)
	w.counted(other, 0, 0, 0)
	w.befriend(who, third)
	w.erase(who)
	w.counted(third, 0, 0, 0)
	w.consistent()
}

func profilesHidden(w *fixtures) {
	who, viewer := w.newUser(), w.newUser()
	for _, unknown := range []user.ID{0, -1, viewer + 1} {
		w.noProfile(unknown, viewer)
	}
	for _, pair := range [][2]user.ID{{who, viewer}, {viewer, who}} {
		w.block(pair[0], pair[1])
		w.noProfile(who, viewer)
		w.noProfile(viewer, who)
		w.profile(who, 0)
		w.profile(who, who)
		w.unblock(pair[0], pair[1])
		w.profile(who, viewer)
	}
	w.disable(who, true)
	w.noProfile(who, viewer)
	w.disable(who, false)
	w.profile(who, viewer)
	w.erase(who)
	w.noProfile(who, viewer)
}

func relationships(w *fixtures) {
	who, stranger, followed, follower, friend := w.newUser(), w.newUser(), w.newUser(), w.newUser(), w.newUser()
	blocked, blocking, disabled, erased := w.newUser(), w.newUser(), w.newUser(), w.newUser()
	toFollowed, toFriend := w.subscribe(toUser(who, followed, noon)), w.subscribe(toUser(who, friend, noon.Add(time.Second)))
	w.follow(follower, who)
	w.follow(friend, who)
	w.follow(who, disabled)
	w.disable(disabled, true)
	w.block(who, blocked)
	w.block(blocking, who)
	w.erase(erased)
	of := func(viewer user.ID, ids ...user.ID) []user.Relationship {
		found, err := w.Directory.Relationships(w.Context(), viewer, ids)
		require.NoError(w, err)
		return found
	}
	assert.ElementsMatch(w, []user.Relationship{
		{User: who}, {User: stranger}, {User: followed, Subscription: int64(toFollowed.ID)}, {User: follower, FollowsViewer: true},
		{User: friend, Subscription: int64(toFriend.ID), FollowsViewer: true}, {User: blocked, IsBlocked: true}, {User: blocking},
	}, of(who, friend, who, 0, -1, stranger, followed, erased, follower, disabled, friend, blocked, blocking, erased+1))
	assert.Equal(w, []user.Relationship{{User: who, IsBlocked: true}}, of(blocking, who))
	assert.Equal(w, []user.Relationship{{User: who}}, of(0, who))
	assert.Empty(w, of(who))
}
