package ports

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/user"
)

// Accounts is the suite of access.Accounts and user.Directory.
func Accounts(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Open stores the account and its member at once and returns their uid", openStoresBoth},
		{"Open with a phone that is taken is ErrPhoneTaken and stores nothing", openTaken},
		{"of many who open a phone at once one gets it", openAtOnce},
		{"ByPhone returns the account with the login name, or ErrNoAccount", accountByPhone},
		{"ByID returns the account of the user, or ErrNoAccount, and so does Change", accountByID},
		{"AccountsOf returns those of the accounts that exist, each once", accountsOf},
		{"List returns the accounts with higher uids, ascending, at most limit", accountList},
		{"Change stores what fn makes of the account", accountChange},
		{"Changes at once lose nothing", accountChangesAtOnce},
		{"Members returns those of the ids that exist, each once", membersKnown},
		{"Erasing returns the users whose account is erasing, ascending, at most limit", accountsErasing},
		{"Profile returns the user with their bio, what they have and the viewer's relationship, of which the zero viewer has none", profiles},
		{"SetAvatar gives the person the picture, or none, in place of the one that they had", setAvatar},
		{"SetAvatar and ChangeProfile of an unknown user are ErrNotFound", setAvatarUnknownUser},
	})
}

// visitor is a person all of whose facts differ from zero.
func visitor() (access.Account, user.Member) {
	a := access.Account{
		Phone: phone(1), Hash: "$argon2id$v=19$m=19456", Scopes: []access.Scope{access.PayTradeOrder, access.XfileEvent},
		Roles:    []access.Role{access.Moderator, access.Cashier},
		Factor:   access.SecondFactor{Sealed: []byte{0, 255}, Step: 1 << 40, Recovery: []string{"b", "a"}},
		Disabled: true, Erasing: true, Generation: 3,
	}
	m := user.Member{
		Firstname: "丽", Lastname: "王", Expertise: "园艺", Location: "Sevilla", Timezone: "Europe/Madrid",
		Joined: noon, Seen: noon.Add(time.Hour),
	}
	return a, m
}

func openStoresBoth(w *fixtures) {
	a, m := visitor()
	m.Firstname, m.Lastname = broad(user.NameLimit.Chars), "O'Brien \\ \"%_\""
	id, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	require.Positive(w, id)

	a.User, m.ID = id, id
	assert.Equal(w, a, w.account(id))
	byPhone, err := w.Accounts.ByPhone(w.Context(), a.Phone)
	require.NoError(w, err)
	assert.Equal(w, a, byPhone)
	assert.Equal(w, m, w.member(id))
	assertComplete(w, []access.Account{a}, "Kept")
	assertComplete(w, []user.Member{m}, "Avatar")
}

func openTaken(w *fixtures) {
	id := w.newUser()
	before := w.account(id)
	a, m := visitor()
	a.Phone = before.Phone
	_, err := w.Accounts.Open(w.Context(), a, m)
	require.ErrorIs(w, err, access.ErrPhoneTaken)

	former := a // its login name is from before AUT-03
	var parseErr error
	former.Phone, parseErr = user.ParseLoginName("+8-613900000001")
	require.NoError(w, parseErr)
	formerMember := m
	formerMember.Firstname = "Former"
	formerID, err := w.Accounts.Open(w.Context(), former, formerMember)
	require.NoError(w, err)
	again := a
	again.Phone, parseErr = user.ParsePhone("+86-13900000001")
	require.NoError(w, parseErr)
	_, err = w.Accounts.Open(w.Context(), again, m)
	require.ErrorIs(w, err, access.ErrPhoneTaken, "it is one telephone")
	require.ErrorIs(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPhone(again.Phone)
		return nil
	}), access.ErrPhoneTaken)
	_, err = w.Accounts.ByPhone(w.Context(), again.Phone)
	require.ErrorIs(w, err, access.ErrNoAccount, "an account logs in as it is written")

	assert.Equal(w, before, w.account(id))
	members, err := w.Directory.Members(w.Context(), []user.ID{id, id + 1, id + 2})
	require.NoError(w, err)
	require.Len(w, members, 2, "the members of the refused accounts are not there")
	for _, stored := range members {
		assert.NotEqual(w, m.Firstname, stored.Firstname)
	}
	require.NoError(w, w.Accounts.Change(w.Context(), formerID, func(a *access.Account) error {
		a.SetPhone(again.Phone)
		return nil
	}), "its own telephone, under its new name")
}

