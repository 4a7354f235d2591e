package people_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/zxcvbn"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/usecases"
)

const signinPhone, signinPassword = "+86-13900000001", "kettle-and-cups"

// countingHasher counts verifications.
type countingHasher struct {
	access.Hasher
	verified int
	fail     error
}

func (h *countingHasher) Verify(ctx context.Context, hash string, p secret.String) (bool, bool, error) {
	h.verified++
	if h.fail != nil {
		return false, false, h.fail
	}
	return h.Hasher.Verify(ctx, hash, p)
}

// fullTokens fails to store presence while it is full.
type fullTokens struct {
	access.Tokens
	full  error
	asked chan int // gets how many are to be stored, and then what lets Tokens go on; nil: nothing waits
}

func (f *fullTokens) Touch(ctx context.Context, all ...access.Sighting) error {
	if f.asked != nil {
		f.asked <- len(all)
		<-f.asked
	}
	if f.full != nil {
		return f.full
	}
	return f.Tokens.Touch(ctx, all...)
}

type signinFixture struct {
	*signin.Signin
	tokens *fullTokens
	log    bytes.Buffer
	store  *memory.Store
	hasher *countingHasher
	now    time.Time
	id     user.ID
}

// newSignin returns the use cases without limits. They log there.
func newSignin(
	s *memory.Store, tokens access.Tokens, h access.Hasher, j signin.Joining, now func() time.Time, log io.Writer,
) *signin.Signin {
	return signin.New(s.Accounts, tokens, s.Throttle, h, zxcvbn.Estimator{}, signin.TokenTTL(30*24*time.Hour), nil, j,
		signin.SecondFactor{}, now,
		func(context.Context) *slog.Logger { return slog.New(slog.NewTextHandler(log, nil)) })
}

func newSigninFixture(t *testing.T) *signinFixture {
	t.Helper()
	w := &signinFixture{store: memory.New(), now: usecases.Noon, hasher: &countingHasher{Hasher: argon2id.New(argon2id.Cheap, 2, 100)}}
	w.tokens = &fullTokens{Tokens: w.store.Tokens}
	w.Signin = newSignin(w.store, w.tokens, w.hasher, signin.Joining{}, func() time.Time { return w.now }, &w.log)
	var err error
	w.id, err = w.Register(t.Context(), signin.Registration{Username: signinPhone, Password: secret.New(signinPassword)})
	require.NoError(t, err)
	return w
}

// newLogin returns a login from 192.0.2.1.
func newLogin(username, pass string, scopes ...string) signin.Login {
	return signin.Login{Username: username, Password: secret.New(pass), Scopes: scopes, From: netip.MustParseAddr("192.0.2.1")}
}

func TestAUT02_whoever_can_not_get_in_learns_nothing(t *testing.T) {
	w := newSigninFixture(t)
	shut, err := w.Register(t.Context(), signin.Registration{Username: "+86-13900000002", Password: secret.New(signinPassword)})
	require.NoError(t, err)
	require.NoError(t, w.SetDisabled(t.Context(), shut, true))
	for name, l := range map[string]signin.Login{
		"unknown user": newLogin("+86-13900000009", signinPassword), "wrong password": newLogin(signinPhone, "not-my-password"),
		"disabled account": newLogin("+86-13900000002", signinPassword), "trimmed password": newLogin(signinPhone, signinPassword+" "),
		"empty password": newLogin(signinPhone, ""),
	} {
		before := w.hasher.verified
		_, err := w.Login(t.Context(), l, nil)
		assert.Same(t, access.ErrBadLogin, err, name)
		assert.Equal(t, before+1, w.hasher.verified, "%s costs one verification, as a success does", name)
	}
	require.NoError(t, w.SetDisabled(t.Context(), shut, false))
	_, err = w.Login(t.Context(), newLogin("+86-13900000002", signinPassword), nil)
	assert.NoError(t, err)
}

func TestAUT11_a_login_that_could_not_be_read_is_not_counted(t *testing.T) {
	w := newSigninFixture(t)
	unread := fault.Field("password", "unreadable")
	for range 20 {
		_, err := w.Login(t.Context(), newLogin(signinPhone, ""), unread)
		assert.Equal(t, unread, err)
	}
	_, err := w.Login(t.Context(), newLogin("x", "", "root"), unread)
	assert.Equal(t, fault.Fields{
		"password": {"unreadable"}, "username": {user.ErrNoPhone.Text}, "scope": {"Unknown scope “root”."},
	}, fault.FieldsOf(err))
	_, err = w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
	assert.NoError(t, err)
}

// assertField asserts that the error names the field.
func assertField(t *testing.T, err error, name string) {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	assert.Contains(t, f.Fields, name)
}

func TestAUT11_guessing_at_once_does_not_slip_by(t *testing.T) {
	w := newSigninFixture(t)
	w.Signin = newSignin(w.store, w.store.Tokens, w.hasher.Hasher, signin.Joining{}, func() time.Time { return usecases.Noon }, io.Discard)
	var wait sync.WaitGroup
	var mu sync.Mutex
	kinds := map[fault.Kind]int{}
	for range 40 {
		wait.Go(func() {
			_, err := w.Login(t.Context(), newLogin(signinPhone, "wrong-password"), nil)
			mu.Lock()
			defer mu.Unlock()
			kinds[fault.KindOf(err)]++
		})
	}
	wait.Wait()
	assert.Equal(t, map[fault.Kind]int{fault.Invalid: 5, fault.Throttled: 35}, kinds)
}

