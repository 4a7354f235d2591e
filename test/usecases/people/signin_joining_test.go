package people_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/memory"
	"plaza/adapters/zxcvbn"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/locale"
	"plaza/domain/personaldata"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
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
	keys, err := verification.NewKeys(secret.New(strings.Repeat("k", 32)))
	require.NoError(t, err)
	j := signin.Joining{Codes: hookedCodes{w.store.Codes(), w}, Sender: w.sender, Keys: keys, Host: "plaza.example", Notifies: true}
	for _, change := range changes {
		change(&j)
	}
	hasher := hookedHasher{argon2id.New(argon2id.Cheap, 2, 100), w}
	w.Signin = signin.New(w.store.Accounts(), w.store.Tokens(), w.store.Throttle(), hasher, zxcvbn.Estimator{},
		signin.TokenTTL(access.DefaultTTL), nil, j, func() time.Time { return w.now },
		func(context.Context) *slog.Logger { return slog.New(slog.NewTextHandler(&w.log, nil)) })
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

func TestAUT16_a_person_joins_with_a_code(t *testing.T) {
	w := newJoiningFixture(t)
	actor := w.join(newPhone)
	assert.Equal(t, access.DefaultScopes(), actor.Scopes)
	assert.False(t, actor.Narrowed)
	members, err := w.store.Accounts().Members(t.Context(), []user.ID{actor.ID})
	require.NoError(t, err)
	assert.Equal(t, "Ann Lee", members[0].FullName())
	assert.Equal(t, "Europe/Madrid", members[0].Timezone)
	require.NoError(t, w.login(newPhone, newPassword))

	again := w.code(verification.SignUp, newPhone, access.Actor{})
	_, err = w.signUp(newPhone, again)
	assert.True(t, fault.Is(err, fault.Conflict), "%v", err)
	assert.NotContains(t, w.log.String(), "13800000001")
	assert.NotContains(t, w.log.String(), again)
}

func TestAUT16_fields_are_judged_before_the_code_is_tried(t *testing.T) {
	w := newJoiningFixture(t)
	code := w.code(verification.SignUp, newPhone, access.Actor{})
	for range verification.MaxTries + 1 {
		_, err := w.SignUp(t.Context(), signin.SignUp{
			CodeProof: signin.CodeProof{Username: newPhone, Code: "1234", From: home}, Password: secret.New("short"),
			Firstname: "\u200b", Lastname: strings.Repeat("x", 65), Timezone: "Moon/Base",
		}, nil)
		assert.Equal(t, []string{"code", "firstname", "lastname", "password", "timezone"}, sorted(fault.FieldsOf(err)))
	}
	_, err := w.signUp(newPhone, code)
	require.NoError(t, err)
	_, err = w.signUp(newPhone, code)
	assert.Equal(t, verification.ErrWrongCode, err)
}

func TestAUT15_what_a_sender_does_changes_no_answer(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want signin.Outcome
	}{
		"accepted": {nil, signin.Accepted},
		"refused":  {&verification.RefusedError{Reason: verification.Money}, signin.Refused(verification.Money)},
		"number":   {&verification.RefusedError{Reason: verification.BadNumber}, signin.Refused(verification.BadNumber)},
		"busy":     {verification.ErrBusy, signin.Busy},
		"unknown":  {errors.New("reset"), signin.Unknown},
	} {
		w := newJoiningFixture(t)
		w.sender.fails = c.err
		require.NoError(t, w.ask(verification.SignUp, newPhone, access.Actor{}), name)
		assert.EqualValues(t, 1, w.MessageCount(c.want), name)
	}
}

func TestAUT15_messages_on_their_way_are_bounded(t *testing.T) {
	w := newJoiningFixture(t)
	w.sender.hold = make(chan struct{})
	for n := range 201 {
		_, err := w.RequestCode(t.Context(), signin.CodeRequest{
			Username: "+86-138" + digits(n) + "0001", Purpose: verification.SignUp,
			From: netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}),
		}, nil)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 1, w.MessageCount(signin.Dropped))
	close(w.sender.hold)
	w.Close()
	assert.EqualValues(t, 200, w.MessageCount(signin.Accepted))
}

