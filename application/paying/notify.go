package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// Acknowledgement is the response to a notification from the wallet.
type Acknowledgement struct {
	Body      []byte
	MediaType string
}

// Notify records a payment notification from the wallet and returns the response to it.
// Notifications may arrive repeatedly and in any order (PAY-10). A forged one changes
// nothing; one that contradicts the order is stored as a dispute and acknowledged. Notify
// fails only if no wallet is configured.
func (p *Paying) Notify(ctx context.Context, notification []byte) (Acknowledgement, error) {
	if p.gateway == nil {
		return Acknowledgement{}, payment.ErrNoWallet
	}
	err := p.notify(ctx, notification)
	if err != nil {
		p.log(ctx).WarnContext(ctx, "payment notification rejected", "error", err)
	}
	body, mediaType := p.gateway.Acknowledge(err == nil)
	return Acknowledgement{body, mediaType}, nil
}

func (p *Paying) notify(ctx context.Context, notification []byte) error {
	receipt, err := p.gateway.Receive(notification)
	switch {
	case errors.Is(err, payment.ErrNothingPaid):
		return nil
	case err != nil:
		return err
	}
	return p.applyReceipt(context.WithoutCancel(ctx), receipt)
}
