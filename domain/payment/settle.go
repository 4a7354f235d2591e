package payment

import (
	"cmp"
	"context"
	"time"

	"plaza/domain/instant"
	"plaza/domain/page"
)

// PaymentState is the state of a received payment.
type PaymentState string

const (
	Applied   PaymentState = "applied"    // it paid the order
	RefundDue PaymentState = "refund_due" // the order needed no payment: it must be refunded
	Disputed  PaymentState = "disputed"   // the receipt does not match the order
)

// PaymentStates returns every state of a payment.
func PaymentStates() []PaymentState { return []PaymentState{Applied, RefundDue, Disputed} }

// PaymentID numbers payments.
type PaymentID int64

// Payment is received money. It is never dropped and never counted twice.
type Payment struct {
	ID            PaymentID
	Order         OrderID // zero: unmatched
	TransactionID string
	TradeNo       TradeNo
	Protocol      Protocol  // of the prepayment; for an unmatched payment, of the receipt
	App           WalletApp // of the receipt; empty: unknown
	State         PaymentState
	Amount        int64
	Currency      string
	Received      time.Time
	Paid          time.Time // by the wallet; zero: a program that did not keep it has stored the payment
	// Refunded is the sum of its refunds that are not closed. Only a RefundAccount changes it.
	Refunded int64
}

// AtCursor returns the place of the payment in its list (GEN-18).
func (p Payment) AtCursor(s page.Span) page.Cursor { return s.Money(p.Received, p.Amount, int64(p.ID)) }

// IsRefunded reports whether nothing of the payment is left.
func (p Payment) IsRefunded() bool { return p.Refunded > 0 && p.Refunded == p.Amount }

// PaidAt returns when the payment was made, or when it was received if that is not known.
func (p Payment) PaidAt() time.Time {
	if p.Paid.IsZero() {
		return p.Received
	}
	return p.Paid
}

// Received is a payment with its order, which is zero if the payment is for none that is known.
type Received struct {
	Payment
	For Order
}

// WithOrders returns the payments with their orders.
func WithOrders(
	ctx context.Context, ordersOf func(context.Context, []OrderID) ([]Order, error), p page.Page[Payment],
) (page.Page[Received], error) {
	var ids []OrderID
	for _, one := range p.Items {
		if one.Order != 0 {
			ids = append(ids, one.Order)
		}
	}
	orders, err := ordersOf(ctx, ids)
	byID := map[OrderID]Order{}
	for _, o := range orders {
		byID[o.ID] = o
	}
	return page.Map(p, func(one Payment) Received { return Received{one, byID[one.Order]} }), err
}

// UnmatchedPayment returns the payment of a receipt whose TradeNo belongs to no order. The receipt
// came over the protocol.
func UnmatchedPayment(r Receipt, p Protocol, now time.Time) Payment {
	return Payment{
		TransactionID: r.TransactionID, TradeNo: r.TradeNo, Protocol: p, App: r.App, State: Disputed,
		Amount: r.Amount, Currency: r.Currency, Received: instant.Normalise(now), Paid: instant.Normalise(r.Paid),
	}
}

// Settle applies a receipt and returns its payment (PAY-10). Receipts may come repeatedly
// and in any order. Only Settle makes an order paid. A dispute ends when a receipt of the
// same transaction matches the order, unless the payment is being refunded, or when the money was given back.
func (t *Trade) Settle(r Receipt, now time.Time) Payment {
	p := t.prepayment(r.TradeNo)
	known := t.payment(r.TransactionID)
	r.Refunded = r.Refunded || known != nil && known.IsRefunded()
	isGivenBack := r.Refunded && p != nil
	switch {
	case known == nil:
		received := UnmatchedPayment(r, "", now)
		received.Order = t.Order.ID
		if p != nil {
			received.Protocol = p.Protocol
		}
		t.Payments = append(t.Payments, received)
		known = &t.Payments[len(t.Payments)-1]
	case known.State != Disputed, isGivenBack && p.State == Settled, !isGivenBack && (known.Refunded > 0 || !t.agrees(p, r)):
		return *known
	}
	switch {
	case isGivenBack: // by another program, or of a dispute: this server refunds only payments that it knows
		p.State, p.LeasedUntil = Settled, time.Time{}
		fallthrough
	case !t.agrees(p, r):
		t.noteMoney(now, NotedDisputed, r)
		return *known
	case t.Order.State == Open:
		known.State = Applied
		t.Order.State, t.Order.PaidAt, t.Order.Transaction = Paid, instant.Normalise(r.Paid), r.TransactionID
		t.noteMoney(now, NotedPaid, r)
	default:
		known.State = RefundDue
		t.noteMoney(now, NotedRefundDue, r)
	}
	known.Amount, known.Currency = r.Amount, r.Currency
	p.State, p.LeasedUntil = Settled, time.Time{}
	return *known
}

// noteMoney adds a journal entry with the data of the receipt.
func (t *Trade) noteMoney(now time.Time, what Noted, r Receipt) {
	detail := Detail{Number: r.TransactionID, Amount: r.Amount, Currency: r.Currency, By: cmp.Or(string(r.App), "an unknown application")}
	if r.Refunded {
		detail.Note = "given back by the wallet"
	}
	t.Entries = append(t.Entries, Entry{At: instant.Normalise(now), Noted: what, TradeNo: r.TradeNo, Detail: detail})
}

// agrees reports whether the receipt matches the prepayment and the order.
func (t *Trade) agrees(p *Prepayment, r Receipt) bool {
	return p != nil && p.Intent.App == r.App && t.Order.Amount == r.Amount && t.Order.Currency == r.Currency
}

func (t *Trade) payment(transaction string) *Payment {
	return find(t.Payments, func(p *Payment) bool { return p.TransactionID == transaction })
}
