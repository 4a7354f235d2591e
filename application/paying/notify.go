package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// Notify records a payment notification that came over the protocol and returns the response to
// it. Notifications may arrive repeatedly and in any order (PAY-10). A forged one changes
// nothing; one that contradicts the order is stored as a dispute and acknowledged. A notification of
// a refund makes the refund due: the wallet is then asked about it (PAY-14). Notify
// fails only if no gateway speaks the protocol.
func (p *Paying) Notify(ctx context.Context, over payment.Protocol, n payment.Notification) (payment.Acknowledgement, error) {
	gateway, err := p.gateways.By(over)
	if err != nil {
		return payment.Acknowledgement{}, err
	}
	err = p.notify(ctx, gateway, n)
	if err != nil {
		p.log(ctx).WarnContext(ctx, "payment notification rejected", "protocol", over, "error", err)
	}
	return gateway.Acknowledge(err == nil), nil
}

func (p *Paying) notify(ctx context.Context, gateway payment.Gateway, n payment.Notification) error {
	notice, err := gateway.Receive(n)
	switch {
	case errors.Is(err, payment.ErrNothingPaid):
		return nil
	case err != nil:
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if notice.Receipt == nil {
		return p.ledger.HastenRefund(ctx, notice.Refund, p.now())
	}
	_, err = p.ApplyReceipt(ctx, gateway.Protocol(), *notice.Receipt)
	return err
}
