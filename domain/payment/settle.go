package payment

import (
	"cmp"
	"fmt"
	"time"

	"plaza/domain/instant"
)

// PaymentState is what became of the money that came in.
type PaymentState string

// The verdicts.
const (
	Applied   PaymentState = "applied"    // the order is paid by it
	RefundDue PaymentState = "refund_due" // nothing is left to pay: it must go back
	Disputed  PaymentState = "disputed"   // the wallet says something else than we do
)

// PaymentStates returns every verdict.
func PaymentStates() []PaymentState { return []PaymentState{Applied, RefundDue, Disputed} }

// PaymentID numbers payments.
type PaymentID int64

// Payment is money that came in. It is never dropped, and never counted twice.
type Payment struct {
	ID            PaymentID
	Order         OrderID // zero: nobody knows what it is for
	TransactionID string
	TradeNo       TradeNo
	State         PaymentState
	Amount        int64
	Currency      string
	Received      time.Time
}

// UnmatchedPayment is the payment of a receipt whose number nobody knows.
func UnmatchedPayment(r Receipt, now time.Time) Payment {
	return Payment{
		TransactionID: r.TransactionID, TradeNo: r.TradeNo, State: Disputed,
		Amount: r.Amount, Currency: r.Currency, Received: instant.Normalise(now),
	}
}

// Settle takes in a receipt, any number of times and in any order, and returns the
// payment that it is (PAY-10). It is the only way for an order to be paid. A dispute ends
// when a receipt of the same transaction says what we do.
func (t *Trade) Settle(r Receipt, now time.Time) Payment {
	p := t.prepayment(r.TradeNo)
	known := t.payment(r.TransactionID)
	if known != nil && (known.State != Disputed || !t.agrees(p, r) || r.Refunded && p.State == Settled) {
		return *known
	}
	if known == nil {
		stray := UnmatchedPayment(r, now)
		stray.Order = t.Order.ID
		t.Payments = append(t.Payments, stray)
		known = &t.Payments[len(t.Payments)-1]
	}
	switch {
	case !t.agrees(p, r):
		t.noteMoney(now, NotedDisputed, r)
		return *known
	case r.Refunded: // nobody here has asked for that
		p.State, p.LeasedUntil = Settled, time.Time{}
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

// noteMoney notes what came in as the wallet has it.
func (t *Trade) noteMoney(now time.Time, what Noted, r Receipt) {
	detail := fmt.Sprintf("%s: %d %s by %s", r.TransactionID, r.Amount, r.Currency, cmp.Or(r.App, "an unknown application"))
	if r.Refunded {
		detail += ", given back by the wallet"
	}
	t.Entries = append(t.Entries, Entry{At: instant.Normalise(now), Noted: what, TradeNo: r.TradeNo, Detail: detail})
}

// agrees says whether the receipt says what was asked for.
func (t *Trade) agrees(p *Prepayment, r Receipt) bool {
	return p != nil && p.Intent.App == r.App && t.Order.Amount == r.Amount && t.Order.Currency == r.Currency
}

func (t *Trade) payment(transaction string) *Payment {
	for n := range t.Payments {
		if t.Payments[n].TransactionID == transaction {
			return &t.Payments[n]
		}
	}
	return nil
}
