package people_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/personaldata"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
	"plaza/test/memory"
	"plaza/test/usecases"
)

// keptSender keeps the messages, and answers with the error.
type keptSender struct {
	mu       sync.Mutex
	messages []verification.Message
	fails    error
	hold     chan struct{} // nil: it answers at once
}

func (s *keptSender) Send(_ context.Context, m verification.Message) error {
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	return s.fails
}

type joiningFixture struct {
	*signin.Signin
	*testing.T
	store   *memory.Store
	sender  *keptSender
	log     bytes.Buffer
	now     time.Time
	takes   int    // how often the budget was written beside an answer
	between func() // called once, when the next password is hashed or the next code is tried
}

// happens calls between.
func (w *joiningFixture) happens() {
	if between := w.between; between != nil {
		w.between = nil
		between()
	}
}

// hookedHasher and hookedCodes let something happen while a use case is at work.
type hookedHasher struct {
	*argon2id.Hasher
	w *joiningFixture
}

func (h hookedHasher) Hash(ctx context.Context, p secret.String) (string, error) {
	h.w.happens()
	return h.Hasher.Hash(ctx, p)
}

type hookedCodes struct {
	verification.Store
	w *joiningFixture
}

func (c hookedCodes) Take(ctx context.Context, e verification.Expense) error {
	c.w.takes++
	return c.Store.Take(ctx, e)
}

func (c hookedCodes) Try(ctx context.Context, a verification.Attempt) (*verification.Code, error) {
	c.w.happens()
	return c.Store.Try(ctx, a)
}

const newPhone, newPassword = "+86-13800000001", "teapot-and-scones"

func newJoiningFixture(t *testing.T, changes ...func(*signin.Joining)) *joiningFixture {
	t.Helper()
	w := &joiningFixture{T: t, store: memory.New(), sender: &keptSender{}, now: usecases.Noon}
	keys, err := verification.NewKey(secret.New(strings.Repeat("k", 32)))
	require.NoError(t, err)
	j := signin.Joining{Codes: hookedCodes{w.store.Codes, w}, Sender: w.sender, Key: keys, Host: "plaza.example", Notifies: true}
	for _, change := range changes {
		change(&j)
	}
	hasher := hookedHasher{argon2id.New(argon2id.Cheap, 2, 100), w}
	w.Signin = newSignin(w.store, w.store.Tokens, hasher, j, func() time.Time { return w.now }, &w.log)
	return w
}

var home = netip.MustParseAddr("192.0.2.1")

// ask asks for a code, a minute and more after the last one.
func (w *joiningFixture) ask(p verification.Purpose, username string, actor access.Actor) error {
	w.now = w.now.Add(verification.ResendAfter)
	_, err := w.RequestCode(w.Context(), signin.CodeRequest{Actor: actor, Username: username, Purpose: p, From: home, Language: locale.Tag{}},
		nil)
	w.Close()
	return err
}

// code asks for a code and returns it as it was sent.
func (w *joiningFixture) code(p verification.Purpose, username string, actor access.Actor) string {
	w.Helper()
	sent := len(w.sender.messages)
	require.NoError(w, w.ask(p, username, actor))
	require.Len(w, w.sender.messages, sent+1)
	m := w.sender.messages[sent]
	assert.Equal(w, p, m.Purpose)
	assert.Contains(w, m.Text.Reveal(), m.Code.Reveal())
	assert.True(w, strings.HasSuffix(m.Text.Reveal(), "@plaza.example #"+m.Code.Reveal()))
	return m.Code.Reveal()
}

func (w *joiningFixture) signUp(username, code string) (signin.SignedUp, error) {
	return w.SignUp(w.Context(), signin.SignUp{
		CodeProof: signin.CodeProof{Username: username, Code: code, From: home},
		Password:  secret.New(newPassword), Firstname: " Ann ", Lastname: "Lee", Timezone: "Europe/Madrid",
	}, nil)
}

// join returns a new account as the actor of its key.
func (w *joiningFixture) join(username string) access.Actor {
	w.Helper()
	made, err := w.signUp(username, w.code(verification.SignUp, username, access.Actor{}))
	require.NoError(w, err)
	actor, err := w.Authenticate(w.Context(), made.Key)
	require.NoError(w, err)
	assert.Equal(w, made.User, actor.ID)
	return actor
}

func (w *joiningFixture) login(username, password string) error {
	_, err := w.Login(w.Context(), signin.Login{Username: username, Password: secret.New(password), From: home}, nil)
	return err
}

func TestAUT15_messages_on_their_way_are_bounded_and_one_that_is_dropped_is_given_back(t *testing.T) {
	w := newJoiningFixture(t)
	w.sender.hold = make(chan struct{})
	for n := range 201 {
		_, err := w.RequestCode(t.Context(), signin.CodeRequest{
			Username: fmt.Sprintf("+86-138%04d0001", n), Purpose: verification.SignUp,
			From: netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}),
		}, nil)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 1, w.MessageCount(signin.Dropped))
	assert.EqualValues(t, 200, w.taken())
	close(w.sender.hold)
	w.Close()
	assert.EqualValues(t, 200, w.MessageCount(signin.Accepted))
}

func TestUSR07_an_erased_account_is_opened_by_no_operator(t *testing.T) {
	w := newJoiningFixture(t)
	actor := w.join(newPhone)
	for _, d := range personaldata.Kinds() {
		_, err := w.store.PersonalData.Erase(t.Context(), actor.ID, d.Kind, 100)
		require.NoError(t, err)
	}
	closed, err := w.store.Accounts.ByID(t.Context(), actor.ID)
	require.NoError(t, err)
	for name, act := range map[string]func(context.Context, user.ID) error{
		"a password": func(ctx context.Context, id user.ID) error { return w.SetPassword(ctx, id, secret.New("plaza-demo")) },
		"a number":   func(ctx context.Context, id user.ID) error { return w.SetPhone(ctx, id, "+34-600000001", locale.Tag{}) },
		"scopes":     func(ctx context.Context, id user.ID) error { return w.SetScopes(ctx, id, []string{"back_office"}) },
		"staff":      func(ctx context.Context, id user.ID) error { return w.SetRoles(ctx, id, access.Cashier) },
		"rights":     func(ctx context.Context, id user.ID) error { return w.SetRights(ctx, id, nil, access.Roles()) },
		"enabling":   func(ctx context.Context, id user.ID) error { return w.SetDisabled(ctx, id, false) },
		"sessions":   w.EndSessions,
		"a key":      func(ctx context.Context, id user.ID) error { _, err := w.Issue(ctx, id, nil, 0); return err },
	} {
		assert.Equal(t, access.ErrErased, act(t.Context(), actor.ID), name)
	}
	still, err := w.store.Accounts.ByID(t.Context(), actor.ID)
	require.NoError(t, err)
	assert.Equal(t, closed, still)
}
