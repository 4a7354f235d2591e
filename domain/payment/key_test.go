package payment_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/text"
	"plaza/domain/user"
)

func TestPAY09_a_key_tells_requests_apart(t *testing.T) {
	intent := func(e payment.EndType, open string) payment.Intent {
		return payment.Intent{EndType: e, App: payment.OfficialAccount, OpenID: open}
	}
	seen := map[[32]byte]bool{}
	for _, asked := range []payment.RequestContent{
		payment.PayContent(native, 1), payment.PayContent(native, 2), payment.PayContent(h5, 1),
		payment.PayContent(intent(payment.JSAPI, "a"), 1), payment.PayContent(intent(payment.JSAPI, "b"), 1),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000}), payment.CreateContent(payment.Draft{User: 1, Amount: 0x110001}),
		payment.CreateContent(payment.Draft{User: 2, Amount: 0x110000}), payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000, Subject: "x"}),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000, Currency: "x"}),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000, ExpiresIn: time.Second}),
		{Operation: "a", Fields: []payment.RequestField{{"b", "c"}}}, {Operation: "a", Fields: []payment.RequestField{{"bc", ""}}},
		{Operation: "ab", Fields: []payment.RequestField{{"", "c"}}}, {Operation: "abc"},
	} {
		k, err := payment.NewKey(5, "one", asked)
		require.NoError(t, err)
		assert.Equal(t, user.ID(5), k.User)
		assert.Equal(t, "one", k.Name)
		assert.False(t, seen[k.Fingerprint], "%v", asked)
		seen[k.Fingerprint] = true
		again, err := payment.NewKey(6, "two", asked)
		require.NoError(t, err)
		assert.Equal(t, k.Fingerprint, again.Fingerprint, "%v", asked)
		assert.NotEqual(t, k.Holder, again.Holder)
	}
}

// A fingerprint outlives the program that stored it: a change of its value refuses every
// retry across an upgrade.
func TestPAY09_FingerprintsStayTheSame(t *testing.T) {
	for want, asked := range map[string]payment.RequestContent{
		"c104c5a824fa55332f2680d1af67bbb9209cdd54e5c3a6d4f877c20b25025554": payment.PayContent(payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: "o"}, 7),
		"79ea32bb71b3c0f76695966dd4fecea7098b1a4a20ef962ba7bf2654d120b456": payment.CreateContent(payment.Draft{User: 1, Subject: "Tea", Amount: 990, Currency: "CNY", ExpiresIn: time.Hour}),
	} {
		k, err := payment.NewKey(5, "one", asked)
		require.NoError(t, err)
		assert.Equal(t, want, hex.EncodeToString(k.Fingerprint[:]))
	}
}

func TestPAY09_a_key_has_a_form(t *testing.T) {
	for _, no := range []string{"", " ", strings.Repeat("k", 256), "\xff", "nul\x00"} {
		_, err := payment.NewKey(5, no, payment.RequestContent{})
		assert.Contains(t, fault.FieldsOf(err), "Idempotency-Key", "%q", no)
	}
	for _, yes := range []string{"k", strings.Repeat("é", 255)} {
		_, err := payment.NewKey(5, yes, payment.RequestContent{})
		assert.NoError(t, err)
	}
}

func TestPAY09_how_long_a_ticket_can_be_used(t *testing.T) {
	tr := newTrade()
	assert.ErrorIs(t, tr.CheckTicket("a", noon.Add(time.Hour), noon), payment.ErrKeyExpired, "no prepayment")
	begin(t, tr, h5, "a", payment.ActionSend, noon)
	assert.ErrorIs(t, tr.CheckTicket("a", noon.Add(time.Hour), noon), payment.ErrKeyExpired, "the ticket has not arrived")
	tr.RecordSent("a", ticket, noon)
	ends := noon.Add(payment.MWebLife)
	assert.NoError(t, tr.CheckTicket("a", ends, ends.Add(-1)))
	assert.ErrorIs(t, tr.CheckTicket("a", ends, ends), payment.ErrKeyExpired)
	assert.ErrorIs(t, tr.CheckTicket("a", ends.Add(-1), ends.Add(-1)), payment.ErrKeyExpired, "this ticket has expired")
	assert.ErrorIs(t, tr.CheckTicket("b", ends, noon), payment.ErrKeyExpired)
	tr.Settle(receipt("t", "a"), noon)
	assert.ErrorIs(t, tr.CheckTicket("a", ends, noon), payment.ErrPaid)
}

func TestPAY10_the_journal_says_what_came_in(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	odd := receipt("t1", "a")
	odd.Amount, odd.App = 1, ""
	tr.Settle(odd, noon)
	tr.Settle(receipt("t1", "a"), noon)
	back := receipt("t2", "a")
	back.Refunded = true
	tr.Settle(back, noon)
	var details []string
	for _, e := range tr.Entries[1:] {
		details = append(details, string(e.Noted)+" "+e.Detail)
	}
	assert.Equal(t, []string{
		"disputed t1: 1 CNY by an unknown application", "paid t1: 990 CNY by official_account",
		"disputed t2: 990 CNY by official_account, given back by the wallet",
	}, details)
}

func TestPAY12_an_order_as_it_was_made(t *testing.T) {
	tr := newTrade()
	made := tr.Order
	begin(t, tr, native, "a", payment.ActionSend, noon)
	tr.Settle(receipt("t", "a"), noon)
	assert.NotEqual(t, made, tr.Order)
	assert.Equal(t, made, tr.Order.AsMade())
}

// FuzzNewKey makes keys of any name and content. A name has bounded, visible text. Contents
// that differ, even only in where a field ends, have different fingerprints.
func FuzzNewKey(f *testing.F) {
	for _, name := range []string{"k", "", " ", "\u200b", "\xff", "nul\x00", strings.Repeat("k", 255), strings.Repeat("é", 256), "\u202ek"} {
		f.Add(name, "pay", "open_id", "a", uint8(3))
	}
	f.Add("k", "", "\x00", "\x07pay", uint8(0))
	f.Add("k", "pay", "", strings.Repeat("x", 200), uint8(128))
	f.Fuzz(func(t *testing.T, name, operation, field, value string, end uint8) {
		made := func(operation string, fields ...payment.RequestField) [32]byte {
			k, err := payment.NewKey(5, name, payment.RequestContent{Operation: operation, Fields: fields})
			isName := utf8.ValidString(name) && !strings.ContainsRune(name, 0) && utf8.RuneCountInString(name) <= 255 && !text.IsBlank(name)
			require.Equal(t, isName, err == nil, "%q", name)
			if err != nil {
				require.Contains(t, fault.FieldsOf(err), "Idempotency-Key")
				return [32]byte{}
			}
			require.Equal(t, name, k.Name)
			return k.Fingerprint
		}
		first := made(operation, payment.RequestField{Name: field, Value: value})
		if first == [32]byte{} {
			return
		}
		require.Equal(t, first, made(operation, payment.RequestField{Name: field, Value: value}))
		whole := field + value
		at := int(end) % (len(whole) + 1)
		moved := payment.RequestField{Name: whole[:at], Value: whole[at:]}
		require.Equal(t, moved.Name == field, first == made(operation, moved))
		require.NotEqual(t, first, made(operation, payment.RequestField{Name: field, Value: value}, payment.RequestField{}))
		require.NotEqual(t, first, made(operation+"x", payment.RequestField{Name: field, Value: value}))
		require.NotEqual(t, first, made(operation+field, payment.RequestField{Value: value}, moved))
	})
}
