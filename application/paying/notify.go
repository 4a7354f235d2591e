package paying

import (
	"context"
	"errors"
	"time"

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
		p.logRejected(ctx, over, err)
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

// forgeryInterval is the least time between two lines of the log about forged notifications over one
// protocol. Every client can send any number of them.
const forgeryInterval = time.Minute

// forgeries counts the forged notifications over a protocol since the last line about them.
type forgeries struct {
	unlogged int
	logged   time.Time
}

// logRejected logs why a notification was rejected: of forged ones the first in a minute, with how many
// came since the line before.
func (p *Paying) logRejected(ctx context.Context, over payment.Protocol, err error) {
	attrs := []any{"protocol", over, "error", err}
	if errors.Is(err, payment.ErrForged) {
		unlogged, logs := p.countForged(over)
		if !logs {
			return
		}
		attrs = append(attrs, "unlogged", unlogged)
	}
	p.log(ctx).WarnContext(ctx, "payment notification rejected", attrs...)
}

// countForged counts a forged notification, and reports whether to log it and how many before it were not.
func (p *Paying) countForged(over payment.Protocol) (unlogged int, logs bool) {
	p.forgedMu.Lock()
	defer p.forgedMu.Unlock()
	f, now := p.forged[over], p.now()
	if !f.logged.IsZero() && now.Sub(f.logged).Abs() < forgeryInterval {
		f.unlogged++
		p.forged[over] = f
		return 0, false
	}
	p.forged[over] = forgeries{logged: now}
	return f.unlogged, true
}
