package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

// orderShown, and so on, are what the command line shows.
type orderShown struct {
	ID          int64
	User        int64
	Subject     string
	Amount      int64
	State       string
	Transaction *string         `json:"transaction_id"`
	Journal     json.RawMessage `json:"journal"`
}

type paymentShown struct {
	ID          int64
	Order       *int64
	Transaction string `json:"transaction_id"`
	State       string
	Amount      int64
	Currency    string
	Refunded    int64
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
// everything that is paid or returned, and compares the ledgers. There may be no orders but these.
func (s *checkout) settles(t *testing.T, orders ...*purchase) {
	t.Helper()
	s.agrees(t, orders...)
	s.staysSecret(t)
}

// agrees is settles without a look at the logs.
func (s *checkout) agrees(t *testing.T, orders ...*purchase) {
	t.Helper()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	end := time.After(patience + 2*longestPause)
	for open := s.unsettled(t, orders); len(open) > 0; open = s.unsettled(t, orders) {
		if len(s.wallet.Refunds())+len(s.refundRequests) > 0 {
			s.end(t, sandbox.RefundSucceeded)
			s.refundsGrowOld(t)
		}
		select {
		case <-again.C:
		case <-end:
			require.Fail(t, "it never settles", "%s\n%s", strings.Join(open, "\n"), s.now.saysBesides("msg=request "))
		}
	}
	s.compare(t, orders)
}

// unsettled is what the wallet has still to tell, and the server to hear.
func (s *checkout) unsettled(t *testing.T, orders []*purchase) (open []string) {
	t.Helper()
	c := newCaller(s.now.url)
	defer c.client.CloseIdleConnections()
	for _, p := range orders {
		var order struct{ Data orderShown }
		read(t, c, p.payer.key, fmt.Sprintf("/api/pay/order/%d/", p.id), &order)
		if p.isOver && order.Data.State == "open" {
			open = append(open, fmt.Sprintf("order %d is over", p.id))
		}
		for _, trade := range s.trades(p) {
			if trade.State == sandbox.Success && order.Data.State == "open" {
				open = append(open, fmt.Sprintf("order %d is paid by %s", p.id, trade.TransactionID))
			}
			if !trade.Next.IsZero() && !s.isDeaf {
				open = append(open, fmt.Sprintf("trade %s is told after %v", trade.OutTradeNo, time.Until(trade.Next)))
			}
		}
	}
	return append(open, s.unreturned(t, c)...)
}

// compare asserts that our ledger is the wallet's.
func (s *checkout) compare(t *testing.T, orders []*purchase) {
	t.Helper()
	var payments []paymentShown
	s.shows(t, &payments, "order", "payments")
	trades := s.wallet.Ledger()
	s.compareOrders(t, orders)
	came := map[string]paymentShown{}
	for _, p := range payments {
		assert.NotContains(t, came, p.Transaction, "counted twice")
		assert.Contains(t, []string{"applied", "refund_due"}, p.State, "%+v", p)
		came[p.Transaction] = p
	}
	for _, trade := range trades {
		if trade.State != sandbox.Success {
			continue
		}
		ours, there := came[trade.TransactionID]
		if assert.True(t, there, "money that we don't know of: %+v", trade) {
			assert.Equal(t, trade.Amount, ours.Amount)
			assert.Equal(t, trade.Currency, ours.Currency)
		}
		delete(came, trade.TransactionID)
	}
	assert.Empty(t, came, "money that the wallet has not got")
	for _, order := range orders {
		s.compareOrder(t, order, payments)
	}
	s.compareRefunds(t, payments)
}

// compareOrders asserts that there are the orders that were wanted, each once.
func (s *checkout) compareOrders(t *testing.T, orders []*purchase) {
	t.Helper()
	want, got := map[int64]orderShown{}, map[int64]orderShown{}
	for _, p := range orders {
		want[p.id] = orderShown{ID: p.id, User: p.payer.uid, Subject: p.subject, Amount: p.amount}
	}
	for _, p := range s.payers {
		var shown []orderShown
		s.shows(t, &shown, "order", "list", fmt.Sprint("--user=", p.uid))
		for _, o := range shown {
			o.State, o.Transaction = "", nil
			got[o.ID] = o
		}
	}
	assert.Len(t, want, len(orders), "each has its own")
	assert.Equal(t, want, got)
}

func (s *checkout) compareOrder(t *testing.T, p *purchase, payments []paymentShown) {
	t.Helper()
	var order orderShown
	s.shows(t, &order, "order", "show", fmt.Sprint(p.id))
	assertNoSecret(t, string(order.Journal), s)
	received, applied := 0, 0
	for _, came := range payments {
		if came.Order == nil || *came.Order != p.id {
			continue
		}
		received++
		if came.State == "applied" {
			applied++
			assert.Equal(t, p.amount, came.Amount)
			if assert.NotNil(t, order.Transaction) {
				assert.Equal(t, came.Transaction, *order.Transaction)
			}
		}
	}
	paid, payable := 0, 0
	trades := s.trades(p)
	for _, trade := range trades {
		switch trade.State {
		case sandbox.Success:
			paid++
		case sandbox.NotPaid:
			payable++
		}
	}
	said := fmt.Sprintf("%s\n%+v", order.Journal, trades)
	assert.Equal(t, paid, received, said)
	assert.LessOrEqual(t, paid, 1, "it is charged twice: %s", said)
	assert.LessOrEqual(t, paid+payable, 1, "it could be charged twice: %s", said)
	want := "open"
	switch {
	case p.isInVain:
		want = "closed"
		assert.Zero(t, applied, said)
	case paid > 0:
		want = "paid"
	case p.isOver:
		want = "closed"
		assert.Zero(t, payable, said)
	}
	assert.True(t, p.isInVain || applied == paid, said)
	assert.Equal(t, want, order.State, said)
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

// staysSecret asserts that no server has logged a secret, or anything that
// an operator would have to look at, but for the reviews.
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

// agreesWithBills asserts that the wallet's bills of the days of its payments and refunds agree with our ledger.
func (s *checkout) agreesWithBills(t *testing.T) {
	t.Helper()
	days := map[payment.Day]bool{}
	for _, trade := range s.wallet.Ledger() {
		if trade.State == sandbox.Success {
			days[payment.DayOf(trade.Paid)] = true
		}
	}
	for _, r := range s.wallet.Refunds() {
		days[payment.DayOf(r.Created)] = true
	}
	s.wallet.Behave()
	for day := range days {
		r, errOut, status := s.reconciles(t, day.String())
		assert.Zero(t, status, errOut)
		assert.Equal(t, reconciled{OK: true, Payments: r.Payments, Refunds: r.Refunds, Findings: r.Findings}, r)
		assert.Empty(t, r.Findings)
	}
	var findings struct{ Data []any }
	c := newCaller(s.now.url)
	defer c.client.CloseIdleConnections()
	read(t, c, s.staff, "/api/pay-admin/v1/finding/", &findings)
	assert.Empty(t, findings.Data)
	assert.NotEmpty(t, days)
}

// growsOld lets as much time pass at the wallet as it wants to before it closes anything.
func (s *checkout) growsOld() { s.ahead.Add(int64(minClosable)) }
