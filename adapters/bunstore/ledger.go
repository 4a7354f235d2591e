package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger is the store as payment.Ledger.
type Ledger struct{ s *Store }

// Ledger returns the store's orders.
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
	Created       moment
	Expires       moment
	Paid          moment
	TransactionID string `bun:",nullzero"`
}

func orderRowOf(o payment.Order) orderRow {
	return orderRow{
		UserID: o.User, Subject: o.Subject, Amount: o.Amount, Currency: o.Currency, State: o.State,
		Created: moment{o.Created}, Expires: moment{o.Expires}, Paid: moment{o.PaidAt}, TransactionID: o.Transaction,
	}
}

func (r orderRow) order() payment.Order {
	return payment.Order{
		ID: r.ID, User: r.UserID, Subject: r.Subject, Amount: r.Amount, Currency: r.Currency, State: r.State,
		Created: r.Created.Time, Expires: r.Expires.Time, PaidAt: r.Paid.Time, Transaction: r.TransactionID,
	}
}

func (v Ledger) AddOrder(ctx context.Context, o payment.Order) (payment.Order, error) {
	err := v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		row := orderRowOf(o)
		_, err := tx.NewInsert().Model(&row).Exec(ctx)
		o.ID = row.ID
		return err
	})
	if err != nil {
		return payment.Order{}, err
	}
	return o, nil
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	var row orderRow
	err := v.s.read(ctx, func(ctx context.Context) error {
		return orNone(v.s.reader.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx), payment.ErrNoOrder)
	})
	if err != nil {
		return payment.Order{}, err
	}
	return row.order(), nil
}

func (v Ledger) OrdersOf(ctx context.Context, id user.ID, state payment.State) (orders []payment.Order, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		var rows []orderRow
		if err := v.s.reader.NewSelect().Model(&rows).Where("user_id = ? AND state = ?", id, state).
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
