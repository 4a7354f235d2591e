package payment_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/user"
)

func TestPAY09_a_key_tells_requests_apart(t *testing.T) {
	intent := func(e payment.EndType, open string) payment.Intent {
		return payment.Intent{EndType: e, App: payment.OfficialAccount, OpenID: open}
	}
	seen := map[[32]byte]bool{}
	for _, asked := range []idempotency.Request{
		payment.PayContent(native, 1), payment.PayContent(native, 2), payment.PayContent(h5, 1),
		payment.PayContent(intent(payment.JSAPI, "a"), 1), payment.PayContent(intent(payment.JSAPI, "b"), 1),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000}), payment.CreateContent(payment.Draft{User: 1, Amount: 0x110001}),
		payment.CreateContent(payment.Draft{User: 2, Amount: 0x110000}),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000, Subject: "x"}),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000, Currency: "x"}),
		payment.CreateContent(payment.Draft{User: 1, Amount: 0x110000, ExpiresIn: time.Second}),
	} {
		k, err := idempotency.NewKey(5, "one", asked)
		require.NoError(t, err)
		assert.Equal(t, user.ID(5), k.User)
		assert.Equal(t, "one", k.Name)
		assert.False(t, seen[k.Fingerprint], "%v", asked)
		seen[k.Fingerprint] = true
		again, err := idempotency.NewKey(6, "two", asked)
		require.NoError(t, err)
		assert.Equal(t, k.Fingerprint, again.Fingerprint, "%v", asked)
		assert.NotEqual(t, k.Holder, again.Holder)
	}
}

// A fingerprint outlives the program that stored it: a change of its value refuses every
// retry across an upgrade.
func TestPAY09_FingerprintsStayTheSame(t *testing.T) {
	for want, asked := range map[string]idempotency.Request{
		"c104c5a824fa55332f2680d1af67bbb9209cdd54e5c3a6d4f877c20b25025554": payment.PayContent(payment.Intent{EndType: payment.JSAPI,
			App: payment.OfficialAccount, OpenID: "o"}, 7),
		"79ea32bb71b3c0f76695966dd4fecea7098b1a4a20ef962ba7bf2654d120b456": payment.CreateContent(payment.Draft{User: 1, Subject: "Tea",
			Amount: 990, Currency: "CNY", ExpiresIn: time.Hour}),
	} {
		k, err := idempotency.NewKey(5, "one", asked)
		require.NoError(t, err)
		assert.Equal(t, want, hex.EncodeToString(k.Fingerprint[:]))
	}
}

func TestPAY09_how_long_a_ticket_can_be_used(t *testing.T) {
	tr := newTrade()
	assert.ErrorIs(t, tr.CheckTicket("a", noon.Add(time.Hour), noon), idempotency.ErrKeyExpired, "no prepayment")
	begin(t, tr, h5, "a", payment.ActionSend, noon)
	assert.ErrorIs(t, tr.CheckTicket("a", noon.Add(time.Hour), noon), idempotency.ErrKeyExpired, "the ticket has not arrived")
	tr.RecordSent("a", ticket, noon)
	ends := noon.Add(payment.MWebLife)
	assert.NoError(t, tr.CheckTicket("a", ends, ends.Add(-1)))
	assert.ErrorIs(t, tr.CheckTicket("a", ends, ends), idempotency.ErrKeyExpired)
	assert.ErrorIs(t, tr.CheckTicket("a", ends.Add(-1), ends.Add(-1)), idempotency.ErrKeyExpired, "this ticket has expired")
	assert.ErrorIs(t, tr.CheckTicket("b", ends, noon), idempotency.ErrKeyExpired)
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
		details = append(details, string(e.Noted)+" "+e.Detail.String())
	}
	assert.Equal(t, []string{
		"disputed t1: 1 CNY by an unknown application", "paid t1: 990 CNY by official_account",
		"disputed t2: 990 CNY by official_account, given back by the wallet",
	}, details)
}
