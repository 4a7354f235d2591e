package ports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/user"
)

// Tokens is the suite of access.Tokens.
func Tokens(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Issue stores the token, in whatever state it is, and returns its number", issue},
		{"Session returns the token with the standing of its account", sessionStanding},
		{"Session without a token is ErrNoSession", sessionNone},
		{"Touch notes that token and user were seen, in the form that is kept", touch},
		{"Touch writes each of the two only if what is stored is SeenEvery older", touchSeldom},
		{"Touch notes many sightings, of people and tokens that are gone as well", touchMany},
		{"of Touches at once with different tokens the latest is when the user was seen", touchFromMany},
		{"of many who revoke a token at once one does", revokeAtOnce},
		{"OfUsers returns the users' tokens, the latest issued first", tokensOfUsers},
		{"a user has at most MaxTokens: Issue removes the least recently used ones", tokensBounded},
		{"a new generation leaves the kept token alone valid", tokenKept},
	})
}

// token is one that the user holds, with the hash numbered n. Its hash has bytes that are no text.
func token(holder user.ID, n byte) access.Token {
	return access.Token{
		Hash: access.KeyHash{0: n, 1: 0xff, 31: 0x80}, User: holder, Generation: 2,
		Scopes: []access.Scope{access.WritingBundle, access.XfileEvent}, IsNarrowed: true, HasFactor: true,
		TTL: 36*time.Hour + time.Second, Created: noon, Used: noon.Add(time.Second),
	}
}

// issue stores the token and returns it with its number.
func (w *fixtures) issue(t access.Token) access.Token {
	id, err := w.Tokens.Issue(w.Context(), t)
	require.NoError(w, err)
	t.ID = id
	return t
}

func (w *fixtures) session(t access.Token) access.Session {
	s, err := w.Tokens.Session(w.Context(), t.Hash)
	require.NoError(w, err)
	return s
}

// touch notes the token's session as seen.
func (w *fixtures) touch(t access.Token, now time.Time) {
	require.NoError(w, w.Tokens.Touch(w.Context(), access.Sighting{Session: w.session(t), At: now}))
}

func issue(w *fixtures) {
	holder := w.newUser()
	first, expired, ancient := token(holder, 1), token(holder, 2), token(holder, 3)
	first.ID = 99
	expired.TTL, expired.IsNarrowed, expired.HasFactor = -time.Hour, false, false
	ancient.Created, ancient.Used = noon.AddDate(-20, 0, 0), noon.AddDate(-20, 0, 0)
	given := map[access.TokenID]bool{}
	assertComplete(w, []access.Token{first, expired, ancient})
	for _, t := range []access.Token{first, expired, ancient} {
		t = w.issue(t)
		require.Positive(w, t.ID)
		assert.False(w, given[t.ID])
		given[t.ID] = true
		assert.Equal(w, t, w.session(t).Token)
	}
	scopeless := token(holder, 4)
	scopeless.Scopes = nil
	assert.Empty(w, w.session(w.issue(scopeless)).Scopes)
}

func sessionStanding(w *fixtures) {
	w.newUser()
	a, m := visitor()
	a.Phone, m.Seen = phone(100), time.Time{}
	holder, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	a.User = holder

	s := w.session(w.issue(token(holder, 1)))
	assert.Equal(w, standing(a), standing(s.Account))
	assert.Equal(w, "Europe/Madrid", s.Zone)
	assert.Zero(w, s.Seen, "never seen")

	w.changeAccount(holder, func(a *access.Account) {
		a.SetPassword("another hash")
		a.Disabled, a.Roles, a.Scopes = false, []access.Role{access.Cashier, access.Support}, []access.Scope{access.WritingBundle}
	})
	assert.Equal(w, standing(w.account(holder)), standing(w.session(token(holder, 1)).Account))
}

// standing is what of an account decides over its tokens.
func standing(a access.Account) access.Account {
	return access.Account{User: a.User, Scopes: a.Scopes, Roles: a.Roles, Disabled: a.Disabled, Generation: a.Generation}
}

