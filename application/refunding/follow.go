package refunding

import (
	"context"
	"errors"
	"fmt"

	"plaza/domain/payment"
)

// FollowBatch is the largest number of refunds in a batch.
const FollowBatch = 32

// followConcurrency is how many refunds are followed at the same time. Wallets allow few requests for refunds
// a second.
const followConcurrency = 4

// Follow continues a batch of due refunds. It returns the size of the batch and the joined errors of those that
// failed. Several servers may call it at the same time: a refund is given to one of them at a time. There must
// be a wallet.
func (r *Refunding) Follow(ctx context.Context) (int, error) {
	next := max(r.limits.Interval, FollowBatch/followConcurrency*r.limits.lease())
	due, err := r.ledger.DueRefunds(ctx, r.now(), r.now().Add(next), FollowBatch)
	if err != nil {
		return 0, err
	}
	return len(due), payment.Each(due, followConcurrency, func(refund payment.Refund) error {
		if err := r.follow(ctx, refund); err != nil {
			return fmt.Errorf("refund %d: %w", refund.ID, err)
		}
		return nil
	})
}

// follow asks the wallet about a refund that was sent. It sends one that was not, or that the wallet does not know
// a while after it was sent.
func (r *Refunding) follow(ctx context.Context, refund payment.Refund) error {
	if !refund.Sent.IsZero() {
		known, err := r.ask(ctx, refund)
		if known || err != nil || !refund.IsSendable(r.now()) {
			return err
		}
	}
	var sending payment.RefundSending
	var isSent bool
	account, err := r.ledger.ChangeRefunds(ctx, refund.Payment, func(a *payment.RefundAccount) error {
		sending, isSent = a.BeginSending(refund.No, r.limits.lease(), r.now())
		return nil
	})
	if err != nil || !isSent {
		return err
	}
	_, err = r.send(ctx, account.Payment, sending)
	return err
}

// ask queries the wallet for the refund and stores the report. It returns false if the wallet does not know the
// refund.
func (r *Refunding) ask(ctx context.Context, refund payment.Refund) (known bool, err error) {
	paid, err := r.ledger.ChangeRefunds(ctx, refund.Payment, func(*payment.RefundAccount) error { return nil })
	if err != nil {
		return false, err
	}
	report, err := payment.Ask(ctx, r.gateways, paid.Payment.Protocol, r.limits.Call,
		func(ctx context.Context, g payment.Gateway) (payment.RefundReport, error) {
			return g.QueryRefund(ctx, paid.App, refund.No)
		})
	known = !errors.Is(err, payment.ErrRefundNotFound)
	if known && err != nil {
		return false, err
	}
	account, err := r.ledger.ChangeRefunds(context.WithoutCancel(ctx), refund.Payment, func(a *payment.RefundAccount) error {
		if known {
			a.RecordReport(refund.No, report, r.limits.Interval, r.now())
		} else {
			a.RecordUnknown(refund.No, r.limits.Interval, r.now())
		}
		return nil
	})
	if err == nil && refund.State != payment.RefundAbnormal {
		r.logAbnormal(ctx, account, refund.No)
	}
	return known, err
}

// RefundDue orders refunds of a batch of payments that are refund_due and have no refund. It does nothing unless
// that is configured. A payment is tried once: after a refund that was closed, staff decides. It returns
// the size of the batch and the joined errors.
func (r *Refunding) RefundDue(ctx context.Context) (int, error) {
	if !r.limits.Automatic {
		return 0, nil
	}
	ids, err := r.ledger.Unrefunded(ctx, r.gateways.Protocols(), FollowBatch) // others would come before them for good
	if err != nil {
		return 0, err
	}
	var failures error
	for _, id := range ids {
		_, err := r.request(ctx, payment.RefundDraft{Payment: id, Reason: automaticReason, Origin: payment.RefundByAutomatic}, nil)
		if err != nil && !errors.Is(err, payment.ErrNothingLeft) { // else another server has just done so
			failures = errors.Join(failures, fmt.Errorf("payment %d: %w", id, err))
		}
	}
	if failures != nil { // the same payments would come again
		return 0, failures
	}
	return len(ids), nil
}

// automaticReason is the reason of automatic refunds, for the payer.
const automaticReason = "This order needed no further payment."
