package bunstore

import (
	"github.com/uptrace/bun"

	"plaza/domain/payment"
	"plaza/domain/user"
)

// The columns look, ends and leased keep the names that older servers know: when to check next,
// when a ticket expires, and when a lease ends.

type orderRow struct {
	bun.BaseModel `bun:"table:orders,alias:o"`
	ID            payment.OrderID `bun:",pk,autoincrement"`
	UserID        user.ID
	Subject       string
	Amount        int64
	Currency      string
	State         payment.State
	Created       dbTime
	Expires       dbTime
	Paid          dbTime
	TransactionID string `bun:",nullzero"`
	NextCheck     dbTime `bun:"look"`
	counted
}

func orderRowOf(o payment.Order) orderRow {
	return orderRow{
		UserID: o.User, Subject: o.Subject, Amount: o.Amount, Currency: o.Currency, State: o.State,
		Created: dbTime{o.Created}, Expires: dbTime{o.Expires}, Paid: dbTime{o.PaidAt}, TransactionID: o.Transaction,
	}
}

func (r orderRow) order() payment.Order {
	return payment.Order{
		ID: r.ID, User: r.UserID, Subject: r.Subject, Amount: r.Amount, Currency: r.Currency, State: r.State,
		Created: r.Created.Time, Expires: r.Expires.Time, PaidAt: r.Paid.Time, Transaction: r.TransactionID,
	}
}

type prepaymentRow struct {
	bun.BaseModel `bun:"table:prepayments,alias:p"`
	OrderID       payment.OrderID
	TradeNo       payment.TradeNo `bun:"out_trade_no,pk"`
	Protocol      payment.Protocol
	EndType       payment.EndType
	App           payment.WalletApp
	OpenID        string
	State         payment.PrepaymentState
	Request       []byte
	PrepayID      string
	CodeURL       string
	MWebURL       string `bun:"mweb_url"`
	Created       dbTime
	Opened        dbTime
	Expires       dbTime `bun:"ends"`
	LeasedUntil   dbTime `bun:"leased"`
}

func prepaymentRowOf(id payment.OrderID, p payment.Prepayment) prepaymentRow {
	return prepaymentRow{
		OrderID: id, TradeNo: p.TradeNo, Protocol: p.Protocol, EndType: p.Intent.EndType, App: p.Intent.App, OpenID: p.Intent.OpenID,
		State: p.State, Request: filled(p.Request),
		PrepayID: p.Ticket.PrepayID, CodeURL: p.Ticket.CodeURL, MWebURL: p.Ticket.MWebURL,
		Created: dbTime{p.Created}, Opened: dbTime{p.Opened}, Expires: dbTime{p.Expires}, LeasedUntil: dbTime{p.LeasedUntil},
	}
}

func (r prepaymentRow) prepayment() payment.Prepayment {
	return payment.Prepayment{
		TradeNo: r.TradeNo, Protocol: r.Protocol, Intent: payment.Intent{EndType: r.EndType, App: r.App, OpenID: r.OpenID},
		State: r.State, Request: r.Request,
		Ticket:  payment.Ticket{PrepayID: r.PrepayID, CodeURL: r.CodeURL, MWebURL: r.MWebURL},
		Created: r.Created.Time, Opened: r.Opened.Time, Expires: r.Expires.Time, LeasedUntil: r.LeasedUntil.Time,
	}
}

type paymentRow struct {
	bun.BaseModel `bun:"table:payments,alias:p"`
	ID            payment.PaymentID `bun:",pk,autoincrement"`
	OrderID       payment.OrderID   `bun:",nullzero"`
	TransactionID string
	TradeNo       payment.TradeNo `bun:"out_trade_no"`
	Protocol      payment.Protocol
	App           payment.WalletApp
	State         payment.PaymentState
	Amount        int64
	Currency      string
	Received      dbTime
	Refunded      int64
	Paid          dbTime
	counted
}

func paymentRowOf(id payment.OrderID, p payment.Payment) paymentRow {
	return paymentRow{
		OrderID: id, TransactionID: p.TransactionID, TradeNo: p.TradeNo, Protocol: p.Protocol, App: p.App, State: p.State,
		Amount: p.Amount, Currency: p.Currency, Received: dbTime{p.Received}, Refunded: p.Refunded,
		Paid: dbTime{p.Paid},
	}
}

func (r paymentRow) payment() payment.Payment {
	return payment.Payment{
		ID: r.ID, Order: r.OrderID, TransactionID: r.TransactionID, TradeNo: r.TradeNo, Protocol: r.Protocol, App: r.App, State: r.State,
		Amount: r.Amount, Currency: r.Currency, Received: r.Received.Time, Refunded: r.Refunded,
		Paid: r.Paid.Time,
	}
}

type entryRow struct {
	bun.BaseModel `bun:"table:journal,alias:j"`
	OrderID       payment.OrderID
	Happened      dbTime
	Noted         payment.Noted
	TradeNo       payment.TradeNo `bun:"out_trade_no"`
	Detail        string
}

func entryRowsOf(id payment.OrderID, entries ...payment.Entry) (rows []entryRow) {
	for _, e := range entries {
		rows = append(rows, entryRow{OrderID: id, Happened: dbTime{e.At}, Noted: e.Noted, TradeNo: e.TradeNo, Detail: e.Detail})
	}
	return rows
}

func (r entryRow) entry() payment.Entry {
	return payment.Entry{At: r.Happened.Time, Noted: r.Noted, TradeNo: r.TradeNo, Detail: r.Detail}
}
