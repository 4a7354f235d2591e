package access_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestAUT09_keys(t *testing.T) {
	key := access.NewKey()
	assert.Regexp(t, `^plz_[A-Za-z0-9_-]{43}$`, key.Reveal())
	assert.NotEqual(t, key.Reveal(), access.NewKey().Reveal())
	hash, ok := access.HashKey(key)
	require.True(t, ok)
	again, _ := access.HashKey(key)
	assert.Equal(t, hash, again)
	body := strings.TrimPrefix(key.Reveal(), "plz_")
	for _, bad := range []string{"", "plz_", body, "plz_" + body[:42], "plz_" + body + "A", "PLZ_" + body, "plz_" + body[:42] + "!",
		key.Reveal() + "\n"} {
		_, ok := access.HashKey(secret.New(bad))
		assert.False(t, ok, "%q", bad)
	}
}

func session() access.Session {
	return access.Session{
		Token:   access.Token{User: 1, Scopes: access.AllScopes(), Generation: 2, TTL: time.Hour, Created: noon, Used: noon},
		Account: access.Account{User: 1, Scopes: access.DefaultScopes(), Generation: 2, Roles: []access.Role{access.Admin}},
		Zone:    "Asia/Shanghai", Seen: noon,
	}
}

func TestAUT05_which_sessions_act(t *testing.T) {
	actor, err := session().Actor(noon.Add(time.Hour-1), false)
	require.NoError(t, err)
	assert.EqualValues(t, 1, actor.ID)
	assert.True(t, actor.Has(access.BackOffice))
	assert.Equal(t, "Asia/Shanghai", actor.Zone.String())

	_, err = session().Actor(noon.Add(time.Hour), false)
	assert.Same(t, access.ErrBadKey, err, "expired")
	for name, change := range map[string]func(*access.Session){
		"disabled":       func(s *access.Session) { s.Account.Disabled = true },
		"a new password": func(s *access.Session) { s.Account.SetPassword("hash") },
	} {
		s := session()
		change(&s)
		_, err := s.Actor(noon, false)
		assert.Same(t, access.ErrBadKey, err, name)
	}
	s := session()
	s.Account.Rehash("newer")
	_, err = s.Actor(noon, false)
	assert.NoError(t, err, "a new hash keeps keys valid (AUT-12)")
}

func TestAUT08_a_token_is_never_stronger_than_its_account(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := session()
		s.IsNarrowed = true
		s.Scopes = rapid.SliceOfDistinct(rapid.SampledFrom(access.AllScopes()), rapid.ID).Draw(t, "token")
		s.Account.Scopes = rapid.SliceOfDistinct(rapid.SampledFrom(access.DefaultScopes()), rapid.ID).Draw(t, "account")
		s.Account.Roles = rapid.SliceOfDistinct(rapid.SampledFrom(access.Roles()), rapid.ID).Draw(t, "roles")
		actor, err := s.Actor(noon, false)
		require.NoError(t, err)
		for _, scope := range access.AllScopes() {
			both := has(s.Scopes, scope) && has(s.Account.EffectiveScopes(), scope)
			require.Equal(t, both, actor.Has(scope), scope)
		}
	})
}

func TestAUT14_which_sessions_may_use_the_back_office(t *testing.T) {
	ordinary := access.DefaultScopes()
	for _, c := range []struct {
		name       string
		isNarrowed bool
		scopes     []access.Scope
		staff      bool
		want       bool
	}{
		{"not narrowed", false, access.AllScopes(), true, true},
		{"not narrowed, issued before the account became staff", false, ordinary, true, true},
		{"not narrowed, of an account that is not staff", false, access.AllScopes(), false, false},
		{"narrowed to other scopes", true, ordinary, true, false},
		{"narrowed to back_office", true, []access.Scope{access.BackOffice}, true, true},
		{"narrowed to back_office, of an account that is not staff", true, []access.Scope{access.BackOffice}, false, false},
	} {
		s := session()
		if s.Scopes, s.IsNarrowed = c.scopes, c.isNarrowed; !c.staff {
			s.Account.Roles = nil
		}
		actor, err := s.Actor(noon, false)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, actor.Has(access.BackOffice), c.name)
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(actor.Scopes))), len(actor.Scopes), "%s: each once", c.name)
	}
}

func TestAUT14_setting_scopes(t *testing.T) {
	var a access.Account
	a.SetScopes([]access.Scope{access.BackOffice, access.XfileEvent})
	assert.Equal(t, []access.Role{access.Admin}, a.Roles)
	assert.Equal(t, []access.Scope{access.XfileEvent}, a.Scopes)
	assert.Equal(t, []access.Scope{access.XfileEvent, access.BackOffice}, a.EffectiveScopes())
	a.SetScopes(nil)
	assert.True(t, a.IsStaff(), "SetScopes takes no role")
	a.Roles = []access.Role{access.Cashier}
	a.SetScopes([]access.Scope{access.BackOffice})
	assert.Equal(t, []access.Role{access.Cashier}, a.Roles, "SetScopes gives no other role")
	a.Roles = nil
	assert.Empty(t, a.EffectiveScopes())
}

