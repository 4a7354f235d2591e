package verification_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

var (
	noon   = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	older  = secret.New(strings.Repeat("o", 32))
	newer  = secret.New(strings.Repeat("n", 32))
	source = netip.MustParseAddr("192.0.2.7")
)

func numberOf(t require.TestingT, login string) verification.Number {
	phone, err := user.ParseLoginName(login)
	require.NoError(t, err)
	return verification.NumberOf(phone)
}

func keyOf(t require.TestingT, s secret.String) verification.Key {
	keys, err := verification.NewKey(s)
	require.NoError(t, err)
	return keys
}

// fresh returns a code for signing up, what is sent, and the key.
func fresh(t require.TestingT) (*verification.Code, secret.String, verification.Key) {
	keys := keyOf(t, newer)
	c, sent := verification.New(verification.SignUp, numberOf(t, "+86-13800000001"), keys, noon)
	return c, sent, keys
}

func TestAUT15_a_code_is_six_digits_each_as_likely(t *testing.T) {
	keys, number := keyOf(t, newer), numberOf(t, "+86-13800000001")
	counts := map[string]int{}
	ids := map[verification.ID]bool{}
	const n = 2000
	for range n {
		c, sent := verification.New(verification.Erase, number, keys, noon)
		read, err := verification.ParseCode(sent.Reveal())
		require.NoError(t, err)
		require.Equal(t, sent.Reveal(), read.Reveal())
		ids[c.State().ID] = true
		for at, digit := range sent.Reveal() {
			counts[fmt.Sprint(at, " ", string(digit))]++
		}
	}
	assert.Len(t, ids, n)
	assert.Len(t, counts, 60, "every digit at every place")
	for where, count := range counts { // 200 on average, with a standard deviation of 13.4
		assert.InDelta(t, n/10, count, 110, where)
	}
}

func TestAUT15_a_code_is_read_as_it_is_typed(t *testing.T) {
	for typed, want := range map[string]string{"012345": "012345", " 012345\n": "012345", "\u3000999999 ": "999999", "000000": "000000"} {
		read, err := verification.ParseCode(typed)
		require.NoError(t, err, typed)
		assert.Equal(t, want, read.Reveal())
	}
	for _, typed := range []string{
		"", "12345", "0123456", "01 345", "01-345", "-12345", "+12345", "1e5678", "０１２３４５", "٠١٢٣٤٥", "01234\x00", "01234x",
	} {
		_, err := verification.ParseCode(typed)
		assert.Equal(t, verification.ErrNoCode, err, "%q", typed)
	}
}

func TestAUT15_a_code_is_kept_as_a_keyed_hash_of_purpose_number_and_code(t *testing.T) {
	c, sent, keys := fresh(t)
	mac := hmac.New(sha256.New, []byte(newer.Reveal()))
	mac.Write([]byte("sign_up\x008613800000001\x00" + sent.Reveal() + "\x00"))
	assert.Equal(t, mac.Sum(nil), func() []byte { h := c.State().Hash; return h[:] }())

	changed := map[string]func(*verification.State){
		"purpose": func(s *verification.State) { s.Purpose = verification.Erase },
		"number":  func(s *verification.State) { s.Number = numberOf(t, "+86-13800000002") },
		"key":     func(s *verification.State) { s.Key = "another" },
		"hash":    func(s *verification.State) { s.Hash[31] ^= 1 },
	}
	for name, change := range changed {
		state := c.State()
		change(&state)
		other, err := verification.Restore(state)
		require.NoError(t, err)
		_, err = other.Verify(keys, sent, source)
		assert.Equal(t, verification.ErrWrongCode, err, name)
	}
}

func TestAUT15_a_code_is_good_for_its_key_alone(t *testing.T) {
	number := numberOf(t, "+86-13800000001")
	c, sent := verification.New(verification.SignUp, number, keyOf(t, older), noon)
	_, err := c.Verify(keyOf(t, newer), sent, source)
	assert.Equal(t, verification.ErrWrongCode, err)
	assert.NotContains(t, older.Reveal(), string(c.State().Key))
	for _, wrong := range []secret.String{{}, secret.New("short"), secret.New(strings.Repeat("k", 31))} {
		_, err := verification.NewKey(wrong)
		assert.ErrorContains(t, err, "key")
	}
}

