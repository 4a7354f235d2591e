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
			s.end(t, ledger.RefundSucceeded)
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
func (s *checkout) compare(t *testing.T, orders []*purchase) {
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
	for _, order := range orders {
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
