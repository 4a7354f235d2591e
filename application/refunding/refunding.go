// Package refunding holds the use cases of refunds: ordering and listing them, and following them at the
// wallet until their outcome is known (PAY-14).
//
// A refund is stored with its number before the wallet is called, and the wallet is never called inside a
// change of the ledger. After a crash anywhere, Follow asks the wallet about the number, and sends the same
// request again only when the wallet does not know it. So money moves at most once for each refund.
//
// Its tests are those of test/usecases/money whose files begin with its name.
package refunding

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/text"
)

// Limits are the timeouts and intervals of refunding.
type Limits struct {
	// Call is how long the wallet may take to answer, retries included.
	Call time.Duration
	// Interval is the shortest time between two queries about a refund.
	Interval time.Duration
	// Automatic: payments that are refund_due and were never refunded are refunded without an order of staff.
	Automatic bool
}

// lease is how long one server continues a refund. It is longer than the two calls of the wallet that this may
// take. A server that takes longer still does no harm: requests to the wallet are idempotent.
func (l Limits) lease() time.Duration { return 4 * l.Call }

// Refunding implements the use cases.
type Refunding struct {
	ledger   payment.Ledger
	gateways payment.Gateways
	limits   Limits
	now      func() time.Time
	log      func(context.Context) *slog.Logger
}

// New returns the use cases over the ports; now returns the time, and log the logger of a context. Without a
// gateway, orders of refunds fail with ErrNoWallet.
func New(
	ledger payment.Ledger, gateways payment.Gateways, l Limits, now func() time.Time, log func(context.Context) *slog.Logger,
) *Refunding {
	return &Refunding{ledger: ledger, gateways: gateways, limits: l, now: now, log: log}
}

// Request orders a refund and sends it to the wallet. It returns the refund, which is processing unless the
// wallet has told its outcome at once. If the wallet gives no answer, Follow continues. If the wallet refuses it,
// Request returns the cause; the refund is stored as closed. Repeating the request with the same key
// returns the refund as it is by then. k may be nil. readErr has the problems of a body that could not be read.
func (r *Refunding) Request(ctx context.Context, d payment.RefundDraft, k *idempotency.Key, readErr error) (payment.Refund, error) {
	if err := fault.Merge(readErr, d.Check()); err != nil {
		return payment.Refund{}, err
	}
	audit.Because(ctx, text.Line(d.Reason))
	return idempotency.Once(ctx, r.ledger, k, r.now(), idempotency.Lease, func(a idempotency.Answer) (payment.Refund, error) {
		return r.ledger.Refund(ctx, payment.RefundID(a.ID))
	}, func() (payment.Refund, error) { return r.request(ctx, d, k) })
}

func (r *Refunding) request(ctx context.Context, d payment.RefundDraft, k *idempotency.Key) (payment.Refund, error) {
	now, no := r.now(), newRefundNo(d.Payment)
	var sending payment.RefundSending
	var isSent bool
	account, err := r.ledger.ChangeRefunds(ctx, d.Payment, func(a *payment.RefundAccount) error {
		if _, err := r.gateways.By(a.Payment.Protocol); err != nil {
			return err
		}
		a.Completes = k
		if err := a.Request(d, no, now); err != nil {
			return err
		}
		sending, isSent = a.BeginSending(no, r.limits.lease(), now)
		return nil
	})
	if err != nil {
		return payment.Refund{}, err
	}
	if isSent {
		if account, err = r.send(ctx, account.Payment, sending); err != nil {
			return payment.Refund{}, err
		}
	}
	return account.ByNo(no)
}

// newRefundNo returns a random number: unguessable, and unique across servers. It begins with the payment's
// id, so that people find the payment from what the wallet shows and reports.
func newRefundNo(id payment.PaymentID) payment.RefundNo {
	return payment.RefundNo(fmt.Sprintf("refund-%d-%s", id, rand.Text()))
}

// send sends the request to the wallet and stores the answer even if the client has gone away. It fails if the
// wallet has refused the refund, which is closed then.
func (r *Refunding) send(ctx context.Context, p payment.Payment, s payment.RefundSending) (payment.RefundAccount, error) {
	ctx = context.WithoutCancel(ctx)
	report, cause := payment.Ask(ctx, r.gateways, p.Protocol, r.limits.Call,
		func(ctx context.Context, g payment.Gateway) (payment.RefundReport, error) {
			return g.Refund(ctx, s.RefundRequest)
		})
	if cause != nil {
		r.log(ctx).WarnContext(ctx, "wallet did not confirm a refund", "payment", p.ID, "out_refund_no", s.No, "error", cause)
	}
	var refusal error
	account, err := r.ledger.ChangeRefunds(ctx, p.ID, func(a *payment.RefundAccount) error {
		if cause == nil {
			a.RecordReport(s.No, report, r.limits.Interval, r.now())
		} else {
			refusal = a.RecordFailure(s, cause, r.limits.Interval, r.now())
		}
		return nil
	})
	if err != nil {
		return account, errors.Join(err, cause)
	}
	r.logAbnormal(ctx, account, s.No)
	return account, refusal
}

// logAbnormal logs that staff must look at the refund.
func (r *Refunding) logAbnormal(ctx context.Context, a payment.RefundAccount, no payment.RefundNo) {
	if refund, err := a.ByNo(no); err == nil && refund.State == payment.RefundAbnormal {
		r.log(ctx).ErrorContext(ctx, "abnormal refund needs review", "refund", refund.ID, "payment", refund.Payment, "out_refund_no", no)
	}
}

// Refunds returns a page of the refunds that the filter selects, the newest first.
func (r *Refunding) Refunds(ctx context.Context, f payment.RefundFilter, p page.Request) (page.Page[payment.Refund], error) {
	return r.ledger.Refunds(ctx, f, p)
}