func has(scopes []access.Scope, s access.Scope) bool { return access.Actor{Scopes: scopes}.Has(s) }

func TestAUT08_granting(t *testing.T) {
	a := access.Account{Scopes: []access.Scope{access.XfileEvent, access.WritingBundle}}
	all, err := a.Grant(nil)
	require.NoError(t, err)
	assert.Equal(t, access.Grant{Scopes: slices.Clone(a.Scopes), IsNarrowed: false}, all)
	all.Scopes[0] = access.PayTradeOrder
	assert.Equal(t, access.XfileEvent, a.Scopes[0], "a private copy")
	for _, asked := range [][]access.Scope{{access.WritingBundle}, a.Scopes} {
		some, err := a.Grant(asked)
		require.NoError(t, err)
		assert.Equal(t, access.Grant{Scopes: asked, IsNarrowed: true}, some)
	}
	for _, lacking := range []access.Scope{access.PayTradeOrder, access.BackOffice} {
		_, err = a.Grant([]access.Scope{lacking})
		assertField(t, err, "scope")
	}
	a.Roles = []access.Role{access.Moderator}
	_, err = a.Grant([]access.Scope{access.BackOffice})
	assert.NoError(t, err)

	scopes, err := access.ParseScopes([]string{"xfile_event", " xfile_event "})
	require.NoError(t, err)
	assert.Len(t, scopes, 1)
	_, err = access.ParseScopes([]string{"everything"})
	assertField(t, err, "scope")
}

func assertField(t *testing.T, err error, name string) {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	assert.Contains(t, f.Fields, name)
}

func TestUSR03_presence_is_written_at_most_once_a_minute(t *testing.T) {
	s := session()
	assert.False(t, s.IsStale(noon.Add(access.SeenEvery-1)))
	assert.True(t, s.IsStale(noon.Add(access.SeenEvery)))
	s.Seen = time.Time{}
	assert.True(t, s.IsStale(noon), "never seen")
}

// estimator returns one strength for every password, and records its arguments.
type estimator struct {
	strength access.Strength
	password string
	known    []string
}

func (e *estimator) Strength(password secret.String, known []string) access.Strength {
	e.password, e.known = password.Reveal(), known
	return e.strength
}

func TestPasswords(t *testing.T) {
	strong := &estimator{strength: access.SomewhatGuessable}
	phone, err := user.ParsePhone("+86-13900000084")
	require.NoError(t, err)
	for _, good := range []string{"plaza-demo", "correct horse battery", "密码是一个很长的词", "пароль-кот", strings.Repeat("ab3", 42),
		" spaces count "} {
		assert.NoError(t, access.CheckPassword(secret.New(good), phone, strong), good)
	}
	for _, bad := range []string{"", "short", "1234567", "密码", "12345678", "password", "Password123!", "qwertyui",
		"aaaaaaaa", "iloveyou", "letmein1", "1q2w3e4r", "!!!!!!!!", strings.Repeat("ab3", 43), "nul\x00nul-nul", "\xff\xfe-not-utf-8"} {
		assert.True(t, fault.Is(access.CheckPassword(secret.New(bad), phone, strong), fault.Invalid))
	}
}

func TestPasswords_that_are_easy_to_guess(t *testing.T) {
	phone, err := user.ParsePhone("+86-13900000084")
	require.NoError(t, err)
	e := &estimator{strength: access.VeryGuessable}
	assert.True(t, fault.Is(access.CheckPassword(secret.New("plaza-demo"), phone, e), fault.Invalid))
	assert.Equal(t, "plaza-demo", e.password)
	assert.Equal(t, []string{"13900000084", "8613900000084", "+86-13900000084"}, e.known)
	e.strength = access.SomewhatGuessable
	assert.NoError(t, access.CheckPassword(secret.New("plaza-demo"), user.Phone{}, e))
	assert.Empty(t, e.known)
	assert.True(t, fault.Is(access.CheckPassword(secret.New(strings.Repeat("ab3", 43)), phone, e), fault.Invalid))
	assert.Equal(t, "plaza-demo", e.password, "a too long password is not estimated")
}

func TestAUT11_sources(t *testing.T) {
	source := func(s string) access.Source { return access.SourceOf(netip.MustParseAddr(s)) }
	assert.Equal(t, source("192.0.2.1"), source("::ffff:192.0.2.1"))
	assert.NotEqual(t, source("192.0.2.1"), source("192.0.2.2"))
	assert.Equal(t, source("2001:db8:1:2::1"), source("2001:db8:1:2:ffff::9"))
	assert.Equal(t, source("fe80::1%eth0"), source("fe80::1%eth1"))
	assert.NotEqual(t, source("2001:db8:1:2::1"), source("2001:db8:1:3::1"))
	assert.Equal(t, access.SourceOf(netip.Addr{}), access.SourceOf(netip.Addr{}))
}

func TestActorLocal(t *testing.T) {
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	late := time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)
	assert.Equal(t, 21, access.Actor{Zone: shanghai}.Local(late).Day())
	assert.Equal(t, late, access.Actor{}.Local(late.In(shanghai)), "the zero actor is in UTC")
}