func sessionNone(w *fixtures) {
	w.issue(token(w.newUser(), 1))
	for _, hash := range []access.KeyHash{{}, {0: 1}, {0: 1, 1: 0xff, 30: 0x80}} {
		_, err := w.Tokens.Session(w.Context(), hash)
		assert.ErrorIs(w, err, access.ErrNoSession, "%x", hash)
	}
}

func touch(w *fixtures) {
	holder, other := w.newUser(), w.newUser()
	t, idle, others := w.issue(token(holder, 1)), w.issue(token(holder, 2)), w.issue(token(other, 3))
	before := w.account(holder)
	now := noon.Add(time.Hour)
	w.touch(t, now.Add(789).In(time.FixedZone("", 8*60*60)))

	s := w.session(t)
	assert.Equal(w, now, s.Used)
	assert.Equal(w, now, s.Seen)
	assert.Equal(w, idle.Used, w.session(idle).Used, "the other token was not used")
	assert.Equal(w, now, w.session(idle).Seen, "its user was seen")
	assert.Zero(w, w.session(others).Seen)
	assert.Equal(w, before, w.account(holder))

	members, err := w.Directory.Members(w.Context(), []user.ID{holder})
	require.NoError(w, err)
	assert.Equal(w, now, members[0].Seen)
	theirs, err := w.Tokens.OfUsers(w.Context(), holder)
	require.NoError(w, err)
	assert.ElementsMatch(w, []time.Time{now, idle.Used}, []time.Time{theirs[0].Used, theirs[1].Used})
}

func touchSeldom(w *fixtures) {
	holder := w.newUser()
	t, idle := w.issue(token(holder, 1)), w.issue(token(holder, 2))
	old := w.session(t)
	start := noon.Add(time.Hour)
	w.touch(t, start)

	require.NoError(w, w.Tokens.Touch(w.Context(), access.Sighting{Session: old, At: start.Add(time.Second)}))
	assert.Equal(w, []time.Time{start, start}, seen(w.session(t)), "what is stored decides, not the session")
	for _, after := range []time.Duration{access.SeenEvery - time.Microsecond, -time.Second, -2 * access.SeenEvery} {
		w.touch(t, start.Add(after))
		assert.Equal(w, []time.Time{start, start}, seen(w.session(t)), "%v later", after)
	}
	w.touch(idle, start.Add(access.SeenEvery/2))
	assert.Equal(w, []time.Time{start.Add(access.SeenEvery / 2), start}, seen(w.session(idle)), "due for the token alone")
	w.touch(t, start.Add(access.SeenEvery))
	assert.Equal(w, []time.Time{start.Add(access.SeenEvery), start.Add(access.SeenEvery)}, seen(w.session(t)), "due")
}

func touchMany(w *fixtures) {
	holder, other := w.newUser(), w.newUser()
	first, second, gone, others := w.issue(token(holder, 1)), w.issue(token(holder, 2)), w.issue(token(other, 3)), w.issue(token(other, 4))
	at := func(t access.Token, seconds int) access.Sighting {
		return access.Sighting{Session: w.session(t), At: noon.Add(time.Hour + time.Duration(seconds)*time.Second)}
	}
	all := []access.Sighting{at(others, 4), at(gone, 3), at(second, 2), at(first, 1)}
	require.NoError(w, w.Tokens.Revoke(w.Context(), gone.ID))
	require.NoError(w, w.Tokens.Touch(w.Context(), all...))
	assert.Equal(w, at(first, 1).At, w.session(first).Used)
	assert.Equal(w, at(second, 2).At, w.session(second).Used)
	assert.Equal(w, []time.Time{at(others, 4).At, at(others, 4).At}, seen(w.session(others)))
	assert.Less(w, w.session(first).Seen.Sub(noon.Add(time.Hour)), access.SeenEvery, "once, with either")
	require.NoError(w, w.Tokens.Touch(w.Context()))
}

// seen is when the session's token and its user were seen.
func seen(s access.Session) []time.Time { return []time.Time{s.Used, s.Seen} }

