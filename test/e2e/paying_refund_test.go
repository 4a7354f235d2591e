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

	"plaza/adapters/wallet/sandbox/ledger"
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

// paymentOf waits for the payment of the order.
func (s *checkout) paymentOf(t *testing.T, p *purchase) (id int64) {
	t.Helper()
	c := newCaller(s.now.url)
	defer c.client.CloseIdleConnections()
	until(t, func() bool {
		var list struct {
			Data []struct {
				ID    int64
				Order *int64
			}
		}
		read(t, c, s.staff, paymentsPath+"?page_size=100", &list)
		for _, came := range list.Data {
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
func (s *checkout) end(t *testing.T, as ledger.RefundState) {
	t.Helper()
	for _, r := range s.wallet.Refunds() {
		if r.State == ledger.RefundProcessing {
			assert.NoError(t, s.wallet.EndRefund(r.No, as))
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

// stateAt returns the state of the order, as its payer sees it; empty: the server has not answered.
func (p *purchase) stateAt(r *running) string {
	var order struct{ Data orderShown }
	_ = json.Unmarshal([]byte(ask(r, p.payer.key, http.MethodGet, fmt.Sprintf("/api/pay/order/%d/", p.id), nil, nil).body), &order)
	return order.Data.State
}

type refundShown struct {
	ID       int64
	State    string
	WalletID *string `json:"wallet_refund_id"`
}

// refundStates are our names of the wallet's states.
var refundStates = map[ledger.RefundState]string{
	ledger.RefundProcessing: "processing", ledger.RefundSucceeded: "succeeded", ledger.RefundClosed: "closed",
	ledger.RefundAbnormal: "abnormal",
}

// unreturned is what the wallet has still to tell of refunds, and the server to hear.
func (s *checkout) unreturned(t *testing.T, c caller) (open []string) {
	t.Helper()
	theirs := map[string]ledger.Refund{}
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