func TestAUT15_the_fifth_try_may_succeed_and_no_sixth(t *testing.T) {
	c, sent, keys := fresh(t)
	wrong := secret.New(map[bool]string{true: "000001", false: "000000"}[sent.Reveal() == "000000"])
	for range verification.MaxTries - 1 {
		require.NoError(t, c.Try(noon))
		_, err := c.Verify(keys, wrong, source)
		require.Equal(t, verification.ErrWrongCode, err)
	}
	assert.Equal(t, verification.ErrWrongCode, c.Try(noon.Add(verification.Life)), "it has expired")
	assert.Equal(t, verification.ErrWrongCode, c.Try(noon.Add(-ratelimit.Skew-time.Microsecond)), "it was made by a clock that ran ahead")
	require.NoError(t, c.Try(noon.Add(verification.Life-time.Microsecond)))
	spending, err := c.Verify(keys, sent, source)
	require.NoError(t, err)
	assert.Equal(t, verification.Spending{
		Code: c.State().ID, Number: c.State().Number, Purpose: verification.SignUp, From: source,
	}, spending)
	assert.Equal(t, verification.ErrWrongCode, c.Try(noon))
	require.NoError(t, c.Spend(), "by the fifth try")
}

// TestAUT15_a_code_is_good_once_for_a_time holds for any order of what happens to a code.
func TestAUT15_a_code_is_good_once_for_a_time(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _, _ := fresh(t)
		now, tries, isLive := noon, 0, true
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(3*time.Minute)).Draw(t, "pause")))
			switch rapid.SampledFrom([]string{"try", "try", "try", "spend", "replace"}).Draw(t, "step") {
			case "try":
				isGood := isLive && tries < 5 && now.Before(noon.Add(10*time.Minute))
				if isGood {
					tries++
				}
				require.Equal(t, isGood, c.Try(now) == nil)
			case "spend":
				require.Equal(t, isLive, c.Spend() == nil)
				isLive = false
			case "replace":
				c.Replace()
				isLive = false
			}
			require.Equal(t, tries, c.State().Tries)
			restored, err := verification.Restore(c.State())
			require.NoError(t, err)
			require.Equal(t, c, restored)
		}
	})
}

func TestStates_that_break_a_rule_are_not_restored(t *testing.T) {
	c, _, _ := fresh(t)
	for name, spoil := range map[string]func(*verification.State){
		"id":      func(s *verification.State) { s.ID = "" },
		"key":     func(s *verification.State) { s.Key = "" },
		"number":  func(s *verification.State) { s.Number = verification.Number{} },
		"purpose": func(s *verification.State) { s.Purpose = "login" },
		"times":   func(s *verification.State) { s.Expires = s.Made },
		"fewer":   func(s *verification.State) { s.Tries = -1 },
		"more":    func(s *verification.State) { s.Tries = 6 },
		"status":  func(s *verification.State) { s.Status = "" },
	} {
		state := c.State()
		spoil(&state)
		_, err := verification.Restore(state)
		require.Error(t, err, name)
		_, isFault := fault.As(err)
		assert.False(t, isFault, "a mistake of the server")
	}
}

func TestAUT03_a_telephone_has_one_number_wherever_its_dash_is(t *testing.T) {
	n := numberOf(t, "+86-13800000001")
	assert.Equal(t, n, numberOf(t, "+8-613800000001"))
	assert.NotEqual(t, n, numberOf(t, "+86-13800000002"))
	assert.Equal(t, "+8613800000001", n.E164())
	assert.Equal(t, "861380000", n.Prefix())
	stored, err := verification.StoredNumber(n.Digits())
	require.NoError(t, err)
	assert.Equal(t, n, stored)
	for _, digits := range []string{"", "8613", "0613800000001", "1234567890123456", "86-13800000001", "86138x0000001"} {
		_, err := verification.StoredNumber(digits)
		assert.Error(t, err, digits)
	}
	assert.True(t, verification.NumberOf(user.ErasedPhone(7)).IsZero())
}

