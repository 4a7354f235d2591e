package e2e

import (
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
)

// orderShown is what the command line shows.
type orderShown struct {
	State       string
	Transaction *string         `json:"transaction_id"`
	Journal     json.RawMessage `json:"journal"`
}

// promptly ends a program at once; one that looks for races waits a second otherwise.
const promptly = "GORACE=atexit_sleep_ms=0"

// shows runs a command beside the server, and reads what it prints.
func (s *checkout) shows(t *testing.T, into any, args ...string) {
	t.Helper()
	out, errOut, status := run(t, []string{promptly}, append(append(args, "--json"), s.store...)...)
	require.Zero(t, status, errOut)
	require.NoError(t, json.Unmarshal([]byte(out), into), out)
}

// longestPause is the longest between two attempts of the wallet to notify.
const longestPause = 6 * time.Hour / timeScale

// settles waits until the wallet has nothing more to tell and the server knows of
// everything that is paid or returned, and compares the ledgers. There may be no orders but those of the checkout.
func (s *checkout) settles(t *testing.T) {
	t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	end := time.After(patience + 2*longestPause)
	for open := s.unsettled(t); len(open) > 0; open = s.unsettled(t) {
		if len(s.wallet.Refunds())+len(s.refundRequests) > 0 {
			s.end(t, ledger.RefundSucceeded)
			s.refundsGrowOld(t)
		}
		select {
		case <-again.C:
		case <-end:
			require.Fail(t, "it never settles", "%s\n%s", strings.Join(open, "\n"), s.now.saysBesides("msg=request "))
		}
	}
	s.compare(t)
	s.staysSecret(t)
}

// unsettled is what the wallet has still to tell, and the server to hear.
func (s *checkout) unsettled(t *testing.T) (open []string) {
	t.Helper()
	c := newCaller(s.now.url)
	defer c.client.CloseIdleConnections()
	for _, p := range s.orders {
		var order struct{ Data orderShown }
		read(t, c, p.payer.key, fmt.Sprintf("/api/pay/order/%d/", p.id), &order)
		if p.isOver && order.Data.State == "open" {
			open = append(open, fmt.Sprintf("order %d is over", p.id))
		}
		for _, trade := range s.trades(p) {
			if trade.State == ledger.Success && order.Data.State == "open" {
				open = append(open, fmt.Sprintf("order %d is paid by %s", p.id, trade.TransactionID))
			}
			if !trade.Next.IsZero() && !s.isDeaf {
				open = append(open, fmt.Sprintf("trade %s is told after %v", trade.OutTradeNo, time.Until(trade.Next)))
			}
		}
	}
	return append(open, s.unreturned(t, c)...)
}

// reconciled is what the command that compares a bill prints.
type reconciled struct {
	OK       bool
	Repaired int
	Findings []any
}

// reconciles compares the wallet's bill of the day with our ledger.
func (s *checkout) reconciles(t *testing.T, day payment.Day) (r reconciled) {
	t.Helper()
	args := append([]string{"order", "reconcile", "--json", "--day=" + day.String()}, s.settings...)
	out, errOut, status := run(t, nil, append(append(args, s.store...), "--wallet-timeout=10s")...)
	assert.Zero(t, status, errOut)
	require.NoError(t, json.Unmarshal([]byte(out), &r), "%s%s", out, errOut)
	return r
}

// compare asserts that our ledger is the wallet's: the bills of its days agree, and each order is paid if the wallet has its money once.
func (s *checkout) compare(t *testing.T) {
	t.Helper()
	days := map[payment.Day]bool{}
	for _, trade := range s.wallet.Trades() {
		if trade.State == ledger.Success {
			days[payment.DayOf(trade.Paid)] = true
		}
	}
	for _, r := range s.wallet.Refunds() {
		days[payment.DayOf(r.Created)] = true
	}
	assert.NotEmpty(t, days)
	s.wallet.Behave() // its bills are right
	for day := range days {
		r := s.reconciles(t, day)
		assert.True(t, r.OK && r.Repaired == 0 && len(r.Findings) == 0, "%+v", r)
	}
	for _, order := range s.orders {
		s.compareOrder(t, order)
	}
	s.compareRefunds(t)
}

