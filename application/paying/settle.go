package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// applyReceipt is the one way for money to come in.
func (p *Paying) applyReceipt(ctx context.Context, r payment.Receipt) error {
	id, err := p.ledger.OrderOf(ctx, r.TradeNo)
	var came payment.Payment
	switch {
	case errors.Is(err, payment.ErrNoOrder):
		came, err = p.ledger.AddUnmatched(ctx, payment.UnmatchedPayment(r, p.now()))
	case err == nil:
		err = p.ledger.Change(ctx, id, func(t *payment.Trade) error {
			came = t.Settle(r, p.now())
			t.ScheduleCheck(p.limits.Interval, p.now())
			return nil
		})
	}
	if err == nil && came.State != payment.Applied {
		p.log(ctx).ErrorContext(ctx, "money came in that somebody must look after",
			"state", came.State, "order", came.Order, "transaction_id", came.TransactionID)
	}
	return err
}

// ask has the wallet say what has become of the prepayment, and takes that in.
func (p *Paying) ask(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	report, err := p.query(ctx, pre)
	isAbsent := errors.Is(err, payment.ErrWalletNotFound)
	switch {
	case err != nil && !isAbsent:
		return err
	case report.State == payment.WalletPaid:
		return p.applyReceipt(ctx, report.Receipt)
	case report.State == payment.WalletUnpaid && !isAbsent:
		return nil
	}
	return p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		if isAbsent {
			t.Absent(pre.TradeNo, p.now())
		} else {
			t.Reported(pre.TradeNo, report, p.now())
		}
		return nil
	})
}

func (p *Paying) query(ctx context.Context, pre payment.Prepayment) (payment.Report, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limits.Call)
	defer cancel()
	return p.gateway.Query(ctx, pre.Intent.App, pre.TradeNo)
}