// touchFromMany lets one person be seen with many tokens at once, each at an instant that is due after any of the others.
func touchFromMany(w *fixtures) {
	holder := w.newUser()
	var sessions []access.Session
	for i := range many {
		sessions = append(sessions, w.session(w.issue(token(holder, byte(i)))))
	}
	at := func(i int) time.Time { return noon.Add(time.Hour + time.Duration(i)*access.SeenEvery) }
	w.succeed(atOnce(many, func(i int) error {
		return w.Tokens.Touch(w.Context(), access.Sighting{Session: sessions[i], At: at(i)})
	}))
	s, err := w.Tokens.Session(w.Context(), sessions[0].Hash)
	require.NoError(w, err)
	assert.Equal(w, at(many-1), s.Seen)
}

func revokeAtOnce(w *fixtures) {
	t := w.issue(token(w.newUser(), 1))
	assertOneWins(w, atOnce(many, func(int) error { return w.Tokens.Revoke(w.Context(), t.ID) }), access.ErrNoSession)
}

func tokensOfUsers(w *fixtures) {
	holder, other := w.newUser(), w.newUser()
	var want, all []access.Token
	for n := range byte(4) {
		t := token(holder, n)
		t.Created = noon.Add(time.Duration(n/2) * time.Second) // two by two at the same instant
		t = w.issue(t)
		of := token(other, 100+n)
		of.Created = t.Created
		want, all = append(want, t), append(all, t, w.issue(of))
	}
	slices.Reverse(want)
	slices.Reverse(all)
	theirs, err := w.Tokens.OfUsers(w.Context(), holder)
	require.NoError(w, err)
	assert.Equal(w, want, theirs)

	theirs, err = w.Tokens.OfUsers(w.Context(), holder, other, other+1)
	require.NoError(w, err)
	assert.Equal(w, all, theirs)

	theirs, err = w.Tokens.OfUsers(w.Context())
	require.NoError(w, err)
	assert.Empty(w, theirs)
	theirs, err = w.Tokens.OfUsers(w.Context(), other+1)
	require.NoError(w, err)
	assert.Empty(w, theirs)
}

func tokensBounded(w *fixtures) {
	holder, other := w.newUser(), w.newUser()
	others := w.issue(token(other, 255))
	var all []access.Token
	for n := range access.MaxTokens + 1 {
		t := token(holder, byte(n))
		t.Used = noon.Add(-time.Duration(n/2) * time.Second) // two by two at the same instant
		if n == access.MaxTokens-1 {
			w.touch(all[10], noon.Add(time.Hour))
		}
		all = append(all, w.issue(t))
	}
	theirs, err := w.Tokens.OfUsers(w.Context(), holder)
	require.NoError(w, err)
	left := mapped(theirs, func(t access.Token) access.TokenID { return t.ID })
	var want []access.TokenID
	for n, t := range all {
		if n != access.MaxTokens-2 { // the older of the two that were used longest ago, but for the new one
			want = append(want, t.ID)
		}
	}
	assert.ElementsMatch(w, want, left)
	_, err = w.Tokens.Session(w.Context(), all[access.MaxTokens-2].Hash)
	assert.ErrorIs(w, err, access.ErrNoSession)
	assert.Equal(w, others, w.session(others).Token)
}

func tokenKept(w *fixtures) {
	holder, other := w.newUser(), w.newUser()
	generation := w.account(holder).Generation
	issue := func(user user.ID, n byte, generation int) access.Token {
		t := token(user, n)
		t.Generation = generation
		return w.issue(t)
	}
	kept, ended, outdated := issue(holder, 1, generation), issue(holder, 2, generation), issue(holder, 3, generation-1)
	others := issue(other, 4, generation+2) // the holder's when it is to be kept
	for _, keep := range []access.Token{kept, outdated, others} {
		before := w.account(holder).Generation
		w.changeAccount(holder, func(a *access.Account) {
			a.SetPassword("another hash")
			a.Kept = keep.ID
		})
		account := w.account(holder)
		assert.Equal(w, before+1, account.Generation)
		assert.Zero(w, account.Kept)
		if keep.ID == kept.ID {
			assert.Equal(w, account.Generation, w.session(kept).Generation)
		}
	}
	assert.Equal(w, generation+1, w.session(kept).Generation)
	assert.Equal(w, generation, w.session(ended).Generation)
	assert.Equal(w, generation-1, w.session(outdated).Generation)
	assert.Equal(w, generation+2, w.session(others).Generation)
}
