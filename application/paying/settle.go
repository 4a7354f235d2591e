package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// ApplyReceipt stores the payment of the receipt, which came over the protocol, and returns it. Every payment passes
// through it.
func (p *Paying) ApplyReceipt(ctx context.Context, over payment.Protocol, r payment.Receipt) (payment.Payment, error) {
	id, err := p.ledger.OrderOf(ctx, r.TradeNo)
	var stored payment.Payment
	switch {
	case errors.Is(err, payment.ErrNoOrder):
		stored, err = p.ledger.AddUnmatched(ctx, payment.UnmatchedPayment(r, over, p.now()))
	case err == nil:
		err = p.change(ctx, id, func(t *payment.Trade) error {
			stored = t.Settle(r, p.now())
			return nil
		})
	}
	if err == nil && stored.State != payment.Applied && !stored.IsRefunded() {
		p.log(ctx).ErrorContext(ctx, "unapplied payment needs review",
			"state", stored.State, "order", stored.Order, "transaction_id", stored.TransactionID)
	}
	return stored, err
}

// ask queries the wallet for the state of the prepayment and stores it.
func (p *Paying) ask(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	report, err := payment.Ask(ctx, p.gateways, pre.Protocol, p.limits.Call,
		func(ctx context.Context, g payment.Gateway) (payment.Report, error) {
			return g.Query(ctx, pre.Intent.App, pre.TradeNo)
		})
	isAbsent := errors.Is(err, payment.ErrWalletNotFound)
	switch {
	case err != nil && !isAbsent:
		return err
	case report.State == payment.WalletPaid:
		_, err = p.ApplyReceipt(ctx, pre.Protocol, report.Receipt)
		return err
	case report.State == payment.WalletUnpaid && !isAbsent:
		return nil
	}
	return p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		if isAbsent {
			t.RecordAbsent(pre.TradeNo, p.now())
		} else {
			t.RecordReport(pre.TradeNo, report, p.now())
		}
		return nil
	})
}