func openAtOnce(w *fixtures) {
	errs := atOnce(many, func(int) error {
		a, m := visitor()
		_, err := w.Accounts.Open(w.Context(), a, m)
		return err
	})
	assertOneWins(w, errs, access.ErrPhoneTaken)
}

func accountByPhone(w *fixtures) {
	a, m := visitor()
	id, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	w.people = 1
	w.newUser()

	found, err := w.Accounts.ByPhone(w.Context(), a.Phone)
	require.NoError(w, err)
	assert.Equal(w, id, found.User)
	for _, p := range []user.Phone{phone(3), {}} {
		_, err = w.Accounts.ByPhone(w.Context(), p)
		assert.ErrorIs(w, err, access.ErrNoAccount, "%s", p)
	}
}

func accountByID(w *fixtures) {
	id := w.newUser()
	assert.Equal(w, id, w.account(id).User)
	for _, nobody := range []user.ID{0, -1, id + 1} {
		_, err := w.Accounts.ByID(w.Context(), nobody)
		assert.ErrorIs(w, err, access.ErrNoAccount, "%d", nobody)
		assert.ErrorIs(w, w.Accounts.Change(w.Context(), nobody, func(*access.Account) error {
			w.Error("there is nothing to change")
			return nil
		}), access.ErrNoAccount)
	}
}

func accountsOf(w *fixtures) {
	a, m := visitor()
	first, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	w.people = 1
	second, third := w.newUser(), w.newUser()
	found, err := w.Accounts.AccountsOf(w.Context(), []user.ID{third, first, third + 1, third})
	require.NoError(w, err)
	assert.ElementsMatch(w, []access.Account{w.account(first), w.account(third)}, found)
	assert.NotContains(w, found, w.account(second))
	found, err = w.Accounts.AccountsOf(w.Context(), nil)
	require.NoError(w, err)
	assert.Empty(w, found)
}

func accountList(w *fixtures) {
	a, m := visitor()
	first, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	a.User = first
	w.people = 1
	second, third := w.newUser(), w.newUser()
	all := []access.Account{a, w.account(second), w.account(third)}

	for _, c := range []struct {
		after user.ID
		limit int
		want  []access.Account
	}{
		{0, 10, all},
		{-1, 3, all},
		{0, 2, all[:2]},
		{first, 1, all[1:2]},
		{second, 10, all[2:]},
		{third, 10, nil},
		{0, 0, nil},
		{0, -1, nil},
	} {
		found, err := w.Accounts.List(w.Context(), c.after, c.limit)
		require.NoError(w, err, "%+v", c)
		if len(c.want) == 0 {
			assert.Empty(w, found, "%+v", c)
			continue
		}
		assert.Equal(w, c.want, found, "%+v", c)
	}
}

