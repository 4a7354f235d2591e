package people_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// reset tries to replace the password by another one.
func (w *joiningFixture) reset(username, code string) error {
	return w.ResetPassword(w.Context(), signin.PasswordReset{
		CodeProof: signin.CodeProof{Username: username, Code: code, From: home}, Password: secret.New("another-teapot"),
	}, nil)
}

// wrong is another code.
func wrong(code string) string {
	return map[bool]string{true: "000001", false: "000000"}[code == "000000"]
}

// taken is how many messages of today's budget are taken.
func (w *joiningFixture) taken() int64 {
	taken, err := w.store.Codes.Taken(w.Context(), verification.DayOf(w.now))
	require.NoError(w, err)
	return taken.Messages
}

func TestAUT17_a_wrong_code_forgets_no_failed_logins(t *testing.T) {
	w := newJoiningFixture(t)
	w.join(newPhone)
	code := w.code(verification.ResetPassword, newPhone, access.Actor{})
	for range 5 {
		require.Equal(t, access.ErrBadLogin, w.login(newPhone, "wrong"))
	}
	require.Equal(t, verification.ErrWrongCode, w.reset(newPhone, wrong(code)))
	assert.True(t, fault.Is(w.login(newPhone, newPassword), fault.Throttled))
}

func TestAUT17_a_reset_does_not_reach_an_account_that_has_just_got_another_number(t *testing.T) {
	w := newJoiningFixture(t)
	actor := w.join(newPhone)
	code := w.code(verification.ResetPassword, newPhone, access.Actor{})
	w.between = func() { // the code is tried, and then the password is hashed
		w.between = func() { require.NoError(t, w.SetPhone(t.Context(), actor.ID, "+86-13900000001", locale.Tag{})) }
	}
	assert.Equal(t, verification.ErrWrongCode, w.reset(newPhone, code))
	require.NoError(t, w.login("+86-13900000001", newPassword))
}

func TestAUT13_AUT18_USR07_a_password_that_was_just_replaced_confirms_nothing(t *testing.T) {
	for name, act := range map[string]func(w *joiningFixture, actor access.Actor, codes []string) error{
		"password": func(w *joiningFixture, actor access.Actor, _ []string) error {
			return w.ChangePassword(w.Context(), actor, signin.PasswordChange{Old: secret.New(newPassword), New: secret.New("a thief's teapot"),
				From: home}, nil)
		},
		"phone": func(w *joiningFixture, actor access.Actor, codes []string) error {
			return w.ChangePhone(w.Context(), actor, signin.PhoneChange{
				CodeProof: signin.CodeProof{Username: "+86-13900000001", Code: codes[0], From: home}, Password: secret.New(newPassword),
			}, nil)
		},
		"erase": func(w *joiningFixture, actor access.Actor, codes []string) error {
			return w.Leave(w.Context(), actor, access.Leaving{Password: secret.New(newPassword), Code: codes[1], From: home}, nil)
		},
	} {
		w := newJoiningFixture(t)
		actor := w.join(newPhone)
		codes := []string{w.code(verification.ChangePhone, "+86-13900000001", actor), w.code(verification.Erase, "", actor)}
		w.between = func() { require.NoError(t, w.SetPassword(t.Context(), actor.ID, secret.New("another-teapot"))) }
		assert.True(t, fault.Is(act(w, actor, codes), fault.Conflict), name)
		require.NoError(t, w.login(newPhone, "another-teapot"), name)
	}
}

func TestAUT15_a_message_that_was_certainly_not_sent_is_given_back(t *testing.T) {
	for _, c := range []struct {
		fails   error
		taken   int64
		outcome signin.Outcome
	}{
		{nil, 1, signin.Accepted},
		{&verification.RefusedError{Reason: verification.SetUp}, 0, signin.Refused(verification.SetUp)},
		{&verification.RefusedError{Reason: verification.Money}, 0, signin.Refused(verification.Money)},
		{&verification.RefusedError{Reason: verification.BadNumber}, 1, signin.Refused(verification.BadNumber)},
		{verification.ErrBusy, 0, signin.Busy},
		{errors.New("reset"), 1, signin.Unknown},
	} {
		w := newJoiningFixture(t)
		actor := w.join(newPhone)
		w.sender.fails = c.fails
		counted := w.MessageCount(c.outcome)
		for _, p := range verification.Purposes() {
			username := map[bool]string{true: newPhone, false: "+86-13900000001"}[p == verification.ResetPassword]
			before := w.taken()
			require.NoError(t, w.ask(p, username, actor))
			assert.Equal(t, c.taken, w.taken()-before, "%s: %v", p, c.fails)
		}
		assert.EqualValues(t, len(verification.Purposes()), w.MessageCount(c.outcome)-counted, "%v", c.fails)
	}
}

func TestAUT18_the_former_number_is_told_unless_it_may_not_be(t *testing.T) {
	chinese, _ := locale.Parse("zh-CN")
	for name, c := range map[string]struct {
		change func(*signin.Joining)
		next   string
		told   int
	}{
		"told":              {func(*signin.Joining) {}, "+86-13900000001", 1},
		"no notices":        {func(j *signin.Joining) { j.Notifies = false }, "+86-13900000001", 0},
		"no sender":         {func(j *signin.Joining) { j.Sender = nil }, "+86-13900000001", 0},
		"a code not served": {func(j *signin.Joining) { j.Budget.Codes = map[string]int64{"44": 0} }, "+86-13900000001", 0},
		"the same number":   {func(*signin.Joining) {}, newPhone, 0},
	} {
		w := newJoiningFixture(t, c.change)
		id, err := w.Register(t.Context(), signin.Registration{Username: newPhone, Password: secret.New(newPassword)})
		require.NoError(t, err)
		require.NoError(t, w.SetPhone(t.Context(), id, c.next, chinese))
		w.Close()
		require.Len(t, w.sender.messages, c.told, name)
		if c.told > 0 {
			assert.True(t, strings.HasPrefix(w.sender.messages[0].Text.Reveal(), "您的 Plaza 账号已更换手机号。"))
			assert.EqualValues(t, 1, w.MessageCount(signin.Accepted))
			assert.EqualValues(t, 1, w.taken())
		}
		assert.NotContains(t, w.log.String(), "13800000001")
	}
}