func TestAUT15_neither_number_nor_code_is_printed(t *testing.T) {
	c, sent, _ := fresh(t)
	m := verification.Message{
		ID: "one", To: c.State().Number, Code: sent, Text: secret.New("Code: " + sent.Reveal()),
	}
	encoded, err := json.Marshal([]any{m, c.State()})
	require.NoError(t, err)
	shown := string(encoded)
	for _, v := range []any{m, &m, c, c.State(), m.To, []any{m}, verification.Request{Code: c.State()}, verification.Attempt{Number: m.To}} {
		shown += fmt.Sprintf("%v %+v %#v %s %x %d", v, v, v, v, v, v)
	}
	for _, private := range []string{"13800000001", sent.Reveal(), fmt.Sprintf("%x", sent.Reveal())} {
		assert.NotContains(t, shown, private)
	}
}

func TestAUT15_limits_admit_again_when_their_windows_have_passed(t *testing.T) {
	limits := []verification.Limit{{verification.ByNumber, 1, time.Minute}, {verification.BySource, 9, time.Hour}}
	assert.Zero(t, verification.Wait(limits, make([]time.Time, 2), noon))
	assert.Equal(t, 30*time.Second, verification.Wait(limits, []time.Time{noon.Add(-30 * time.Second), {}}, noon))
	assert.Equal(t, 5*time.Minute, verification.Wait(limits, []time.Time{noon.Add(-time.Second), noon.Add(-55 * time.Minute)}, noon))
	assert.Zero(t, verification.Wait(limits, []time.Time{noon.Add(-time.Minute), {}}, noon))
	for _, l := range append(verification.RequestLimits(), verification.TryLimits()...) {
		assert.LessOrEqual(t, l.Window, verification.Kept)
	}
	for _, err := range []error{
		verification.ErrTooManyRequests(time.Minute), verification.ErrTooManyTries(time.Minute), verification.ErrBudgetSpent(noon),
	} {
		f, is := fault.As(err)
		require.True(t, is)
		assert.Equal(t, fault.Throttled, f.Kind)
		assert.Positive(t, f.RetryAfter)
		assert.NotEmpty(t, f.Limit)
	}
}

// TestAUT15_the_limits_are_those_of_the_contract has the numbers that no test of a store can count to.
func TestAUT15_the_limits_are_those_of_the_contract(t *testing.T) {
	const day = 24 * time.Hour
	for g, want := range map[verification.Grouping]map[time.Duration]int{
		verification.ByNumber: {65 * time.Second: 1, time.Hour: 5, day: 10}, verification.ByPrefix: {time.Hour: 50, day: 200},
		verification.BySource: {time.Hour: 20, day: 100}, verification.By56: {time.Hour: 4 * 20, day: 4 * 100},
		verification.By48: {time.Hour: 16 * 20, day: 16 * 100},
	} {
		got := map[time.Duration]int{}
		for _, l := range verification.RequestLimits() {
			if l.Grouping == g {
				got[l.Window] = l.Max
			}
		}
		assert.Equal(t, want, got, g)
	}
}

func TestAUT15_an_address_is_in_the_groups_of_its_networks(t *testing.T) {
	number := numberOf(t, "+86-13800000001")
	for _, c := range []struct {
		from string
		want [3]string
	}{
		{"192.0.2.7", [3]string{"192.0.2.7/32", "", ""}},
		{"2001:db8:1:2a3::", [3]string{"2001:db8:1:2a3::/64", "2001:db8:1:200::/56", "2001:db8:1::/48"}},
	} {
		from := netip.MustParseAddr(c.from)
		for i, g := range []verification.Grouping{verification.BySource, verification.By56, verification.By48} {
			assert.Equal(t, c.want[i], g.Group(number, from))
			assert.Equal(t, c.want[i], g.Group(verification.Number{}, from))
		}
		assert.Equal(t, "8613800000001", verification.ByNumber.Group(number, from))
		assert.Equal(t, "861380000", verification.ByPrefix.Group(number, from))
		assert.Empty(t, verification.ByNumber.Group(verification.Number{}, from)+verification.ByPrefix.Group(verification.Number{}, from))
	}
}

