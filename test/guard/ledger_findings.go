package guard

import (
	"context"
	"time"

	"plaza/domain/page"
	"plaza/domain/payment"
)

func (v guardedLedger) EntriesOf(ctx context.Context, lines []payment.BillLine) ([]payment.LedgerEntry, error) {
	v.check()
	return v.Ledger.EntriesOf(ctx, lines)
}

func (v guardedLedger) PaymentsPaid(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	v.check()
	return v.Ledger.PaymentsPaid(ctx, after, until, limit)
}

func (v guardedLedger) RefundsSent(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	v.check()
	return v.Ledger.RefundsSent(ctx, after, until, limit)
}

func (v guardedLedger) StoreFindings(ctx context.Context, began time.Time, all []payment.Finding) error {
	v.check()
	return v.Ledger.StoreFindings(ctx, began, all)
}

func (v guardedLedger) EndReconciliation(ctx context.Context, d payment.Day, began, now time.Time) error {
	v.check()
	return v.Ledger.EndReconciliation(ctx, d, began, now)
}

func (v guardedLedger) ClaimReconciliation(ctx context.Context, d payment.Day, now, until time.Time) (bool, error) {
	v.check()
	return v.Ledger.ClaimReconciliation(ctx, d, now, until)
}

func (v guardedLedger) Findings(ctx context.Context, f payment.FindingFilter, p page.Request) (page.Page[payment.Finding], error) {
	v.check()
	return v.Ledger.Findings(ctx, f, p)
}
