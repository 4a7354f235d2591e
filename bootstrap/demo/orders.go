package demo

import (
	"context"
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
