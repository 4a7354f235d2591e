// Package reconciling holds the use cases of the wallet's daily bills: comparing a bill with the ledger line by line, and
// settling what differs (PAY-15).
//
// A comparison may be repeated, and may run on several servers at once: what is found is stored once. It ends by resolving
// what was found before and does not differ any more. If it is interrupted, nothing is resolved, and the next one finds the
// same.
//
// Its tests are those of test/usecases/money whose files begin with its name.
package reconciling

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// BatchSize is how many lines or entries are compared at once.
const BatchSize = 500

// Bounds of the comparisons that servers begin by themselves.
const (
	// leaseLife is how long no other server begins the comparison of a day. After a failure it is tried again then.
	leaseLife = 30 * time.Minute
	// catchUpDays is how many days back bills are compared that were not compared in time.
	catchUpDays = 3
)

// Apply stores the payment of a receipt that came over the protocol, as for any receipt, and returns it.
type Apply func(ctx context.Context, over payment.Protocol, r payment.Receipt) (payment.Payment, error)

// Reconciling implements the use cases.
type Reconciling struct {
	ledger   payment.Ledger
	gateways payment.Gateways
	apply    Apply
	now      func() time.Time
	log      func(context.Context) *slog.Logger
}

// New returns the use cases over the ports; apply takes in payments that only a bill has, now returns the time, and log the
// logger of a context. Without a gateway, comparisons fail with ErrNoWallet.
func New(
	ledger payment.Ledger, gateways payment.Gateways, apply Apply, now func() time.Time, log func(context.Context) *slog.Logger,
) *Reconciling {
	return &Reconciling{ledger: ledger, gateways: gateways, apply: apply, now: now, log: log}
}

// Result counts what a comparison has found.
type Result struct {
	Day      payment.Day
	Payments int // lines of the bill
	Refunds  int // lines of the bill
	Findings int // differences, repaired ones included
	Repaired int // payments that only the bill had, and that the ledger has now
	// Unapplied are those of Repaired that pay no order: staff must look after the money.
	Unapplied int
}

// Open returns how many differences remain.
func (r Result) Open() int { return r.Findings - r.Repaired }

// Reconcile compares the bill of the day with the ledger. Every gateway is of the same merchant, so any of them has the
// whole bill. Reconcile returns ErrBillNotReady while the wallet has not made it.
func (r *Reconciling) Reconcile(ctx context.Context, d payment.Day) (Result, error) {
	gateway := r.gateways.Current
	if gateway == nil {
		return Result{}, payment.ErrNoWallet
	}
	began := r.now()
	if from, _ := d.Bounds(); began.Before(from) {
		return Result{}, fault.Field("day", "This day is in the future.")
	}
	run := run{Reconciling: r, gateway: gateway, began: began, result: Result{Day: d}}
	if err := run.compareBill(ctx); err != nil {
		return run.result, fmt.Errorf("bill of %s: %w", d, err)
	}
	if err := run.compareLedger(ctx); err != nil {
		return run.result, fmt.Errorf("bill of %s: %w", d, err)
	}
	if err := r.ledger.EndReconciliation(ctx, d, began, r.now()); err != nil {
		return run.result, err
	}
	if n := run.result.Open(); n > 0 {
		r.log(ctx).ErrorContext(ctx, "bill differs from the ledger and needs review", "day", d, "findings", n)
	}
	return run.result, nil
}

// ReconcileDue compares the bills of the last days that no server has compared, once the wallet has made them. It does
// nothing without a wallet. It returns the joined errors.
func (r *Reconciling) ReconcileDue(ctx context.Context) error {
	if r.gateways.Current == nil {
		return nil
	}
	var failures error
	d := payment.LastBilled(r.now())
	for range catchUpDays {
		now := r.now()
		isMine, err := r.ledger.ClaimReconciliation(ctx, d, now, now.Add(leaseLife))
		if isMine {
			var result Result
			result, err = r.Reconcile(ctx, d)
			if err == nil {
				r.log(ctx).InfoContext(ctx, "bill compared", "day", d, "payments", result.Payments, "refunds", result.Refunds,
					"findings", result.Findings, "repaired", result.Repaired)
			}
		}
		if err != nil && !errors.Is(err, payment.ErrBillNotReady) { // which comes later
			failures = errors.Join(failures, err)
		}
		d = d.Before()
	}
	return failures
}

// Settle makes an open finding settled, or returns payment.ErrNoOpenFinding. It stays so in later comparisons that find the same.
func (r *Reconciling) Settle(ctx context.Context, id payment.FindingID) error {
	return r.ledger.SettleFinding(ctx, id, r.now())
}