func TestAUT11_what_came_to_no_decision_does_not_count(t *testing.T) {
	w := newSigninFixture(t)
	w.hasher.fail = fault.RetryAfter(fault.Unavailable, time.Second, "busy")
	for range 20 {
		_, err := w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	}
	w.hasher.fail = nil
	for range 20 {
		_, err := w.Login(t.Context(), newLogin("not a phone", signinPassword), nil)
		assertField(t, err, "username")
	}
	_, err := w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
	assert.NoError(t, err)
}

func TestAUT12_an_old_hash_is_upgraded_at_the_next_login(t *testing.T) {
	w := newSigninFixture(t)
	key, err := w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
	require.NoError(t, err)
	before, err := w.store.Accounts.ByID(t.Context(), w.id)
	require.NoError(t, err)
	stronger := argon2id.Cheap
	stronger.Time++
	w.hasher.Hasher = argon2id.New(stronger, 2, 100)
	_, err = w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
	require.NoError(t, err)
	after, err := w.store.Accounts.ByID(t.Context(), w.id)
	require.NoError(t, err)
	assert.NotEqual(t, before.Hash, after.Hash)
	_, outdated, err := w.hasher.Verify(t.Context(), after.Hash, secret.New(signinPassword))
	require.NoError(t, err)
	assert.False(t, outdated)
	_, err = w.Authenticate(t.Context(), key)
	assert.NoError(t, err, "keys stay good")
}

// changingHasher changes the password while a hash is made.
type changingHasher struct {
	access.Hasher
	change func()
}

func (h *changingHasher) Hash(ctx context.Context, p secret.String) (string, error) {
	if change := h.change; change != nil {
		h.change = nil
		change()
	}
	return h.Hasher.Hash(ctx, p)
}

func TestAUT12_an_upgrade_does_not_undo_a_change_of_the_password(t *testing.T) {
	w := newSigninFixture(t)
	stronger := argon2id.Cheap
	stronger.Time++
	hasher := &changingHasher{Hasher: argon2id.New(stronger, 2, 100)}
	hasher.change = func() { require.NoError(t, w.SetPassword(t.Context(), w.id, secret.New("heron-gravel-tuba"))) }
	w.hasher.Hasher = hasher
	key, err := w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
	require.NoError(t, err)
	_, err = w.Authenticate(t.Context(), key)
	assert.ErrorIs(t, err, access.ErrBadKey, "it is of the former password")
	_, err = w.Login(t.Context(), newLogin(signinPhone, "heron-gravel-tuba"), nil)
	assert.NoError(t, err)
}

func TestUSR03_no_request_waits_until_presence_is_stored(t *testing.T) {
	w := newSigninFixture(t)
	var keys []secret.String
	for range 11 { // people with 100 tokens each
		id, err := w.Register(t.Context(), signin.Registration{Username: fmt.Sprintf("+86-138%08d", len(keys)),
			Password: secret.New(signinPassword)})
		require.NoError(t, err)
		for range access.MaxTokens {
			key, err := w.Issue(t.Context(), id, nil, 0)
			require.NoError(t, err)
			keys = append(keys, key)
		}
	}
	come := func(keys ...secret.String) {
		t.Helper()
		for _, key := range keys {
			_, err := w.Authenticate(t.Context(), key)
			require.NoError(t, err)
		}
	}
	w.tokens.asked = make(chan int)
	w.now = w.now.Add(time.Hour)
	come(keys[0])
	require.Equal(t, 1, <-w.tokens.asked)
	come(keys[1:]...) // the store has taken nothing yet
	come(keys[1])
	w.tokens.asked <- 0
	require.Equal(t, 1000, <-w.tokens.asked, "each once, and no more wait")
	w.tokens.asked <- 0
	w.Settle()
	session := func(key secret.String) access.Session {
		t.Helper()
		hash, _ := access.HashKey(key)
		session, err := w.tokens.Session(t.Context(), hash)
		require.NoError(t, err)
		return session
	}
	assert.Equal(t, []time.Time{w.now, w.now}, []time.Time{session(keys[0]).Used, session(keys[0]).Seen})

	w.tokens.full = fault.New(fault.Unavailable, "another program writes")
	w.now = w.now.Add(time.Hour)
	come(keys[0])
	require.Equal(t, 1, <-w.tokens.asked)
	come(keys[1:99]...)
	w.tokens.asked <- 0
	w.Settle() // what has waited meanwhile is given up
	assert.Contains(t, w.log.String(), "another program writes")
}

func TestAuthenticate_without_room_for_presence(t *testing.T) {
	w := newSigninFixture(t)
	key, err := w.Login(t.Context(), newLogin(signinPhone, signinPassword), nil)
	require.NoError(t, err)
	w.tokens.full = fault.New(fault.Unavailable, "the disk is full")
	w.now = w.now.Add(access.SeenEvery)
	for range 150 { // over two and a half minutes
		actor, err := w.Authenticate(t.Context(), key)
		require.NoError(t, err)
		assert.Equal(t, w.id, actor.ID)
		w.Settle()
		w.now = w.now.Add(time.Second)
	}
	assert.Equal(t, 3, strings.Count(w.log.String(), "presence cannot be written"), "once a minute at most")
	assert.Contains(t, w.log.String(), "the disk is full")
}