func accountChange(w *fixtures) {
	id, other := w.newUser(), w.newUser()
	want, bystander := w.account(id), w.account(other)
	want.SetPassword("another hash")
	want.Scopes = []access.Scope{access.WritingBundle}
	factor := access.SecondFactor{Sealed: []byte{0, 255}, Step: 1 << 40, Recovery: []string{"b", "a"}}
	want.Roles, want.Factor, want.Disabled = []access.Role{access.Admin}, factor, true

	w.changeAccount(id, func(a *access.Account) {
		a.SetPassword("another hash")
		a.Scopes = []access.Scope{access.WritingBundle}
		a.Roles, a.Factor, a.Disabled = []access.Role{access.Admin}, factor, true
	})
	assert.Equal(w, want, w.account(id))
	byPhone, err := w.Accounts.ByPhone(w.Context(), want.Phone)
	require.NoError(w, err)
	assert.Equal(w, want, byPhone)
	assert.Equal(w, bystander, w.account(other))

	assert.ErrorIs(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPhone(bystander.Phone)
		return nil
	}), access.ErrPhoneTaken)
	assert.Equal(w, want, w.account(id))

	from := access.Attempt{Phone: want.Phone, Source: access.SourceOf(netip.MustParseAddr("192.0.2.1"))}
	require.NoError(w, w.Throttle.Begin(w.Context(), from, noon))
	require.NoError(w, w.Throttle.Succeed(w.Context(), from, noon))
	for _, isUsual := range []bool{true, false} {
		is, err := w.Throttle.IsUsual(w.Context(), from, noon)
		require.NoError(w, err)
		assert.Equal(w, isUsual, is)
		want.Phone = phone(70)
		w.changeAccount(id, func(a *access.Account) { a.Phone = want.Phone })
	}
	w.changeAccount(id, func(a *access.Account) {
		a.Hash, a.Scopes, a.Roles, a.Factor, a.Disabled = "", nil, nil, access.SecondFactor{}, false
	})
	emptied := w.account(id)
	assert.False(w, emptied.Factor.IsEnrolled())
	assert.Empty(w, emptied.Factor.Recovery)
	assert.Empty(w, emptied.Scopes)
	assert.Empty(w, emptied.Roles)
	assert.Equal(w, access.Account{User: id, Phone: want.Phone, Generation: 1}, access.Account{
		User: emptied.User, Phone: emptied.Phone, Generation: emptied.Generation,
		Hash: emptied.Hash, Disabled: emptied.Disabled,
	})
}

func accountChangesAtOnce(w *fixtures) {
	id := w.newUser()
	w.succeed(atOnce(many, func(int) error {
		return w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
			a.SetPassword("another hash")
			return nil
		})
	}))
	assert.Equal(w, many, w.account(id).Generation)
}

func membersKnown(w *fixtures) {
	a, b, c := w.newUser(), w.newUser(), w.newUser()
	members, err := w.Directory.Members(w.Context(), []user.ID{c, a, 0, -1, c + 1, a, c})
	require.NoError(w, err)
	assert.ElementsMatch(w, []user.ID{a, c}, mapped(members, func(m user.Member) user.ID { return m.ID }), "and not %d", b)
}

// members are those of the users that Members returns.
func (w *fixtures) members(ids ...user.ID) map[user.ID]*user.Member {
	found, err := w.Directory.Members(w.Context(), ids)
	require.NoError(w, err)
	members := map[user.ID]*user.Member{}
	for i := range found {
		members[found[i].ID] = &found[i]
	}
	return members
}

func accountsErasing(w *fixtures) {
	ids := []user.ID{w.newUser(), w.newUser(), w.newUser(), w.newUser()}
	for _, id := range []user.ID{ids[3], ids[0], ids[1]} {
		w.changeAccount(id, func(a *access.Account) {
			a.Close()
		})
	}
	for _, c := range []struct {
		after user.ID
		limit int
		want  []user.ID
	}{
		{0, 10, []user.ID{ids[0], ids[1], ids[3]}}, {0, 2, ids[:2]}, {ids[1], 10, ids[3:]}, {ids[3], 10, nil}, {0, 0, nil},
	} {
		found, err := w.Accounts.Erasing(w.Context(), c.after, c.limit)
		require.NoError(w, err)
		assert.ElementsMatch(w, c.want, found)
	}
}

func (w *fixtures) profile(of, viewer user.ID) user.Profile {
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
