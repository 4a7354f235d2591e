package demo

import (
	"context"
	"net/netip"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/access"
	"plaza/domain/payment"
)

// orderRow is a row of orders.jsonl. A paid one has the wallet's transaction id.
type orderRow struct {
	By          handle `json:"by"`
	At          string `json:"at"` // in the person's time zone
	Subject     string `json:"subject"`
	Amount      int64  `json:"amount"` // fen
	Paid        string `json:"paid"`   // when; empty: it is open
	Transaction string `json:"transaction"`
}

// openUntil is far in the future, so that open orders stay open.
var openUntil = time.Date(2036, 12, 31, 0, 0, 0, 0, time.UTC)

// order plans that the order is created and paid.
func (p *plan) order(r orderRow) error {
	created, err := p.instant(r.By, r.At)
	if err != nil {
		return err
	}
	paid := created
	if r.Paid != "" {
		if paid, err = p.instant(r.By, r.Paid); err != nil {
			return err
		}
	}
	return p.add(paid, r.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		o := payment.NewOrder(actor.ID, r.Subject, r.Amount, openUntil.Sub(created), created)
		if r.Paid != "" {
			o.State, o.PaidAt, o.Transaction = payment.Paid, paid, r.Transaction
		}
		_, err := s.ports.Ledger.AddOrder(ctx, o, nil)
		return err
	})
}

// paidTwice is the table of the orders of which staff have to refund a payment.
const paidTwice = "orders_paid_twice"

// twiceRow is an order that was paid by two prepayments: the wallet did not answer the request of the first one, and said later
// that it does not know it.
type twiceRow struct {
	By      handle     `json:"by"`
	At      string     `json:"at"` // in the person's time zone
	Subject string     `json:"subject"`
	Amount  int64      `json:"amount"` // fen
	First   prepayment `json:"first"`
	Second  prepayment `json:"second"`
}

type prepayment struct {
	TradeNo     string `json:"trade_no"`
	Transaction string `json:"transaction"`
}

// walletProtocol is that of the sandbox which the server starts for the demo data.
const walletProtocol payment.Protocol = "v2"

// Steps of an order that was paid twice, from the order on.
const (
	absentAfter = 6 * time.Minute // the wallet does not know the first prepayment
	secondAfter = 7 * time.Minute // the second one is opened
	paidAfter   = 8 * time.Minute // the second one is paid
	againAfter  = 20 * time.Minute
)

// WalletPayments returns the payments of the demo data that a wallet sandbox must know, so that it refunds them, to the application.
func WalletPayments(app string) ([]ledger.Trade, error) {
	p, err := newPlan(embedded)
	if err != nil {
		return nil, err
	}
	var payments []ledger.Trade
	err = planEach(p, paidTwice, func(b twiceRow) error {
		ordered, err := p.instant(b.By, b.At)
		first, second := b.atWallet(ordered)
		first.AppID, second.AppID = app, app
		payments = append(payments, first, second)
		return err
	})
	return payments, err
}

// atWallet returns the payments of the order that was made then.
func (b twiceRow) atWallet(ordered time.Time) (first, second ledger.Trade) {
	paid := func(by prepayment, opened, paid time.Duration) ledger.Trade {
		return ledger.Trade{
			OutTradeNo: by.TradeNo, TransactionID: by.Transaction, Body: b.Subject, Amount: b.Amount,
			Created: ordered.Add(opened), Paid: ordered.Add(paid),
		}
	}
	return paid(b.First, 0, againAfter), paid(b.Second, secondAfter, paidAfter)
}

// payTwice plans that the order is created and paid twice.
func (p *plan) payTwice(b twiceRow) error {
	at, err := p.instant(b.By, b.At)
	if err != nil {
		return err
	}
	return p.add(at.Add(againAfter), b.By, func(ctx context.Context, s *replay, actor access.Actor) error {
		o, err := s.ports.Ledger.AddOrder(ctx, payment.NewOrder(actor.ID, b.Subject, b.Amount, openUntil.Sub(at), at), nil)
		if err != nil {
			return err
		}
		return s.ports.Ledger.Change(ctx, o.ID, func(t *payment.Trade) error {
			first, second := b.atWallet(at)
			return payTwice(t, first, second, at)
		})
	})
}

func payTwice(t *payment.Trade, first, second ledger.Trade, at time.Time) error {
	intent := payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	open := func(p ledger.Trade) error {
		_, err := t.Begin(payment.BeginRequest{
			Intent: intent, TradeNo: payment.TradeNo(p.OutTradeNo), Protocol: walletProtocol, Lease: time.Minute,
			BuildRequest: func(payment.Order, payment.Intent, payment.TradeNo, netip.Addr) ([]byte, error) {
				return []byte("sent already"), nil
			},
		}, p.Created)
		return err
	}
	settle := func(p ledger.Trade) {
		t.Settle(payment.Receipt{
			TransactionID: p.TransactionID, TradeNo: payment.TradeNo(p.OutTradeNo), App: intent.App, Amount: p.Amount,
			Currency: t.Order.Currency, Paid: p.Paid,
		}, p.Paid)
	}
	if err := open(first); err != nil {
		return err
	}
	t.RecordFailed(payment.TradeNo(first.OutTradeNo), payment.ErrWalletTimeout, at.Add(time.Minute))
	t.RecordAbsent(payment.TradeNo(first.OutTradeNo), at.Add(absentAfter))
	if err := open(second); err != nil {
		return err
	}
	ticket := payment.Ticket{PrepayID: "wx" + second.OutTradeNo, CodeURL: "weixin://demo"}
	t.RecordSent(payment.TradeNo(second.OutTradeNo), ticket, second.Created)
	settle(second)
	settle(first)
	t.ScheduleCheck(time.Minute, first.Paid)
	return nil
}
