package money_test

import (
	"context"
	"maps"
	"sync"

	"plaza/domain/payment"
)

// refundingWallet is a gateway with its wallet, for refunds alone. Tests set its next results.
type refundingWallet struct {
	payment.Gateway
	protocol payment.Protocol

	mu      sync.Mutex
	refunds map[payment.RefundNo]payment.RefundReport
	calls   map[string]int // by operation
	before  error          // the next Refund fails with it, without an effect
	after   error          // the next Refund fails with it, after it has taken effect
	hidden  bool           // QueryRefund does not know any refund yet
	sent    []payment.RefundRequest
}

func newRefundingWallet(p payment.Protocol) *refundingWallet {
	return &refundingWallet{protocol: p, refunds: map[payment.RefundNo]payment.RefundReport{}, calls: map[string]int{}}
}

func (w *refundingWallet) Protocol() payment.Protocol { return w.protocol }

func (w *refundingWallet) Refund(_ context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
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
			No: r.No, WalletID: "W" + string(r.No), TransactionID: r.TransactionID, State: payment.RefundProcessing, Amount: r.Amount,
			Currency: r.Currency,
		}
	}
	return w.refunds[r.No], after
}

func (w *refundingWallet) QueryRefund(_ context.Context, _ payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["query"]++
	r, known := w.refunds[no]
	if !known || w.hidden {
		return payment.RefundReport{}, payment.ErrRefundNotFound
	}
	return r, nil
}

// ends lets every refund that is processing end.
func (w *refundingWallet) ends(s payment.RefundState) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for no, r := range w.refunds {
		if r.State == payment.RefundProcessing {
			r.State = s
			w.refunds[no] = r
		}
	}
}

func (w *refundingWallet) ledger() map[payment.RefundNo]payment.RefundReport {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.refunds)
}

func (w *refundingWallet) asked(operation string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[operation]
}
