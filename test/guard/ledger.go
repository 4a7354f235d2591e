package guard

import (
	"context"
	"time"

	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

type guardedLedger struct {
	payment.Ledger
	*guard
}

func (v guardedLedger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	v.check()
	return v.Ledger.AddOrder(ctx, o, k)
}

func (v guardedLedger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	v.check()
	return v.Ledger.Order(ctx, id)
}

func (v guardedLedger) OpenOrders(ctx context.Context, id user.ID) ([]payment.Order, error) {
	v.check()
	return v.Ledger.OpenOrders(ctx, id)
}

func (v guardedLedger) Orders(ctx context.Context, id user.ID, s payment.State, p page.Request) (page.Page[payment.Order], error) {
	v.check()
	return v.Ledger.Orders(ctx, id, s, p)
}

func (v guardedLedger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	v.check()
	return v.Ledger.Change(ctx, id, guarded(v.guard, fn))
}

func (v guardedLedger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	v.check()
	return v.Ledger.OrderOf(ctx, no)
}

func (v guardedLedger) AddUnmatched(ctx context.Context, p payment.Payment) (payment.Payment, error) {
	v.check()
	return v.Ledger.AddUnmatched(ctx, p)
}

func (v guardedLedger) ChangeRefunds(ctx context.Context, id payment.PaymentID, fn func(*payment.RefundAccount) error) (payment.RefundAccount, error) {
	v.check()
	return v.Ledger.ChangeRefunds(ctx, id, guarded(v.guard, fn))
}

func (v guardedLedger) Refund(ctx context.Context, id payment.RefundID) (payment.Refund, error) {
	v.check()
	return v.Ledger.Refund(ctx, id)
}

func (v guardedLedger) Refunds(ctx context.Context, f payment.RefundFilter, p page.Request) (page.Page[payment.Refund], error) {
	v.check()
	return v.Ledger.Refunds(ctx, f, p)
}

func (v guardedLedger) DueRefunds(ctx context.Context, now, next time.Time, limit int) ([]payment.Refund, error) {
	v.check()
	return v.Ledger.DueRefunds(ctx, now, next, limit)
}

func (v guardedLedger) HastenRefund(ctx context.Context, no payment.RefundNo, now time.Time) error {
	v.check()
	return v.Ledger.HastenRefund(ctx, no, now)
}

func (v guardedLedger) Unrefunded(ctx context.Context, limit int) ([]payment.PaymentID, error) {
	v.check()
	return v.Ledger.Unrefunded(ctx, limit)
}

func (v guardedLedger) Due(ctx context.Context, now, next time.Time, limit int) ([]payment.OrderID, error) {
	v.check()
	return v.Ledger.Due(ctx, now, next, limit)
}

func (v guardedLedger) Payments(ctx context.Context, s payment.PaymentState, p page.Request) (page.Page[payment.Payment], error) {
	v.check()
	return v.Ledger.Payments(ctx, s, p)
}

func (v guardedLedger) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	v.check()
	return v.Ledger.Journal(ctx, id)
}

func (v guardedLedger) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	v.check()
	return v.Ledger.Reserve(ctx, k, now, until)
}

func (v guardedLedger) Release(ctx context.Context, k idempotency.Key) error {
	v.check()
	return v.Ledger.Release(ctx, k)
}

type guardedKeys struct {
	idempotency.Keys
	*guard
}

func (v guardedKeys) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	v.check()
	return v.Keys.Reserve(ctx, k, now, until)
}

func (v guardedKeys) Release(ctx context.Context, k idempotency.Key) error {
	v.check()
	return v.Keys.Release(ctx, k)
}
