package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// Acknowledgement is what the wallet is answered to a notification.
type Acknowledgement struct {
	Body      []byte
	MediaType string
}

// Notify takes in what the wallet tells us by itself, any number of times and in any
// order (PAY-10), and returns what to answer. A forged notification changes nothing; one
// that disagrees is acknowledged once it is stored as a dispute. It fails only without a
// wallet.
func (p *Paying) Notify(ctx context.Context, notification []byte) (Acknowledgement, error) {
	if p.gateway == nil {
		return Acknowledgement{}, payment.ErrNoWallet
	}
	err := p.notified(ctx, notification)
	if err != nil {
		p.log(ctx).WarnContext(ctx, "a notification of the wallet was not taken", "error", err)
	}
	body, mediaType := p.gateway.Acknowledge(err == nil)
	return Acknowledgement{body, mediaType}, nil
}

func (p *Paying) notified(ctx context.Context, notification []byte) error {
	receipt, err := p.gateway.Receive(notification)
	switch {
	case errors.Is(err, payment.ErrNothingPaid):
		return nil
	case err != nil:
		return err
	}
	return p.applyReceipt(context.WithoutCancel(ctx), receipt)
}
