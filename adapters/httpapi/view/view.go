// Package view has what the back office and the command line show alike of orders and payments, as JSON.
package view

import (
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/audit"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// OrNull returns nil, written as null, for the zero value.
func OrNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// OrNever returns nil, written as null, for the zero time.
func OrNever(at time.Time) *transport.Timestamp {
	return transport.Optional(transport.Timestamp(at), !at.IsZero())
}

// Order is an order for its payer (PAY-12).
type Order struct {
	ID          payment.OrderID      `json:"id"`
	Subject     string               `json:"subject"`
	Amount      int64                `json:"amount"`
	Currency    string               `json:"currency"`
	State       payment.State        `json:"state"`
	Created     transport.Timestamp  `json:"created_at"`
	Expires     transport.Timestamp  `json:"expires_at"`
	Paid        *transport.Timestamp `json:"paid_at"`
	Transaction *string              `json:"transaction_id"`
}

// OfOrder returns the order for its payer.
func OfOrder(o payment.Order) Order {
	return Order{
		ID: o.ID, Subject: o.Subject, Amount: o.Amount, Currency: o.Currency, State: o.State,
		Created: transport.Timestamp(o.Created), Expires: transport.Timestamp(o.Expires),
		Paid: OrNever(o.PaidAt), Transaction: OrNull(o.Transaction),
	}
}

// StaffOrder is an order of any user (PAY-11).
type StaffOrder struct {
	Order
	User user.ID `json:"user"`
}

func OfStaffOrder(o payment.Order) StaffOrder { return StaffOrder{OfOrder(o), o.User} }

// Payment is a received payment (PAY-11).
type Payment struct {
	ID          payment.PaymentID    `json:"id"`
	Order       *payment.OrderID     `json:"order"`
	Transaction string               `json:"transaction_id"`
	State       payment.PaymentState `json:"state"`
	Amount      int64                `json:"amount"`
	Currency    string               `json:"currency"`
	Received    transport.Timestamp  `json:"received_at"`
	Refunded    int64                `json:"refunded"`
	User        *user.ID             `json:"user"`    // who the order is for
	Subject     *string              `json:"subject"` // of the order
}

// OfPayment returns the payment with what its order says.
func OfPayment(p payment.Received) Payment {
	return Payment{
		ID: p.ID, Order: OrNull(p.Order), Transaction: p.TransactionID, State: p.State,
		Amount: p.Amount, Currency: p.Currency, Received: transport.Timestamp(p.Received), Refunded: p.Refunded,
		User: transport.Optional(p.For.User, p.For.ID != 0), Subject: transport.Optional(p.For.Subject, p.For.ID != 0),
	}
}

// Refund is a refund (PAY-14).
type Refund struct {
	ID       payment.RefundID    `json:"id"`
	Payment  payment.PaymentID   `json:"payment"`
	Amount   int64               `json:"amount"`
	Currency string              `json:"currency"`
	Reason   string              `json:"reason"`
	State    payment.RefundState `json:"state"`
	WalletID *string             `json:"wallet_refund_id"`
	Created  transport.Timestamp `json:"created_at"`
	Updated  transport.Timestamp `json:"updated_at"`
}

func OfRefund(r payment.Refund) Refund {
	return Refund{
		ID: r.ID, Payment: r.Payment, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason, State: r.State,
		WalletID: OrNull(r.WalletID), Created: transport.Timestamp(r.Created), Updated: transport.Timestamp(r.Updated),
	}
}

// Finding is a difference between a bill of the wallet and the ledger (PAY-15).
type Finding struct {
	ID          payment.FindingID    `json:"id"`
	Day         string               `json:"day"`
	Kind        payment.FindingKind  `json:"kind"`
	Transaction string               `json:"transaction_id"`
	Order       *payment.OrderID     `json:"order"`
	Expected    *string              `json:"expected"`
	Found       *string              `json:"found"`
	Resolved    *transport.Timestamp `json:"resolved_at"`
}

func OfFinding(f payment.Finding) Finding {
	return Finding{
		ID: f.ID, Day: f.Day.String(), Kind: f.Kind, Transaction: f.TransactionID, Order: OrNull(f.Order),
		Expected: OrNull(f.Expected.String()), Found: OrNull(f.Found.String()), Resolved: OrNever(f.Resolved),
	}
}

// Act is an act of staff (OFF-01).
type Act struct {
	ID       audit.ID            `json:"id"`
	At       transport.Timestamp `json:"at"`
	By       any                 `json:"by"` // a uid, or the name of a person at the command line
	Act      audit.Act           `json:"act"`
	Object   audit.Kind          `json:"object"`
	ObjectID *string             `json:"object_id"`
	Reason   string              `json:"reason"`
}

func OfAct(r audit.Record) Act {
	return Act{r.ID, transport.Timestamp(r.At), r.By.Name(), r.Act, r.Object.Kind, OrNull(r.Object.ID), r.Reason}
}
