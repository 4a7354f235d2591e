package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

const (
	paymentsPath = "/api/pay-admin/v1/payment/"
	refundsPath  = "/api/pay-admin/v1/refund/"
)

// speaksV3 lets servers that start from now on speak version 3, and serve what version 2 has begun.
func (s *checkout) speaksV3() {
	s.settings = append(append([]string{}, s.settingsV3...), "--wallet-v2-key="+walletKey)
}

// refundRequest is a refund that staff wants. Its reason names it.
type refundRequest struct {
	staff   string
	payment int64
	amount  int64 // zero: all that is left
	reason  string
	key     string      // its Idempotency-Key; empty: none
	isTaken atomic.Bool // the server has said so
}

// wantsBack is a refund that the server has not made yet.
func (s *checkout) wantsBack(payment, amount int64, key string) *refundRequest {
	b := &refundRequest{staff: s.staff, payment: payment, amount: amount, reason: fmt.Sprint("Cold tea ", len(s.refundRequests)), key: key}
	s.refundRequests = append(s.refundRequests, b)
	return b
}

// order has the server order the refund. With a key it may be told again.
func (b *refundRequest) order(r *running) reply {
	body := map[string]any{"payment": b.payment, "reason": b.reason}
	if b.amount != 0 {
		body["amount"] = b.amount
	}
	a := tell(r, b.staff, refundsPath, b.key, body)
	if a.status == http.StatusCreated {
		b.isTaken.Store(true)
	}
	return a
}

// isOrdered orders the refund, again and again while its key is in use.
func (s *checkout) isOrdered(t *testing.T, b *refundRequest) reply {
	t.Helper()
	var a reply
	until(t, func() bool {
		a = b.order(s.now)
		require.Contains(t, append(passing, http.StatusCreated), a.status, a.body)
		if a.status != http.StatusCreated {
			s.refundsGrowOld(t)
		}
		return a.status == http.StatusCreated
	})
	return a
}

// newest returns the payments that staff is shown first.
func (s *checkout) newest(t *testing.T) []paymentShown {
	t.Helper()
	c := newCaller(s.now.url)
	defer c.client.CloseIdleConnections()
	var list struct{ Data []paymentShown }
	read(t, c, s.staff, paymentsPath+"?page_size=100", &list)
	return list.Data
}

// paymentOf waits for the payment of the order.
func (s *checkout) paymentOf(t *testing.T, p *purchase) (id int64) {
	t.Helper()
	until(t, func() bool {
		for _, came := range s.newest(t) {
			if came.Order != nil && *came.Order == p.id {
				id = came.ID
			}
		}
		return id != 0
	})
	return id
}

// refundsGrowOld lets the minutes pass that refunds wait for, in the database, because waiting for them would take
// long. Reservations of keys end.
func (s *checkout) refundsGrowOld(t *testing.T) {
	t.Helper()
	s.inDatabase(t, func(db *sql.DB, before any) {
		for _, statement := range []string{
			"UPDATE refunds SET sent = $1 WHERE sent IS NOT NULL",
			"UPDATE refunds SET next_check = $1 WHERE next_check IS NOT NULL",
		} {
			_, err := db.ExecContext(t.Context(), statement, before)
			require.NoError(t, err)
		}
		_, err := db.ExecContext(t.Context(), "UPDATE idempotency_keys SET busy = since WHERE busy IS NOT NULL")
		require.NoError(t, err)
	})
}

// inDatabase calls fn with the database, and with a time of an hour ago as the database stores it.
func (s *checkout) inDatabase(t *testing.T, fn func(db *sql.DB, before any)) {
	t.Helper()
	then := time.Now().Add(-time.Hour)
	driver, source, before := "sqlite", s.file+"?_pragma=busy_timeout(10000)", any(then.UnixMicro())
	if s.databaseProxy != nil {
		driver, source, before = "pgx", s.database, then
	}
	db, err := sql.Open(driver, source)
	if assert.NoError(t, err) {
		defer db.Close()
		fn(db, before)
	}
}

// end lets all refunds that the wallet is processing end.
func (s *checkout) end(t *testing.T, as sandbox.RefundState) {
	t.Helper()
	for _, r := range s.wallet.Refunds() {
		if r.State == sandbox.RefundProcessing {
			assert.NoError(t, s.wallet.RefundOutcome(r.No, as))
		}
	}
}

// isAtWallet waits until the wallet has so many refunds.
func (s *checkout) isAtWallet(t *testing.T, n int) {
	t.Helper()
	until(t, func() bool {
		if len(s.wallet.Refunds()) < n {
			s.refundsGrowOld(t)
		}
		return len(s.wallet.Refunds()) == n
	})
}

