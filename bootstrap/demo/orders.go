package demo

import (
	"context"
	"errors"
	"time"

	"plaza/domain/access"
	"plaza/domain/payment"
)

// demoOrder is an order. A paid one has the wallet's transaction id.
type demoOrder struct {
	of      handle
	at      string
	subject string
	amount  int64  // fen
	paid    string // when; empty: it is open
	number  string
}

// demoOrders gives yuan one open order, so that a payment need not name it, and qing several, so
// that it must. Ines has none.
var demoOrders = []demoOrder{
	{of: yuan, at: "2026-10-20 10:00", subject: "线上陶艺课，一次", amount: 9900, paid: "2026-10-20 10:03", number: "DEMO-20261020-0001"},
	{of: yuan, at: "2026-11-18 20:00", subject: "植物月历 2027", amount: 4990},
	{of: qing, at: "2026-11-05 12:00", subject: "旧书《木构图说》", amount: 12800, paid: "2026-11-05 12:01", number: "DEMO-20261105-0001"},
	{of: qing, at: "2026-11-12 09:00", subject: "激光测距仪租用，三天", amount: 18000},
	{of: qing, at: "2026-11-16 21:00", subject: "猫粮，两公斤", amount: 8850},
	{of: qing, at: "2026-11-19 08:30", subject: "手绘屋顶明信片，一套", amount: 990},
}

// openUntil is far in the future, so that open orders stay open.
var openUntil = time.Date(2036, 12, 31, 0, 0, 0, 0, time.UTC)

// addOrder plans that the order is created and paid.
func (p *plan) addOrder(b demoOrder) {
	paid := p.instant(b.of, b.at)
	if b.paid != "" {
		paid = p.instant(b.of, b.paid)
	}
	created := p.instant(b.of, b.at)
	p.add(paid, b.of, "orders "+b.subject, func(ctx context.Context, s *replay, actor access.Actor) error {
		o := payment.NewOrder(actor.ID, b.subject, b.amount, openUntil.Sub(created), created)
		if b.paid != "" {
			o.State, o.PaidAt, o.Transaction = payment.Paid, paid, b.number
		}
		_, err := s.ports.Ledger.AddOrder(ctx, o, nil)
		return err
	})
}

// twice is an order that was paid by two prepayments: the wallet did not answer the request of the first one, and said later
// that it does not know it.
type twice struct {
	of       handle
	at       string
	subject  string
	amount   int64 // fen
	payments [2]WalletPayment
}

// walletProtocol is that of the sandbox which the server starts for the demo data.
const walletProtocol payment.Protocol = "v2"

// WalletPayment is a payment as the wallet has it.
type WalletPayment struct {
	TradeNo       payment.TradeNo
	TransactionID string
	Subject       string
	Amount        int64 // fen
	Opened, Paid  time.Time
}

// Steps of an order that was paid twice, from the order on.
const (
	absentAfter = 6 * time.Minute // the wallet does not know the first prepayment
	secondAfter = 7 * time.Minute // the second one is opened
	paidAfter   = 8 * time.Minute // the second one is paid
	againAfter  = 20 * time.Minute
)

// paidTwice is the order of which staff have to refund a payment.
var paidTwice = twice{
	of: camille, at: "2026-11-20 09:00", subject: "Stage de pain au levain, une matinée", amount: 6500,
	payments: [2]WalletPayment{
		{TradeNo: "demo-20261120-1", TransactionID: "4200202611200000000000000001"},
		{TradeNo: "demo-20261120-2", TransactionID: "4200202611200000000000000002"},
	},
}

// WalletPayments returns the payments of the demo data that a wallet sandbox must know, so that it refunds them.
func WalletPayments() ([]WalletPayment, error) {
	people, err := people()
	if err != nil {
		return nil, err
	}
	p := &plan{zones: map[handle]*time.Location{}, joined: map[handle]time.Time{}}
	for _, someone := range people {
		p.joins(someone)
	}
	payments := paidTwice.atWallet(p.instant(paidTwice.of, paidTwice.at))
	return payments[:], errors.Join(p.wrong...)
}

// atWallet returns the payments of the order that was made then.
func (b twice) atWallet(ordered time.Time) [2]WalletPayment {
	all := b.payments
	for i, after := range [][2]time.Duration{{0, againAfter}, {secondAfter, paidAfter}} {
		all[i].Subject, all[i].Amount, all[i].Opened, all[i].Paid = b.subject, b.amount, ordered.Add(after[0]), ordered.Add(after[1])
	}
	return all
}

// paysTwice plans that the order is created and paid twice.
func (p *plan) paysTwice(b twice) {
	at := p.instant(b.of, b.at)
	p.add(at.Add(againAfter), b.of, "pays twice for "+b.subject, func(ctx context.Context, s *replay, actor access.Actor) error {
		o, err := s.ports.Ledger.AddOrder(ctx, payment.NewOrder(actor.ID, b.subject, b.amount, openUntil.Sub(at), at), nil)
		if err != nil {
			return err
		}
		return s.ports.Ledger.Change(ctx, o.ID, func(t *payment.Trade) error { return payTwice(t, b.atWallet(at), at) })
	})
}

func payTwice(t *payment.Trade, payments [2]WalletPayment, at time.Time) error {
	intent := payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	open := func(p WalletPayment) error {
		_, err := t.Begin(payment.BeginRequest{
			Intent: intent, TradeNo: p.TradeNo, Protocol: walletProtocol, Lease: time.Minute,
			BuildRequest: func(payment.Order, payment.Intent, payment.TradeNo) ([]byte, error) {
				return []byte("sent already"), nil
			},
		}, p.Opened)
		return err
	}
	settle := func(p WalletPayment) {
		t.Settle(payment.Receipt{
			TransactionID: p.TransactionID, TradeNo: p.TradeNo, App: intent.App, Amount: p.Amount, Currency: t.Order.Currency, Paid: p.Paid,
		}, p.Paid)
	}
	first, second := payments[0], payments[1]
	if err := open(first); err != nil {
		return err
	}
	t.RecordFailed(first.TradeNo, payment.ErrWalletTimeout, at.Add(time.Minute))
	t.RecordAbsent(first.TradeNo, at.Add(absentAfter))
	if err := open(second); err != nil {
		return err
	}
	t.RecordSent(second.TradeNo, payment.Ticket{PrepayID: "wx" + string(second.TradeNo), CodeURL: "weixin://demo"}, second.Opened)
	settle(second)
	settle(first)
	t.ScheduleCheck(time.Minute, first.Paid)
	return nil
}