func (s *checkout) compareOrder(t *testing.T, p *purchase) {
	t.Helper()
	var order orderShown
	s.shows(t, &order, "order", "show", fmt.Sprint(p.id))
	assertNoSecret(t, string(order.Journal), s)
	paid, payable := 0, 0
	trades := s.trades(p)
	for _, trade := range trades {
		switch trade.State {
		case ledger.Success:
			paid++
			assert.Equal(t, order.Transaction, &trade.TransactionID)
		case ledger.NotPaid:
			payable++
		}
	}
	said := fmt.Sprintf("%s\n%+v", order.Journal, trades)
	assert.LessOrEqual(t, paid+payable, 1, "it is or could be charged twice: %s", said)
	want := "open"
	switch {
	case paid > 0:
		want = "paid"
	case p.isOver:
		want = "closed"
		assert.Zero(t, payable, said)
	}
	assert.Equal(t, want, order.State, said)
}

// compareRefunds asserts that the wallet has each refund that was taken, and no other, once.
func (s *checkout) compareRefunds(t *testing.T) {
	t.Helper()
	times := map[string]int{}
	for _, r := range s.wallet.Refunds() {
		times[r.Reason]++
	}
	for _, b := range s.refundRequests {
		assert.LessOrEqual(t, times[b.reason], 1, "ordered twice: %+v", b)
		assert.False(t, b.isTaken.Load() && times[b.reason] == 0, "lost: %+v", b)
		delete(times, b.reason)
	}
	assert.Empty(t, times, "no member of the staff has wanted them")
}

// saysBesides is the log without the lines that have the word.
func (r *running) saysBesides(word string) string {
	var b strings.Builder
	for line := range strings.Lines(r.log.String()) {
		if !strings.Contains(line, word) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// staysSecret asserts that no server has logged a secret, or anything that an operator would have to look at, but for the reviews.
func (s *checkout) staysSecret(t *testing.T) {
	t.Helper()
	for _, r := range s.servers {
		assertNoSecret(t, r.log.String(), s)
		r.assertSilentOn(t, "DATA RACE", "panic")
		for line := range strings.Lines(r.log.String()) {
			isReview := slices.ContainsFunc(s.reviews, func(of string) bool { return strings.Contains(line, of) })
			assert.False(t, strings.Contains(line, "level=ERROR") && !isReview, line)
		}
	}
}

func assertNoSecret(t *testing.T, text string, s *checkout) {
	t.Helper()
	secrets := []string{walletKey, walletKeyV3, "PRIVATE KEY", payerInWallet, "sign=", "<sign>", "&key=", s.staff}
	for _, p := range s.payers {
		secrets = append(secrets, p.key)
	}
	for line := range strings.Lines(text) {
		for _, secret := range secrets {
			assert.NotContains(t, line, secret)
		}
	}
}

// isMade has the order made, again and again while its key is in use.
func (s *checkout) isMade(t *testing.T, p *purchase) {
	t.Helper()
	until(t, func() bool {
		a := p.make(s.now, s.staff)
		require.Contains(t, append(passing, http.StatusCreated), a.status, a.body)
		return a.status == http.StatusCreated
	})
}

// growsOld lets as much time pass at the wallet as it wants to before it closes anything.
func (s *checkout) growsOld() { s.ahead.Add(int64(minClosable)) }

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

// walletKeyV3 is the key of version 3.
const walletKeyV3 = "cups0and0a0silver0tea0and0kettle"

// merchantPair returns the merchant's private key as PEM, and the certificate that the wallet knows it by.
func merchantPair(t *testing.T) (private string, certificate *x509.Certificate) {
	t.Helper()
	const made = "../../adapters/wallet/sandbox/testdata/v3/merchant"
	key, err := os.ReadFile(made + ".pem")
	require.NoError(t, err)
	text, err := os.ReadFile(made + "-cert.pem")
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	certificate, err = x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	return string(key), certificate
}
