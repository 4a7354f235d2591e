package payment_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/user"
)

func TestPAY09_a_key_tells_requests_apart(t *testing.T) {
	seen := map[[32]byte]bool{}
	for _, asked := range [][]any{
		{"pay", native, payment.OrderID(1)}, {"pay", native, payment.OrderID(2)}, {"pay", h5, payment.OrderID(1)},
		{"pay", payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: "a"}, payment.OrderID(1)},
		{"pay", payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: "b"}, payment.OrderID(1)},
		{"order", payment.Draft{User: 1, Amount: 0x110000}}, {"order", payment.Draft{User: 1, Amount: 0x110001}},
		{"order", payment.Draft{User: 2, Amount: 0x110000}}, {"order", payment.Draft{User: 1, Amount: 0x110000, Subject: "x"}},
		{"order", payment.Draft{User: 1, Amount: 0x110000, ExpiresIn: time.Second}},
		{"a", "b"}, {`a" "b`}, {"a b"}, {"ab"},
	} {
		k, err := payment.NewKey(5, "one", asked...)
		require.NoError(t, err)
		assert.Equal(t, user.ID(5), k.User)
		assert.Equal(t, "one", k.Name)
		assert.False(t, seen[k.Fingerprint], "%v", asked)
		seen[k.Fingerprint] = true
		again, err := payment.NewKey(6, "two", asked...)
		require.NoError(t, err)
		assert.Equal(t, k.Fingerprint, again.Fingerprint, "%v", asked)
	}
}

func TestPAY09_a_key_has_a_form(t *testing.T) {
	for _, no := range []string{"", " ", strings.Repeat("k", 256), "\xff", "nul\x00"} {
		_, err := payment.NewKey(5, no)
		assert.Contains(t, fault.FieldsOf(err), "Idempotency-Key", "%q", no)
	}
	for _, yes := range []string{"k", strings.Repeat("é", 255)} {
		_, err := payment.NewKey(5, yes)
		assert.NoError(t, err)
	}
}

func TestPAY09_how_long_a_ticket_can_be_used(t *testing.T) {
	tr := newTrade()
	assert.ErrorIs(t, tr.CheckTicket("a", noon.Add(time.Hour), noon), payment.ErrKeyOver, "there is none")
	begin(t, tr, h5, "a", payment.Send, noon)
	assert.ErrorIs(t, tr.CheckTicket("a", noon.Add(time.Hour), noon), payment.ErrKeyOver, "nor has it come yet")
	tr.Sent("a", ticket, noon)
	ends := noon.Add(payment.MWebLife)
	assert.NoError(t, tr.CheckTicket("a", ends, ends.Add(-1)))
	assert.ErrorIs(t, tr.CheckTicket("a", ends, ends), payment.ErrKeyOver)
	assert.ErrorIs(t, tr.CheckTicket("a", ends.Add(-1), ends.Add(-1)), payment.ErrKeyOver, "the one in question has ended")
	assert.ErrorIs(t, tr.CheckTicket("b", ends, noon), payment.ErrKeyOver)
	tr.Settle(receipt("t", "a"), noon)
	assert.ErrorIs(t, tr.CheckTicket("a", ends, noon), payment.ErrPaid)
}

func TestPAY10_the_journal_says_what_came_in(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.Send, noon)
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
	begin(t, tr, native, "a", payment.Send, noon)
	tr.Settle(receipt("t", "a"), noon)
	assert.NotEqual(t, made, tr.Order)
	assert.Equal(t, made, tr.Order.AsMade())
}