func TestAUT15_a_fifth_of_a_budget_is_kept_for_callers_with_a_key(t *testing.T) {
	whole := verification.Budget{Messages: 1000, Codes: map[string]int64{"86": 0, "44": 9, "1": 4}}
	assert.Equal(t, verification.Budget{Messages: 800, Codes: map[string]int64{"86": 0, "44": 8, "1": 4}}, whole.WithoutKey())
	assert.EqualValues(t, 9, whole.Codes["44"], "it is a copy")
	assert.Equal(t, verification.Budget{}, verification.Budget{}.WithoutKey())
	for _, p := range verification.Purposes() {
		assert.Equal(t, p == verification.ChangePhone || p == verification.Erase, p.NeedsKey(), p)
	}
}

func TestAUT15_a_budget_is_of_a_day_and_of_its_dialling_codes(t *testing.T) {
	b := verification.Budget{Messages: 100, Codes: map[string]int64{"86": 0, "44": 10}}
	for login, want := range map[string]error{
		"+86-13800000001": nil, "+44-7400000001": nil, "+1-2025550104": verification.ErrNotServed, "+8-5298765432": verification.ErrNotServed,
		"+86-85298765432": user.ErrNoMobile, "+86-0138000000": user.ErrLeadingZero,
	} {
		phone, err := user.ParseLoginName(login)
		require.NoError(t, err)
		assert.Equal(t, want, b.Serves(phone), login)
		if want == verification.ErrNotServed {
			want = nil
		}
		assert.Equal(t, want, verification.Budget{}.Serves(phone), login)
	}
	assert.Equal(t, verification.ErrNotServed, b.Serves(user.Phone{}))
	assert.Equal(t, user.ErrNoDiallingCode, verification.Budget{}.Serves(user.Phone{}))
	late := time.Date(2026, 11, 27, 7, 59, 0, 0, time.FixedZone("Beijing", 8*3600))
	assert.Equal(t, time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC), verification.DayOf(late))
	f, _ := fault.As(verification.ErrBudgetSpent(late))
	assert.Equal(t, time.Minute, f.RetryAfter)
}

func TestPurpose_parses_those_of_codes(t *testing.T) {
	var p verification.Purpose
	require.ErrorContains(t, p.UnmarshalText([]byte("phone_changed")), "sign_up, reset_password, change_phone, erase", "of no code")
	require.Error(t, p.UnmarshalText([]byte("login")))
	assert.Empty(t, p)
	require.NoError(t, p.UnmarshalText([]byte("reset_password")))
	assert.Equal(t, verification.ResetPassword, p)
}

func TestErrors_of_senders_are_told_apart(t *testing.T) {
	refused := fmt.Errorf("x: %w", &verification.RefusedError{Reason: verification.Money, Said: "isv.AMOUNT_NOT_ENOUGH"})
	busy := fmt.Errorf("x: %w: isv.DAY_LIMIT_CONTROL", verification.ErrBusy)
	assert.ErrorIs(t, refused, verification.ErrRefused)
	assert.ErrorIs(t, busy, verification.ErrBusy)
	for _, other := range []error{verification.ErrBusy, verification.ErrUnknownOutcome} {
		assert.NotErrorIs(t, refused, other)
	}
	assert.False(t, errors.Is(busy, verification.ErrRefused))
	assert.EqualError(t, refused, "x: message refused, money: isv.AMOUNT_NOT_ENOUGH")
	assert.EqualError(t, busy, "x: sender busy: isv.DAY_LIMIT_CONTROL")

	for reason, isFree := range map[verification.Reason]bool{
		verification.SetUp: true, verification.Money: true, verification.BadNumber: false, verification.Blocked: false,
	} {
		assert.Equal(t, isFree, verification.CostsNothing(fmt.Errorf("x: %w", &verification.RefusedError{Reason: reason})), reason)
	}
	assert.True(t, verification.CostsNothing(busy))
	assert.False(t, verification.CostsNothing(verification.ErrUnknownOutcome))
	assert.False(t, verification.CostsNothing(nil))
}
