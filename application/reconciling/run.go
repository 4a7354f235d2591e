package reconciling

import (
	"context"
	"errors"
	"hash/maphash"
	"time"

	"plaza/domain/payment"
)

// run is one comparison. Of the bills it keeps only which payments and refunds they have, in some twenty bytes a line.
type run struct {
	*Reconciling
	gateway payment.Gateway
	began   time.Time
	result  Result
	billed  billed // by the bill of the day
	former  billed // by the bill of the day before; nil until it is needed
}

// billed has the keys of a bill's lines.
type billed map[uint64]struct{}

var keySeed = maphash.MakeSeed()

// keyOf returns the key of a payment, or of a refund if it has a number. That two of a day's million have the
// same key is less likely than one in ten million.
func keyOf(transaction string, no payment.RefundNo) uint64 {
	if no != "" {
		return maphash.String(keySeed, "refund "+string(no))
	}
	return maphash.String(keySeed, "payment "+transaction)
}

func (b billed) has(e payment.LedgerEntry) bool {
	_, is := b[keyOf(e.Payment.TransactionID, e.Refund.No)]
	return is
}

// compareBill compares the lines of the bill with the ledger, in batches.
func (r *run) compareBill(ctx context.Context) error {
	r.billed = billed{}
	var batch []payment.BillLine
	compare := func() error {
		err := r.compareLines(ctx, batch)
		batch = batch[:0]
		return err
	}
	err := r.gateway.Bill(ctx, r.result.Day, func(l payment.BillLine) error {
		key := keyOf(l.TransactionID, l.RefundNo)
		if _, twice := r.billed[key]; twice {
			return nil
		}
		r.billed[key] = struct{}{}
		switch {
		case l.Unread != "": // counts as a finding alone
		case l.IsRefund():
			r.result.Refunds++
		default:
			r.result.Payments++
		}
		if batch = append(batch, l); len(batch) < BatchSize {
			return nil
		}
		return compare()
	})
	if err != nil || len(batch) == 0 {
		return err
	}
	return compare()
}

// compareLines compares a batch. What differs is stored before it is repaired, so that a server that is killed in
// between leaves a trace.
func (r *run) compareLines(ctx context.Context, lines []payment.BillLine) error {
	entries, err := r.ledger.EntriesOf(ctx, lines)
	if err != nil {
		return err
	}
	c := payment.NewComparison(r.result.Day, entries)
	var found []payment.Finding
	var unknown []payment.BillLine
	for _, l := range lines {
		f, differs := c.Compare(l)
		switch {
		case !differs:
		case f.Kind == payment.FoundUnknownHere && l.Unread == "":
			unknown = append(unknown, l)
			fallthrough
		default:
			found = append(found, f)
		}
	}
	if err := r.store(ctx, found); err != nil {
		return err
	}
	return r.takeIn(ctx, c, unknown)
}

// store stores and counts what was found.
func (r *run) store(ctx context.Context, found []payment.Finding) error {
	r.result.Findings += len(found)
	if len(found) == 0 {
		return nil
	}
	return r.ledger.StoreFindings(ctx, r.began, found)
}

// takeIn takes in the payments that only the bill has, and resolves their findings.
func (r *run) takeIn(ctx context.Context, c payment.Comparison, unknown []payment.BillLine) error {
	var repaired []payment.Finding
	for _, l := range unknown {
		receipt, err := r.receiptOf(ctx, l)
		if err != nil {
			return err
		}
		stored, err := r.apply(ctx, r.gateway.Protocol(), receipt)
		if err != nil {
			return err
		}
		if stored.State != payment.Applied {
			r.result.Unapplied++
		}
		f, _ := c.Compare(l)
		f.Order, f.Resolved = stored.Order, r.now()
		repaired = append(repaired, f)
	}
	if len(repaired) == 0 {
		return nil
	}
	r.result.Repaired += len(repaired)
	return r.ledger.StoreFindings(ctx, r.began, repaired)
}

// receiptOf returns the receipt of the line as the wallet has it now, which may have given the money back. Of a payment of no order, and
// of one that the wallet does not find, it returns the receipt as the line has it.
func (r *run) receiptOf(ctx context.Context, l payment.BillLine) (payment.Receipt, error) {
	var report payment.Report
	_, err := r.ledger.OrderOf(ctx, l.TradeNo)
	if err == nil && l.App != "" {
		report, err = r.gateway.Query(ctx, l.App, l.TradeNo)
	}
	switch {
	case err != nil && !errors.Is(err, payment.ErrNoOrder) && !errors.Is(err, payment.ErrWalletNotFound):
		return payment.Receipt{}, err
	case report.State == payment.WalletPaid && report.Receipt.TransactionID == l.TransactionID:
		return report.Receipt, nil
	}
	return l.Receipt(), nil
}

// compareLedger looks for the payments and refunds of the ledger in the bill.
func (r *run) compareLedger(ctx context.Context) error {
	from, until := r.result.Day.Compared(r.began)
	for _, next := range []func(context.Context, payment.Cursor, time.Time, int) ([]payment.LedgerEntry, error){
		r.ledger.PaymentsPaid, r.ledger.RefundsSent,
	} {
		for after := (payment.Cursor{At: from}); ; {
			entries, err := next(ctx, after, until, BatchSize)
			if err == nil {
				err = r.compareEntries(ctx, entries)
			}
			if err != nil {
				return err
			}
			if len(entries) < BatchSize {
				break
			}
			after = entries[len(entries)-1].Cursor()
		}
	}
	return nil
}

func (r *run) compareEntries(ctx context.Context, entries []payment.LedgerEntry) error {
	c := payment.NewComparison(r.result.Day, nil)
	var found []payment.Finding
	for _, e := range entries {
		if r.billed.has(e) {
			continue
		}
		if err := r.readFormer(ctx); err != nil {
			return err
		}
		if !r.former.has(e) {
			found = append(found, c.Missing(e))
		}
	}
	return r.store(ctx, found)
}

// readFormer reads the bill of the day before, once.
func (r *run) readFormer(ctx context.Context) error {
	if r.former != nil {
		return nil
	}
	former := billed{}
	err := r.gateway.Bill(ctx, r.result.Day.Before(), func(l payment.BillLine) error {
		former[keyOf(l.TransactionID, l.RefundNo)] = struct{}{}
		return nil
	})
	if err == nil {
		r.former = former
	}
	return err
}
