package money

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// refundsOf finds the refunds with the numbers $1.
var refundsOf = engine.Both(`
	SELECT id, payment_id, out_refund_no, amount, currency, reason, origin, requested_by, user_id, state, wallet_refund_id,
		created, updated, sent, next_check
	FROM refunds
	WHERE out_refund_no = ANY($1)`)

// EntriesOf implements payment.Findings. It has three statements at most, however many lines there are.
func (v Ledger) EntriesOf(ctx context.Context, lines []payment.BillLine) (entries []payment.LedgerEntry, err error) {
	transactions, numbers := []string{}, []payment.RefundNo{}
	for _, l := range lines {
		transactions = append(transactions, l.TransactionID)
		if l.IsRefund() {
			numbers = append(numbers, l.RefundNo)
		}
	}
	payments, err := engine.All[PaymentRow](ctx, v.DB, v.DB.Pick(paymentsOf), transactions)
	entries = engine.Mapped(payments, entryOfPayment)
	if err != nil || len(numbers) == 0 {
		return entries, err
	}
	rows, err := engine.All[RefundRow](ctx, v.DB, v.DB.Pick(refundsOf), numbers)
	refunds, err := v.refundEntries(ctx, rows, err)
	return append(entries, refunds...), err
}

func entryOfPayment(r PaymentRow) payment.LedgerEntry {
	return payment.LedgerEntry{Payment: r.Payment()}
}

// refundEntries returns the refunds with their payments, unless they could not be read.
func (v Ledger) refundEntries(ctx context.Context, rows []RefundRow, err error) ([]payment.LedgerEntry, error) {
	if err != nil {
		return nil, err
	}
	payments, err := engine.SelectAll[PaymentRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		ids := engine.Mapped(rows, func(r RefundRow) payment.PaymentID { return r.PaymentID })
		return query.Where("id IN (?)", bun.List(ids))
	})
	byID := map[payment.PaymentID]payment.Payment{}
	for _, p := range payments {
		byID[p.ID] = p.Payment()
	}
	return engine.Mapped(rows, func(r RefundRow) payment.LedgerEntry {
		return payment.LedgerEntry{Payment: byID[r.PaymentID], Refund: r.Refund()}
	}), err
}

// PaymentsPaid selects by payment.Payment.PaidAt, which the index payments_by_paid has.
func (v Ledger) PaymentsPaid(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	rows, err := between[PaymentRow](ctx, v.DB, "COALESCE(paid, received)", after, until, limit, "TRUE")
	return engine.Mapped(rows, entryOfPayment), err
}

func (v Ledger) RefundsSent(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	rows, err := between[RefundRow](ctx, v.DB, "sent", after, until, limit, "wallet_refund_id <> ''")
	return v.refundEntries(ctx, rows, err)
}

// between returns at most limit rows after the cursor and before until that satisfy the condition, in the order of the expression at.
func between[R any](
	ctx context.Context, db *engine.DB, at string, after payment.Cursor, until time.Time, limit int, condition string,
) ([]R, error) {
	from := engine.At(instant.Normalise(after.At))
	return engine.SelectAll[R](ctx, db, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.Where(condition).
			Where("?0 >= ?1 AND ?0 < ?2 AND (?0, id) > (?1, ?3)", bun.Safe(at), from, engine.At(instant.Normalise(until)), after.ID)
		return engine.Limited(query.OrderExpr("?, id", bun.Safe(at)), limit)
	})
}

