package money_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"plaza/domain/payment"
	"plaza/test/usecases"
)

// payingWallet is a wallet with its gateway, without refunds. Tests set its next results.
type payingWallet struct {
	payment.Gateway
	protocol payment.Protocol

	mu     sync.Mutex
	trades map[payment.TradeNo]*walletTrade
	calls  map[string]int // by operation
	young  bool           // Close fails with ErrWalletNotClosed
	next   map[string]error
	hold   chan struct{} // Prepare waits until it is closed; nil: no wait
	held   chan struct{} // receives when Prepare waits
	asking func()        // is called before Query answers; nil: nothing
}

type walletTrade struct {
	Order  payment.Order
	Intent payment.Intent
	No     payment.TradeNo
	state  payment.WalletState
}

func newPayingWallet() *payingWallet {
	return &payingWallet{protocol: payment.Protocol("v2"), trades: map[payment.TradeNo]*walletTrade{}, calls: map[string]int{},
		next: map[string]error{}}
}

// fails makes the next call of the operation return err after it has taken effect.
func (w *payingWallet) fails(operation string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next[operation] = err
}

func (w *payingWallet) asked(operation string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[operation]
}

// end counts the call and returns the error set by fails. The caller must hold the lock.
func (w *payingWallet) end(operation string) error {
	w.calls[operation]++
	err := w.next[operation]
	delete(w.next, operation)
	return err
}

func (w *payingWallet) Protocol() payment.Protocol { return w.protocol }

func (w *payingWallet) BuildRequest(o payment.Order, i payment.Intent, no payment.TradeNo) ([]byte, error) {
	return json.Marshal(walletTrade{Order: o, Intent: i, No: no})
}

func (w *payingWallet) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
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

func (w *payingWallet) Query(_ context.Context, _ payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
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

func (w *payingWallet) Close(_ context.Context, _ payment.WalletApp, no payment.TradeNo) error {
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

func (w *payingWallet) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["params"]++
	nonce := fmt.Sprint(w.calls["params"])
	return payment.ClientParams{EndType: i.EndType, PrepayID: t.PrepayID, Nonce: nonce, Timestamp: now.Unix()}, nil
}

func (w *payingWallet) Receive(n payment.Notification) (payment.Notice, error) {
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

func (w *payingWallet) Acknowledge(taken bool) payment.Acknowledgement {
	return payment.Acknowledgement{Status: 200, Body: fmt.Append(nil, taken), MediaType: "text/plain"}
}

func receiptOfTrade(t *walletTrade) payment.Receipt {
	return payment.Receipt{
		TransactionID: "t-" + string(t.No), TradeNo: t.No, App: t.Intent.App,
		Amount: t.Order.Amount, Currency: t.Order.Currency, Paid: usecases.Noon,
	}
}

// pays pays the only payable trade and returns the notification.
func (w *payingWallet) pays() []byte {
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
