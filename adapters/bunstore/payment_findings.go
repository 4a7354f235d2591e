package bunstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// EntriesOf implements payment.Findings. It has three statements at most, however many lines there are.
func (v Ledger) EntriesOf(ctx context.Context, lines []payment.BillLine) (entries []payment.LedgerEntry, err error) {
	var transactions []string
	var numbers []payment.RefundNo
	for _, l := range lines {
		transactions = append(transactions, l.TransactionID)
		if l.IsRefund() {
			numbers = append(numbers, l.RefundNo)
		}
	}
	payments, err := v.paymentsWhere(ctx, "transaction_id", bun.List(transactions), len(transactions))
	entries = engine.Mapped(payments, entryOfPayment)
	if err != nil || len(numbers) == 0 {
		return entries, err
	}
	rows, err := engine.SelectAll[refundRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("out_refund_no IN (?)", bun.List(numbers))
	})
	if err != nil {
		return nil, err
	}
	refunds, err := v.refundEntries(ctx, rows)
	return append(entries, refunds...), err
}

func entryOfPayment(r paymentRow) payment.LedgerEntry {
	return payment.LedgerEntry{Payment: r.payment()}
}

// paymentsWhere returns the payments whose column has one of the count values.
func (v Ledger) paymentsWhere(ctx context.Context, column string, values any, count int) ([]paymentRow, error) {
	if count == 0 {
		return nil, nil
	}
	return engine.SelectAll[paymentRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("? IN (?)", bun.Ident(column), values)
	})
}

// refundEntries returns the refunds with their payments.
func (v Ledger) refundEntries(ctx context.Context, rows []refundRow) (entries []payment.LedgerEntry, err error) {
	var ids []payment.PaymentID
	for _, row := range rows {
		ids = append(ids, row.PaymentID)
	}
	payments, err := v.paymentsWhere(ctx, "id", bun.List(ids), len(ids))
	if err != nil {
		return nil, err
	}
	byID := map[payment.PaymentID]payment.Payment{}
	for _, p := range payments {
		byID[p.ID] = p.payment()
	}
	for _, row := range rows {
		entries = append(entries, payment.LedgerEntry{Payment: byID[row.PaymentID], Refund: row.refund()})
	}
	return entries, nil
}

// paidAt is payment.Payment.PaidAt. The index payments_by_paid has it.
const paidAt = "COALESCE(paid, received)"

func (v Ledger) PaymentsPaid(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	rows, err := between[paymentRow](ctx, v.s, paidAt, after, until, limit)
	return engine.Mapped(rows, entryOfPayment), err
}

func (v Ledger) RefundsSent(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	rows, err := between[refundRow](ctx, v.s, "sent", after, until, limit, "wallet_refund_id <> ''")
	if err != nil {
		return nil, err
	}
	return v.refundEntries(ctx, rows)
}

// between returns at most limit rows after the cursor and before until that satisfy the conditions, in
// the order of the expression at.
func between[R any](
	ctx context.Context, s *Store, at string, after payment.Cursor, until time.Time, limit int, conditions ...string,
) ([]R, error) {
	if limit <= 0 { // bun takes zero for no limit
		return nil, nil
	}
	from := engine.At(instant.Normalise(after.At))
	return engine.SelectAll[R](ctx, s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		for _, condition := range conditions {
			query = query.Where(condition)
		}
		return query.Where(at+" >= ? AND "+at+" < ?", from, engine.At(instant.Normalise(until))).
			Where("("+at+", id) > (?, ?)", from, after.ID).OrderExpr(at + ", id").Limit(int64(limit))
	})
}

func (v Ledger) StoreFindings(ctx context.Context, began time.Time, all []payment.Finding) error {
	if len(all) == 0 {
		return nil
	}
	var rows []findingRow
	for _, f := range all {
		rows = append(rows, findingRowOf(f, began))
	}
	return v.s.exec(ctx, v.s.Writer.NewInsert().Model(&rows).On("CONFLICT (day, kind, transaction_id, out_refund_no) DO UPDATE").
		Set("order_id = EXCLUDED.order_id, expected = EXCLUDED.expected, found = EXCLUDED.found, resolved = EXCLUDED.resolved").
		Set("seen = CASE WHEN EXCLUDED.seen > f.seen THEN EXCLUDED.seen ELSE f.seen END"))
}

func (v Ledger) EndReconciliation(ctx context.Context, d payment.Day, began, now time.Time) error {
	at := engine.At(instant.Normalise(now))
	steps := []engine.Step{engine.Built(v.s.Writer.NewUpdate().Model((*findingRow)(nil)).Set("resolved = ?", at).
		Where("day = ? AND resolved IS NULL AND seen < ?", d.String(), engine.At(instant.Normalise(began))))}
	if d.IsOver(now) {
		row := reconciliationRow{Day: d.String(), Completed: at}
		steps = append(steps, engine.Built(v.s.Writer.NewInsert().Model(&row).On("CONFLICT (day) DO UPDATE").
			Set("completed = EXCLUDED.completed, leased = NULL")))
	}
	return v.s.writeAll(ctx, steps)
}

func (v Ledger) ClaimReconciliation(ctx context.Context, d payment.Day, now, until time.Time) (isMine bool, err error) {
	row := reconciliationRow{Day: d.String(), Leased: engine.At(instant.Normalise(until))}
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		isMine, err = engine.Affected(tx.NewInsert().Model(&row).On("CONFLICT (day) DO UPDATE").Set("leased = EXCLUDED.leased").
			Where("c.completed IS NULL AND (c.leased IS NULL OR c.leased <= ?)", engine.At(instant.Normalise(now))).Exec(ctx))
		return err
	})
	return isMine, err
}

func (v Ledger) Findings(ctx context.Context, f payment.FindingFilter, r page.Request) (page.Page[payment.Finding], error) {
	p, err := engine.ListPage[findingRow](ctx, v.s.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		if !f.Day.IsZero() {
			query = query.Where("day = ?", f.Day.String())
		}
		switch f.State {
		case payment.FindingOpen:
			query = query.Where("resolved IS NULL")
		case payment.FindingResolved:
			query = query.Where("resolved IS NOT NULL")
		}
		return engine.WhereSet(query, "kind", f.Kind)
	}, "id DESC")
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
	Expected      string
	Found         string
	Seen          engine.Time // when the last comparison began that has found it
	Resolved      engine.Time
	engine.PageRow
}

func findingRowOf(f payment.Finding, seen time.Time) findingRow {
	return findingRow{
		Day: f.Day.String(), Kind: f.Kind, TransactionID: f.TransactionID, RefundNo: f.RefundNo, OrderID: f.Order, Expected: f.Expected,
		Found: f.Found, Seen: engine.At(instant.Normalise(seen)), Resolved: engine.At(instant.Normalise(f.Resolved)),
	}
}

func (r findingRow) finding() payment.Finding {
	day, _ := payment.ParseDay(r.Day) // a day was written, and a constraint holds its form
	return payment.Finding{
		ID: r.ID, Day: day, Kind: r.Kind, TransactionID: r.TransactionID, RefundNo: r.RefundNo, Order: r.OrderID, Expected: r.Expected,
		Found: r.Found, Resolved: r.Resolved.Time,
	}
}

// reconciliationRow is the comparison of a day's bill.
type reconciliationRow struct {
	bun.BaseModel `bun:"table:reconciliations,alias:c"`
	Day           string `bun:",pk"`
	Leased        engine.Time
	Completed     engine.Time
}