// digits returns four digits.
func digits(n int) string {
	return string([]byte{'0', byte('0' + n/100%10), byte('0' + n/10%10), byte('0' + n%10)})
}

func TestAUT15_who_may_ask_for_a_code(t *testing.T) {
	closed := newJoiningFixture(t, func(j *signin.Joining) { j.IsClosed = true })
	assert.Equal(t, signin.ErrClosed, closed.ask(verification.SignUp, newPhone, access.Actor{}))
	_, err := closed.signUp(newPhone, "123456")
	assert.Equal(t, signin.ErrClosed, err)
	require.NoError(t, closed.ask(verification.ResetPassword, newPhone, access.Actor{}))
	assert.Empty(t, closed.sender.messages, "the number has no account")

	none := newJoiningFixture(t, func(j *signin.Joining) { j.Sender = nil })
	assert.Equal(t, signin.ErrNoSender, none.ask(verification.SignUp, newPhone, access.Actor{}))

	served := newJoiningFixture(t, func(j *signin.Joining) { j.Budget.Codes = map[string]int64{"44": 0} })
	assert.Equal(t, []string{"username"}, sorted(fault.FieldsOf(served.ask(verification.SignUp, newPhone, access.Actor{}))))
}

func TestAUT17_a_reset_ends_all_keys_and_forgets_failed_logins(t *testing.T) {
	w := newJoiningFixture(t)
	made, err := w.signUp(newPhone, w.code(verification.SignUp, newPhone, access.Actor{}))
	require.NoError(t, err)
	for range 6 {
		require.Error(t, w.login(newPhone, "wrong"))
	}
	reset := func(code, password string) error {
		return w.ResetPassword(t.Context(), signin.PasswordReset{
			CodeProof: signin.CodeProof{Username: newPhone, Code: code, From: home}, Password: secret.New(password),
		}, nil)
	}
	code := w.code(verification.ResetPassword, newPhone, access.Actor{})
	assert.Equal(t, []string{"password"}, sorted(fault.FieldsOf(reset(code, "short"))))
	require.NoError(t, reset(code, "another-teapot"))
	_, err = w.Authenticate(t.Context(), made.Key)
	assert.Equal(t, access.ErrBadKey, err)
	require.NoError(t, w.login(newPhone, "another-teapot"))
	assert.Equal(t, verification.ErrWrongCode, reset(code, "another-teapot-2"))

	code = w.code(verification.ResetPassword, newPhone, access.Actor{})
	require.NoError(t, w.SetDisabled(t.Context(), made.User, true))
	assert.Equal(t, verification.ErrWrongCode, reset(code, "another-teapot-2"), "a disabled account")
}

