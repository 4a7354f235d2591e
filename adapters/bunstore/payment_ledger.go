package bunstore

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger implements payment.Ledger.
type Ledger struct{ s *Store }

// Ledger returns the ledger of orders and payments.
func (s *Store) Ledger() Ledger { return Ledger{s} }

var _ payment.Ledger = Ledger{}

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
	Look          dbTime
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

func (v Ledger) codec() rowCodec { return rowCodec{v.s.dialect} }

// transact calls fn in a transaction. The steps that fn returns run with the commit,
// without a round trip of their own.
func (v Ledger) transact(ctx context.Context, fn func(ctx context.Context, tx *transaction) ([]step, error)) error {
	return v.s.call(ctx, func(ctx context.Context) error { return v.s.dialect.transact(ctx, v.s.db, fn) })
}

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *payment.Key) (payment.Order, error) {
	err := v.transact(ctx, func(ctx context.Context, tx *transaction) ([]step, error) {
		row := orderRowOf(o)
		if o.State == payment.Open {
			row.Look = row.Expires
		}
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return nil, err
		}
		o.ID = row.ID
		if k != nil { // separately, so that a miss rolls back the order
			if err := tx.run(ctx, v.answerStep(payment.Answer{Key: *k, Order: o.ID, At: o.Created})); err != nil {
				return nil, err
			}
		}
		return []step{v.entryStep(o.ID, payment.Entry{At: o.Created, Noted: payment.NotedOrdered})}, nil
	})
	switch {
	case errors.Is(err, errMissed):
		return payment.Order{}, payment.ErrKeyInUse
	case err != nil:
		return payment.Order{}, err
	}
	return o, nil
}

func (v Ledger) entryStep(id payment.OrderID, e payment.Entry) step {
	return step{statement: v.s.sql.insertEntry, args: append([]any{int64(id)}, v.codec().entry(e)...)}
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	var row orderRow
	err := v.s.read(ctx, func(ctx context.Context) error {
		return orNotFound(v.s.reader.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx), payment.ErrNoOrder)
	})
	if err != nil {
		return payment.Order{}, err
	}
	return row.order(), nil
}

func (v Ledger) OpenOrders(ctx context.Context, id user.ID) (orders []payment.Order, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		var rows []orderRow
		if err := v.s.reader.NewSelect().Model(&rows).Where("user_id = ? AND state = ?", id, payment.Open).
			Order("created DESC", "id DESC").Scan(ctx); err != nil {
			return err
		}
		orders = nil
		for _, row := range rows {
			orders = append(orders, row.order())
		}
		return nil
	})
	return orders, err
}

func (v Ledger) Orders(ctx context.Context, id user.ID, state payment.State, p page.Request) (page.Page[payment.Order], error) {
	statement, args := v.s.sql.orders, []any{int64(id), int64(p.Size()), int64(p.Offset())}
	if state != "" {
		statement, args = v.s.sql.ordersIn, append(args, string(state))
	}
	var total int
	var orders []payment.Order
	err := v.s.read(ctx, func(ctx context.Context) error {
		orders, total = nil, 0
		return v.s.each(ctx, statement, args, func(scan func(...any) error) error {
			var id payment.OrderID
			one, err := v.codec().scanOrder(scan, &id, []any{&total, &id}, nil)
			orders = append(orders, one)
			return err
		})
	})
	if err != nil {
		return page.Page[payment.Order]{}, err
	}
	return page.Of(p, orders, total)
}

func (v Ledger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	var id int64
	err := v.s.read(ctx, func(ctx context.Context) error {
		return v.s.each(ctx, v.s.sql.orderOf, []any{string(no)}, func(scan func(...any) error) error { return scan(&id) })
	})
	if err == nil && id == 0 {
		err = payment.ErrNoOrder
	}
	return payment.OrderID(id), err
}

func (v Ledger) AddUnmatched(ctx context.Context, p payment.Payment) (stored payment.Payment, err error) {
	p.Order = 0
	err = v.s.writeAll(ctx, []step{
		{statement: v.s.sql.insertUnmatched, args: v.codec().payment(p)},
		{statement: v.s.sql.ofTransaction, args: []any{p.TransactionID}, row: func(scan func(...any) error) (err error) {
			stored, err = v.codec().scanPayment(scan)
			return err
		}},
	})
	if err != nil {
		return payment.Payment{}, err
	}
	return stored, nil
}

// Due skips orders that another caller is changing: their Change sets the next check,
// and Due soon runs again.
func (v Ledger) Due(ctx context.Context, now, next time.Time, limit int) (due []payment.OrderID, err error) {
	now, next = instant.Normalise(now), instant.Normalise(next)
	d := v.s.dialect
	err = v.transact(ctx, func(ctx context.Context, tx *transaction) ([]step, error) {
		due = nil
		err := tx.run(ctx, step{
			statement: v.s.sql.due, args: []any{d.instant(dbTime{now}), int64(max(limit, 0))},
			row: func(scan func(...any) error) error {
				var id int64
				err := scan(&id)
				due = append(due, payment.OrderID(id))
				return err
			},
		})
		if err != nil || len(due) == 0 {
			return nil, err
		}
		return []step{{statement: v.s.sql.putOff, args: []any{d.listOf(numbers(due)), d.instant(dbTime{next})}}}, nil
	})
	if err != nil {
		return nil, err
	}
	return due, nil
}

func (v Ledger) Payments(ctx context.Context, state payment.PaymentState, p page.Request) (page.Page[payment.Payment], error) {
	statement, possible := v.s.sql.page, true
	if state != "" {
		statement, possible = v.s.sql.pageOf[state]
	}
	var total int
	var payments []payment.Payment
	err := v.s.read(ctx, func(ctx context.Context) error {
		payments, total = nil, 0
		if !possible {
			return nil
		}
		return v.s.each(ctx, statement, []any{int64(p.Size()), int64(p.Offset())}, func(scan func(...any) error) error {
			one, err := v.codec().scanPayment(scan, &total)
			payments = append(payments, one)
			return err
		})
	})
	if err != nil {
		return page.Page[payment.Payment]{}, err
	}
	return page.Of(p, payments, total)
}

func (v Ledger) Journal(ctx context.Context, id payment.OrderID) (entries []payment.Entry, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		entries = nil
		return v.s.each(ctx, v.s.sql.journal, []any{int64(id)}, func(scan func(...any) error) error {
			e, err := v.codec().scanEntry(scan)
			entries = append(entries, e)
			return err
		})
	})
	return entries, err
}
