package memory

import (
	"context"
	"slices"
	"time"

	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
)

func (v Ledger) EntriesOf(ctx context.Context, lines []payment.BillLine) ([]payment.LedgerEntry, error) {
	return read(ctx, v.s, func() ([]payment.LedgerEntry, error) {
		l := &v.s.ledger
		transactions, numbers := map[string]bool{}, map[payment.RefundNo]bool{}
		for _, line := range lines {
			transactions[line.TransactionID], numbers[line.RefundNo] = true, true
		}
		var entries []payment.LedgerEntry
		for p := range l.payments.where(func(p payment.Payment) bool { return transactions[p.TransactionID] }) {
			entries = append(entries, payment.LedgerEntry{Payment: p})
		}
		for r := range l.refunds.where(func(r payment.Refund) bool { return numbers[r.No] }) {
			paid, _ := l.paymentByID(r.Payment)
			entries = append(entries, payment.LedgerEntry{Payment: paid, Refund: r})
		}
		return entries, nil
	})
}

func (v Ledger) PaymentsPaid(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	return read(ctx, v.s, func() ([]payment.LedgerEntry, error) {
		var entries []payment.LedgerEntry
		for _, p := range v.s.ledger.payments {
			entries = append(entries, payment.LedgerEntry{Payment: p})
		}
		return between(entries, after, until, limit), nil
	})
}

func (v Ledger) RefundsSent(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	return read(ctx, v.s, func() ([]payment.LedgerEntry, error) {
		var entries []payment.LedgerEntry
		for r := range v.s.ledger.refunds.where(func(r payment.Refund) bool { return r.WalletID != "" }) {
			paid, _ := v.s.ledger.paymentByID(r.Payment)
			entries = append(entries, payment.LedgerEntry{Payment: paid, Refund: r})
		}
		return between(entries, after, until, limit), nil
	})
}

// between returns at most limit of the entries after the cursor and before until, in the order of their cursors.
func between(entries []payment.LedgerEntry, after payment.Cursor, until time.Time, limit int) []payment.LedgerEntry {
	within := filter(slices.Values(entries), func(e payment.LedgerEntry) bool {
		return after.IsBefore(e.Cursor()) && e.Cursor().At.Before(until)
	})
	return first(sorted(within, func(a, b payment.LedgerEntry) int {
		if a.Cursor().IsBefore(b.Cursor()) {
			return -1
		}
		return 1
	}), limit)
}

func (v Ledger) StoreFindings(ctx context.Context, began time.Time, all []payment.Finding) error {
	return exec(ctx, v.s, func() error {
		l := &v.s.ledger
		for _, f := range all {
			key := findingKey{f.Day, f.Kind, f.TransactionID, f.RefundNo}
			known, exists := l.findings[key]
			if f.ID = known.ID; !exists {
				f.ID = payment.FindingID(v.s.numbers.finding.next())
			}
			f.Resolved = instant.Normalise(f.Resolved)
			seen := instant.Normalise(began)
			if known.seen.After(seen) {
				seen = known.seen
			}
			l.findings[key] = seenFinding{f, seen}
		}
		return nil
	})
}

func (Ledger) SettleFinding(ctx context.Context, _ payment.FindingID, _ time.Time) error {
	_, err := unasked[struct{}](ctx)
	return err
}

func (v Ledger) EndReconciliation(ctx context.Context, d payment.Day, began, now time.Time) error {
	return exec(ctx, v.s, func() error {
		l := &v.s.ledger
		for key, f := range l.findings {
			if key.day == d && f.Resolved.IsZero() && f.seen.Before(instant.Normalise(began)) {
				f.Resolved = instant.Normalise(now)
				l.findings[key] = f
			}
		}
		if d.IsOver(now) {
			l.reconciliations[d] = reconciliation{completed: instant.Normalise(now)}
		}
		return nil
	})
}

func (v Ledger) ClaimReconciliation(ctx context.Context, d payment.Day, now, until time.Time) (bool, error) {
	return write(ctx, v.s, func() (bool, error) {
		known := v.s.ledger.reconciliations[d]
		if !known.completed.IsZero() || known.leased.After(instant.Normalise(now)) {
			return false, nil
		}
		v.s.ledger.reconciliations[d] = reconciliation{leased: instant.Normalise(until)}
		return true, nil
	})
}

func (v Ledger) Findings(ctx context.Context, f payment.FindingFilter, p page.Request) (page.Page[payment.Finding], error) {
	all, err := pageOf(ctx, v.s, p, v.s.ledger.findings.where(func(one seenFinding) bool {
		state := payment.FindingOpen
		if !one.Resolved.IsZero() {
			state = payment.FindingResolved
		}
		from, _ := one.Day.Bounds()
		return f.Has(from) && (f.Kind == "" || f.Kind == one.Kind) && (f.State == "" || f.State == state)
	}), page.Keys(f.Span, func(one seenFinding) page.Cursor { return page.Cursor{ID: int64(one.ID)} }))
	return page.Map(all, func(one seenFinding) payment.Finding { return one.Finding }), err
}