func TestAUT18_another_number_is_confirmed_with_password_and_code(t *testing.T) {
	w := newJoiningFixture(t)
	actor := w.join(newPhone)
	other, err := w.Issue(t.Context(), actor.ID, nil, 0)
	require.NoError(t, err)
	const next = "+34-600000001"
	change := func(username, code, password string) error {
		return w.ChangePhone(t.Context(), actor, signin.PhoneChange{
			CodeProof: signin.CodeProof{Username: username, Code: code, From: home}, Password: secret.New(password),
		}, nil)
	}
	code := w.code(verification.ChangePhone, next, actor)
	assert.Equal(t, []string{"password"}, sorted(fault.FieldsOf(change(next, code, "wrong"))))
	assert.Equal(t, verification.ErrWrongCode, change("+34-600000002", code, newPassword))
	require.NoError(t, change(next, code, newPassword))
	assert.Equal(t, verification.ErrWrongCode, change(next, code, newPassword), "it is spent")
	w.Close()
	notice := w.sender.messages[len(w.sender.messages)-1]
	assert.Equal(t, verification.PhoneChanged, notice.Purpose)
	assert.Equal(t, "+8613800000001", notice.To.E164(), "the former number is told")
	require.NoError(t, w.login(next, newPassword))
	assert.Equal(t, access.ErrBadLogin, w.login(newPhone, newPassword))
	_, err = w.Authenticate(t.Context(), other)
	assert.Equal(t, access.ErrBadKey, err)
	sessions, err := w.Tokens(t.Context(), actor.ID)
	require.NoError(t, err)
	account, err := w.store.Accounts().ByID(t.Context(), actor.ID)
	require.NoError(t, err)
	for _, s := range sessions {
		if s.ID == actor.Token {
			assert.Equal(t, account.Generation, s.Generation, "the key of the request goes on")
		}
	}

	w.join("+44-7700900001")
	code = w.code(verification.ChangePhone, "+44-7700900001", actor)
	assert.True(t, fault.Is(change("+44-7700900001", code, newPassword), fault.Conflict))
}

func TestUSR07_leaving_is_confirmed_with_password_and_code(t *testing.T) {
	w := newJoiningFixture(t)
	actor := w.join(newPhone)
	leave := func(code, password string) error {
		return w.Leave(t.Context(), actor, access.Leaving{Password: secret.New(password), Code: code, From: home}, nil)
	}
	code := w.code(verification.Erase, "", actor)
	assert.Equal(t, newPhone, "+86-"+strings.TrimPrefix(w.sender.messages[1].To.E164(), "+86"))
	assert.Equal(t, []string{"password"}, sorted(fault.FieldsOf(leave(code, "wrong"))))
	assert.Equal(t, []string{"code"}, sorted(fault.FieldsOf(leave("000", newPassword))))
	require.NoError(t, leave(code, newPassword))
	account, err := w.store.Accounts().ByID(t.Context(), actor.ID)
	require.NoError(t, err)
	assert.True(t, account.Disabled && account.Erasing)
	assert.Equal(t, access.ErrBadLogin, w.login(newPhone, newPassword))
}

// sorted returns the names of the fields.
func sorted(f fault.Fields) []string { return slices.Sorted(maps.Keys(f)) }

func TestUSR07_an_erased_account_is_opened_by_no_operator(t *testing.T) {
	w := newJoiningFixture(t)
	actor := w.join(newPhone)
	for _, d := range personaldata.Kinds() {
		_, err := w.store.PersonalData().Erase(t.Context(), actor.ID, d.Kind, 100)
		require.NoError(t, err)
	}
	closed, err := w.store.Accounts().ByID(t.Context(), actor.ID)
	require.NoError(t, err)
	for name, act := range map[string]func(context.Context, user.ID) error{
		"a password": func(ctx context.Context, id user.ID) error { return w.SetPassword(ctx, id, secret.New("plaza-demo")) },
		"a number":   func(ctx context.Context, id user.ID) error { return w.SetPhone(ctx, id, "+34-600000001", locale.Tag{}) },
		"scopes":     func(ctx context.Context, id user.ID) error { return w.SetScopes(ctx, id, []string{"back_office"}) },
		"staff":      func(ctx context.Context, id user.ID) error { return w.SetStaff(ctx, id, true) },
		"rights":     func(ctx context.Context, id user.ID) error { return w.SetRights(ctx, id, nil, true) },
		"enabling":   func(ctx context.Context, id user.ID) error { return w.SetDisabled(ctx, id, false) },
		"sessions":   w.EndSessions,
		"a key":      func(ctx context.Context, id user.ID) error { _, err := w.Issue(ctx, id, nil, 0); return err },
	} {
		assert.Equal(t, access.ErrErased, act(t.Context(), actor.ID), name)
	}
	still, err := w.store.Accounts().ByID(t.Context(), actor.ID)
	require.NoError(t, err)
	assert.Equal(t, closed, still)
}