// isPaidInVain sells something that is paid when the order is closed: the wallet gets the request for its prepayment
// long after. A server must run, and runs afterwards.
func (s *checkout) isPaidInVain(t *testing.T, n int) *purchase {
	t.Helper()
	p := s.wants(n)
	s.isMade(t, p)
	p.isInVain = true
	late := s.messages.stopAtThe(ordering)
	defer late.free(false)
	answer := make(chan reply, 1)
	go func(r *running) { answer <- p.pay(r, byCode, "") }(s.now)
	late.isReached(t)
	s.messages.forget(late)
	s.isKilled(t)
	<-answer
	s.opens(t)
	s.inDatabase(t, func(db *sql.DB, before any) {
		_, err := db.ExecContext(t.Context(), "UPDATE prepayments SET created = $1 WHERE order_id = $2", before, p.id)
		require.NoError(t, err)
	})
	until(t, func() bool {
		s.isOver(t, p) // again, because the server looks seldom after what is an hour old
		return p.stateAt(s.now) == "closed"
	})
	s.wallet.Behave() // or it might refuse what arrives now
	late.free(true)
	until(t, func() bool { return len(s.trades(p)) > 0 })
	s.isPaid(t, p)
	return p
}

// stateAt returns the state of the order, as its payer sees it; empty: the server has not answered.
func (p *purchase) stateAt(r *running) string {
	var order struct{ Data orderShown }
	_ = json.Unmarshal([]byte(ask(r, p.payer.key, http.MethodGet, fmt.Sprintf("/api/pay/order/%d/", p.id), nil, nil).body), &order)
	return order.Data.State
}

type refundShown struct {
	ID       int64
	Payment  int64
	Amount   int64
	Currency string
	Reason   string
	State    string
	WalletID *string `json:"wallet_refund_id"`
}

// refundStates are our names of the wallet's states.
var refundStates = map[sandbox.RefundState]string{
	sandbox.RefundProcessing: "processing", sandbox.RefundSucceeded: "succeeded", sandbox.RefundClosed: "closed",
	sandbox.RefundAbnormal: "abnormal",
}

// unreturned is what the wallet has still to tell of refunds, and the server to hear.
func (s *checkout) unreturned(t *testing.T, c caller) (open []string) {
	t.Helper()
	theirs := map[string]sandbox.Refund{}
	for _, r := range s.wallet.Refunds() {
		theirs[r.ID] = r
		if !r.Next.IsZero() && !s.isDeaf {
			open = append(open, fmt.Sprintf("refund %s is told after %v", r.No, time.Until(r.Next)))
		}
	}
	for _, ours := range all[refundShown](t, c, s.staff, refundsPath+"?") {
		if ours.State == "processing" || ours.WalletID != nil && refundStates[theirs[*ours.WalletID].State] != ours.State {
			open = append(open, fmt.Sprintf("refund %d is %s", ours.ID, ours.State))
		}
	}
	return open
}

// automaticReason is the reason of the refunds that the server orders by itself.
const automaticReason = "This order needed no further payment."

// refundLine is a line of a ledger.
type refundLine struct {
	transaction      string
	amount           int64
	currency, reason string
	state            string
}

// compareRefunds asserts that our ledger has the wallet's refunds, line by line, and those that were wanted, each once.
func (s *checkout) compareRefunds(t *testing.T, payments []paymentShown) {
	t.Helper()
	var refunds []refundShown
	s.shows(t, &refunds, "order", "refunds")
	theirs, paid := map[string]sandbox.Refund{}, map[int64]paymentShown{}
	for _, r := range s.wallet.Refunds() {
		theirs[r.ID] = r
	}
	for _, p := range payments {
		paid[p.ID] = p
	}
	sums, times := map[int64]int64{}, map[string]int{}
	for _, ours := range refunds {
		times[ours.Reason]++
		if ours.State != "closed" {
			sums[ours.Payment] += ours.Amount
		}
		if ours.WalletID == nil {
			assert.Equal(t, "closed", ours.State, "the wallet has not got it: %+v", ours)
			continue
		}
		r, there := theirs[*ours.WalletID]
		if assert.True(t, there, "the wallet has not got it: %+v", ours) {
			assert.Equal(t, refundLine{r.TransactionID, r.Amount, "CNY", r.Reason, refundStates[r.State]},
				refundLine{paid[ours.Payment].Transaction, ours.Amount, ours.Currency, ours.Reason, ours.State})
		}
		delete(theirs, *ours.WalletID)
	}
	assert.Empty(t, theirs, "money went back that we don't know of")
	for _, p := range payments {
		assert.Equal(t, sums[p.ID], p.Refunded, "%+v", p)
		assert.LessOrEqual(t, p.Refunded, p.Amount, "%+v", p)
	}
	for _, b := range s.refundRequests {
		assert.LessOrEqual(t, times[b.reason], 1, "ordered twice: %+v", b)
		assert.False(t, b.isTaken.Load() && times[b.reason] == 0, "lost: %+v", b)
		delete(times, b.reason)
	}
	delete(times, automaticReason)
	assert.Empty(t, times, "nobody has wanted them")
}