const (
	// storeFinding stores a finding of the day $1, or finds it again: $2 kind, $3 transaction, $4 refund, $5 order, $6 what was
	// expected, $7 what was found, $8 when the comparison began, $9 when it was resolved. One that is settled stays so if it is the
	// same.
	storeFinding = `
		INSERT INTO findings AS f (day, kind, transaction_id, out_refund_no, order_id, expected, found, seen, resolved)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (day, kind, transaction_id, out_refund_no) DO UPDATE
		SET order_id = EXCLUDED.order_id, expected = EXCLUDED.expected, found = EXCLUDED.found,
			settled = f.settled AND f.expected = EXCLUDED.expected AND f.found = EXCLUDED.found,
			resolved = CASE WHEN f.settled AND f.expected = EXCLUDED.expected AND f.found = EXCLUDED.found THEN f.resolved
				ELSE EXCLUDED.resolved END,
			seen = CASE WHEN EXCLUDED.seen > f.seen THEN EXCLUDED.seen ELSE f.seen END`

	// completeReconciliation stores that the comparison of the day $1 was completed at $2.
	completeReconciliation = `
		INSERT INTO reconciliations (day, completed) VALUES ($1, $2)
		ON CONFLICT (day) DO UPDATE SET completed = EXCLUDED.completed, leased = NULL`

	// claimReconciliation leases the comparison of the day $1 until $3 and returns a row, unless it is completed, or leased at $2.
	claimReconciliation = `
		INSERT INTO reconciliations AS c (day, leased) VALUES ($1, $3)
		ON CONFLICT (day) DO UPDATE SET leased = EXCLUDED.leased
		WHERE c.completed IS NULL AND (c.leased IS NULL OR c.leased <= $2)
		RETURNING TRUE`
)

func (v Ledger) StoreFindings(ctx context.Context, began time.Time, all []payment.Finding) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		for _, f := range all {
			tx.Queue(storeFinding, f.Day.String(), f.Kind, f.TransactionID, f.RefundNo, engine.NullIfZero(f.Order),
				engine.AsJSON{Of: f.Expected}, engine.AsJSON{Of: f.Found}, instant.Normalise(began), instant.Normalise(f.Resolved))
		}
		return nil
	})
}

func (v Ledger) SettleFinding(ctx context.Context, id payment.FindingID, now time.Time) error {
	return v.DB.ExecMust(ctx, payment.ErrNoOpenFinding,
		"UPDATE findings SET resolved = $2, settled = TRUE WHERE id = $1 AND resolved IS NULL", id, instant.Normalise(now))
}

func (v Ledger) EndReconciliation(ctx context.Context, d payment.Day, began, now time.Time) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue("UPDATE findings SET resolved = $3 WHERE day = $1 AND resolved IS NULL AND seen < $2",
			d.String(), instant.Normalise(began), instant.Normalise(now))
		if d.IsOver(now) {
			tx.Queue(completeReconciliation, d.String(), instant.Normalise(now))
		}
		return nil
	})
}

func (v Ledger) ClaimReconciliation(ctx context.Context, d payment.Day, now, until time.Time) (isMine bool, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		isMine = false
		tx.Queue(claimReconciliation, d.String(), instant.Normalise(now), instant.Normalise(until)).Into(&isMine)
		return nil
	})
	return isMine, err
}

func (v Ledger) Findings(ctx context.Context, f payment.FindingFilter, r page.Request) (page.Page[payment.Finding], error) {
	p, err := engine.ListPage[findingRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		if !f.From.IsZero() {
			query = query.Where("day >= ?", payment.DayOf(f.From).String())
		}
		if !f.Until.IsZero() {
			query = query.Where("day < ?", payment.DayOf(f.Until).String())
		}
		switch f.State {
		case payment.FindingOpen:
			query = query.Where("resolved IS NULL")
		case payment.FindingResolved:
			query = query.Where("resolved IS NOT NULL")
		}
		return engine.WhereSet(query, "kind", f.Kind)
	}, engine.LatestID(f.Span, func(r findingRow) int64 { return int64(r.ID) }))
	return page.Map(p, findingRow.finding), err
}

type findingRow struct {
	bun.BaseModel `bun:"table:findings,alias:f"`
	ID            payment.FindingID `bun:",pk,autoincrement"`
	Day           string
	Kind          payment.FindingKind
	TransactionID string
	RefundNo      payment.RefundNo `bun:"out_refund_no"`
	OrderID       payment.OrderID  `bun:",nullzero"`
	Expected      payment.Detail
	Found         payment.Detail
	Resolved      engine.Time
	engine.PageRow
}

func (r findingRow) finding() payment.Finding {
	day, _ := payment.ParseDay(r.Day) // a day was written, and a constraint holds its form
	return payment.Finding{
		ID: r.ID, Day: day, Kind: r.Kind, TransactionID: r.TransactionID, RefundNo: r.RefundNo, Order: r.OrderID, Expected: r.Expected,
		Found: r.Found, Resolved: r.Resolved.Time,
	}
}
