package money_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"time"

	"plaza/domain/payment"
	"plaza/test/usecases"
)

// testWallet is a wallet with its gateway. Tests set its next results.
type testWallet struct {
	protocol payment.Protocol
	denies   error // what it answers to every Prepare, and does nothing; nil: it does what it is asked

	mu      sync.Mutex
	calls   map[string]int // by operation
	trades  map[payment.TradeNo]*walletTrade
	young   bool // Close fails with ErrWalletNotClosed
	next    map[string]error
	hold    chan struct{} // Prepare waits until it is closed; nil: no wait
	held    chan struct{} // receives when Prepare waits
	asking  func()        // is called before Query answers; nil: nothing
	refunds map[payment.RefundNo]payment.RefundReport
	before  error // the next Refund fails with it, without an effect
	after   error // the next Refund fails with it, after it has taken effect
	hidden  bool  // QueryRefund does not know any refund yet
	sent    []payment.RefundRequest
	bills   map[payment.Day][]payment.BillLine
	billErr error         // of the next Bill, after half of its lines
	days    []payment.Day // whose bills were asked for
}

func newWallet(p payment.Protocol) *testWallet {
	return &testWallet{
		protocol: p, calls: map[string]int{}, trades: map[payment.TradeNo]*walletTrade{}, next: map[string]error{},
		refunds: map[payment.RefundNo]payment.RefundReport{}, bills: map[payment.Day][]payment.BillLine{},
	}
}

type walletTrade struct {
	Order    payment.Order
	Intent   payment.Intent
	No       payment.TradeNo
	state    payment.WalletState
	refunded bool
}

// fails makes the next call of the operation return err after it has taken effect.
func (w *testWallet) fails(operation string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next[operation] = err
}

func (w *testWallet) asked(operation string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[operation]
}

// end counts the call and returns the error set by fails. The caller must hold the lock.
func (w *testWallet) end(operation string) error {
	w.calls[operation]++
	err := w.next[operation]
	delete(w.next, operation)
	return err
}

func (w *testWallet) Protocol() payment.Protocol { return w.protocol }

func (w *testWallet) BuildRequest(o payment.Order, i payment.Intent, no payment.TradeNo, _ netip.Addr) ([]byte, error) {
	return json.Marshal(walletTrade{Order: o, Intent: i, No: no})
}

func (w *testWallet) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	w.mu.Lock()
	hold, held := w.hold, w.held
	w.mu.Unlock()
	if hold != nil {
		held <- struct{}{}
		select {
		case <-hold:
		case <-ctx.Done():
			return payment.Ticket{}, fmt.Errorf("%w: %w", payment.ErrWalletTimeout, ctx.Err())
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var t walletTrade
	if err := json.Unmarshal(request, &t); err != nil {
		return payment.Ticket{}, err
	}
	if w.denies != nil {
		return payment.Ticket{}, w.denies
	}
	known, is := w.trades[t.No]
	switch {
	case is && known.state == payment.WalletPaid:
		return payment.Ticket{}, payment.ErrWalletPaid
	case is && known.state == payment.WalletClosed:
		return payment.Ticket{}, payment.ErrWalletClosed
	case !is:
		w.trades[t.No] = &t
	}
	return payment.Ticket{PrepayID: "prepaid-" + string(t.No)}, w.end("prepare")
}

func (w *testWallet) Query(_ context.Context, _ payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	if w.asking != nil {
		w.asking()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.end("query"); err != nil {
		return payment.Report{}, err
	}
	t, is := w.trades[no]
	if !is {
		return payment.Report{}, payment.ErrWalletNotFound
	}
	r := payment.Report{State: t.state}
	if t.state == payment.WalletPaid {
		r.Receipt = receiptOfTrade(t)
	}
	return r, nil
}

func (w *testWallet) Close(_ context.Context, _ payment.WalletApp, no payment.TradeNo) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	t, is := w.trades[no]
	switch {
	case !is:
		return payment.ErrWalletNotFound
	case t.state == payment.WalletPaid:
		return payment.ErrWalletPaid
	case w.young:
		return payment.ErrWalletNotClosed
	}
	t.state = payment.WalletClosed
	return w.end("close")
}

func (w *testWallet) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["params"]++
	nonce := fmt.Sprint(w.calls["params"])
	return payment.ClientParams{EndType: i.EndType, PrepayID: t.PrepayID, Nonce: nonce, Timestamp: now.Unix()}, nil
}

func (w *testWallet) Receive(n payment.Notification) (payment.Notice, error) {
	var r payment.Receipt
	switch err := json.Unmarshal(n.Body, &r); {
	case strings.HasPrefix(string(n.Body), "refund-"):
		return payment.Notice{Refund: payment.RefundNo(n.Body)}, nil
	case string(n.Body) == "failed":
		return payment.Notice{}, payment.ErrNothingPaid
	case err != nil:
		return payment.Notice{}, payment.ErrForged
	}
	return payment.Notice{Receipt: &r}, nil
}

func (w *testWallet) Acknowledge(taken bool) payment.Acknowledgement {
	return payment.Acknowledgement{Status: 200, Body: fmt.Append(nil, taken), MediaType: "text/plain"}
}

func receiptOfTrade(t *walletTrade) payment.Receipt {
	return payment.Receipt{
		TransactionID: "t-" + string(t.No), TradeNo: t.No, App: t.Intent.App,
		Amount: t.Order.Amount, Currency: t.Order.Currency, Paid: usecases.Noon, Refunded: t.refunded,
	}
}

// pays pays the only payable trade and returns the notification.
func (w *testWallet) pays() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.trades {
		if t.state == payment.WalletUnpaid {
			t.state = payment.WalletPaid
			said, _ := json.Marshal(receiptOfTrade(t))
			return said
		}
	}
	return nil
}

func (w *testWallet) Refund(_ context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["refund"]++
	w.sent = append(w.sent, r)
	before, after := w.before, w.after
	w.before, w.after = nil, nil
	if before != nil {
		return payment.RefundReport{}, before
	}
	if _, known := w.refunds[r.No]; !known {
		w.refunds[r.No] = payment.RefundReport{
			No: r.No, WalletID: "W" + string(r.No), TransactionID: r.TransactionID, State: payment.RefundProcessing,
			Amount: r.Amount, Currency: r.Currency,
		}
	}
	return w.refunds[r.No], after
}

func (w *testWallet) QueryRefund(_ context.Context, _ payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["refund query"]++
	r, known := w.refunds[no]
	if !known || w.hidden {
		return payment.RefundReport{}, payment.ErrRefundNotFound
	}
	return r, nil
}

// ends lets every refund that is processing end.
func (w *testWallet) ends(s payment.RefundState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for no, r := range w.refunds {
		if r.State == payment.RefundProcessing {
			r.State = s
			w.refunds[no] = r
		}
	}
}

func (w *testWallet) ledger() map[payment.RefundNo]payment.RefundReport {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.refunds)
}

func (w *testWallet) Bill(_ context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	w.days = append(w.days, d)
	lines, err := w.bills[d], w.billErr
	if w.billErr = nil; err != nil {
		lines = lines[:len(lines)/2]
	}
	for _, l := range lines {
		if err := fn(l); err != nil {
			return err
		}
	}
	return err
}
