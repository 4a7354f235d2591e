package access_test

import (
	"encoding/base32"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/secret"
)

func factorKey() access.FactorKey { return access.NewFactorKey(secret.New("a key of servers")) }

// codeOf returns the code that an authenticator app of others makes of the enrolment.
func codeOf(t *testing.T, e access.Enrolment, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(e.Secret.Reveal(), at)
	require.NoError(t, err)
	return code
}

func TestOFF04_each_code_is_right_once_a_step_around_its_own(t *testing.T) {
	key := factorKey()
	e := key.Enrol(7)
	f, recovery, err := key.Confirm(e, 7, codeOf(t, e, noon), noon)
	require.NoError(t, err)
	assert.Len(t, recovery, 8)
	step := 30 * time.Second
	spend := func(code string, now time.Time) error { return f.Spend(key, 7, code, now) }
	assert.Same(t, access.ErrWrongOTP, spend(codeOf(t, e, noon), noon), "it has confirmed the enrolment")
	assert.Same(t, access.ErrWrongOTP, spend(codeOf(t, e, noon.Add(2*step)), noon), "two steps ahead")
	later := noon.Add(10 * step)
	assert.Same(t, access.ErrWrongOTP, spend(codeOf(t, e, later.Add(-2*step)), later), "two steps behind")
	code := codeOf(t, e, later.Add(-step))
	require.NoError(t, spend(code[:3]+" "+code[3:], later), "a step behind, as apps show it")
	require.NoError(t, spend(codeOf(t, e, later.Add(step)), later), "a step ahead")
	assert.Same(t, access.ErrWrongOTP, spend(codeOf(t, e, later), later), "of an earlier step than the last accepted one")
	for _, wrong := range []string{"", "1", "abcdef", "12345", strings.Repeat("0", 16), "１２３４５６"} {
		assert.Same(t, access.ErrWrongOTP, spend(wrong, later.Add(time.Hour)), wrong)
	}

	kept := f
	require.NoError(t, spend(strings.ToLower(recovery[3].Reveal()), later))
	assert.Same(t, access.ErrWrongOTP, spend(recovery[3].Reveal(), later))
	require.NoError(t, spend(recovery[0].Reveal(), later))
	assert.Len(t, f.Recovery, 6)
	assert.Len(t, kept.Recovery, 8, "a copy keeps its own")
}

func TestOFF04_a_secret_is_encrypted_for_its_account(t *testing.T) {
	key := factorKey()
	e := key.Enrol(7)
	shared, err := base32.StdEncoding.DecodeString(e.Secret.Reveal())
	require.NoError(t, err)
	assert.Len(t, shared, 20)
	assert.NotContains(t, string(e.Sealed), string(shared))
	again, err := key.Enrolling(e.Sealed, 7)
	require.NoError(t, err)
	assert.Equal(t, e.Secret.Reveal(), again.Secret.Reveal())
	_, err = key.Enrolling(e.Sealed, 8)
	assert.Error(t, err, "of another account")
	_, err = access.NewFactorKey(secret.New("another key")).Enrolling(e.Sealed, 7)
	assert.Error(t, err)
	_, err = key.Enrolling(nil, 7)
	assert.Error(t, err)
	f := access.SecondFactor{Sealed: e.Sealed}
	assert.Error(t, f.Spend(key, 8, codeOf(t, e, noon), noon))
	assert.Equal(t, "otpauth://totp/Plaza:+86-1?issuer=Plaza&secret="+e.Secret.Reveal(), e.Address("+86-1").Reveal())
}

func TestOFF04_a_token_without_a_second_factor_never_acts_as_staff(t *testing.T) {
	for _, isNarrowed := range []bool{false, true} {
		for _, hasFactor := range []bool{false, true} {
			s := session()
			s.IsNarrowed, s.HasFactor = isNarrowed, hasFactor
			actor, err := s.Actor(noon, true)
			require.NoError(t, err)
			assert.Equal(t, hasFactor, actor.Has(access.BackOffice))
			assert.Equal(t, !hasFactor, actor.LacksFactor)
			assert.Equal(t, hasFactor, actor.May(access.Rights))
			if !hasFactor {
				assert.Same(t, access.ErrNeedsFactor, actor.Enter(access.Audit))
			}
			actor, err = s.Actor(noon, false)
			require.NoError(t, err)
			assert.True(t, actor.Has(access.BackOffice) && !actor.LacksFactor, "it is off")
		}
	}
	s := session()
	s.Account.Roles = nil
	actor, err := s.Actor(noon, true)
	require.NoError(t, err)
	assert.False(t, actor.LacksFactor, "the account is not of staff")
}
