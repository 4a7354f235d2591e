package payment

import (
	"cmp"
	"time"

	"plaza/domain/fault"
	"plaza/domain/page"
)

// FindingID numbers findings.
type FindingID int64

// FindingKind is how a bill of the wallet and the ledger differ (PAY-15). Its value is stored.
type FindingKind string

const (
	FoundUnknownHere  FindingKind = "unknown_here"  // a payment of the bill that the ledger did not have, or a line that could not be read
	FoundUnknownThere FindingKind = "unknown_there" // a payment of the ledger that the bill does not have
	FoundAmount       FindingKind = "amount"        // a payment with another amount
	FoundRefund       FindingKind = "refund"        // a refund that one side alone has, or that differs
)

// FindingKinds returns every kind.
func FindingKinds() []FindingKind {
	return []FindingKind{FoundUnknownHere, FoundUnknownThere, FoundAmount, FoundRefund}
}

// FindingState tells whether a finding still holds.
type FindingState string

const (
	FindingOpen     FindingState = "open"
	FindingResolved FindingState = "resolved" // it was repaired or settled, or a later comparison did not find it any more
)

// FindingStates returns every state of a finding.
func FindingStates() []FindingState { return []FindingState{FindingOpen, FindingResolved} }

// Finding is a difference between the bill of a day and the ledger. No two findings have the same Day, Kind,
// TransactionID and RefundNo.
type Finding struct {
	ID            FindingID
	Day           Day
	Kind          FindingKind
	TransactionID string
	RefundNo      RefundNo // empty: it is about a payment
	Order         OrderID  // zero: none, or unknown
	Expected      Detail   // what the ledger has; zero: nothing
	Found         Detail   // what the bill has; zero: nothing
	Resolved      time.Time
}

// ErrNoOpenFinding is the fault of settling what is not open.
var ErrNoOpenFinding = fault.New(fault.NotFound, "No open difference has this number.")

// FindingFilter selects findings.
type FindingFilter struct {
	Kind      FindingKind  // empty: any
	State     FindingState // empty: any
	page.Span              // of whole days of bills
}

// Of returns the filter for findings of the bill of the day alone.
func (f FindingFilter) Of(d Day) FindingFilter {
	f.From, f.Until = d.Bounds()
	return f
}

// LedgerEntry is a payment or a refund of the ledger, to be compared with a line of a bill.
type LedgerEntry struct {
	Payment Payment
	Refund  Refund // zero: the entry is the payment itself
}

// IsRefund reports whether the entry is a refund.
func (e LedgerEntry) IsRefund() bool { return e.Refund.ID != 0 }

// Cursor is a position among the payments by the time when they were paid, or among the refunds by the time when they were
// sent.
type Cursor struct {
	At time.Time
	ID int64 // of the payment or the refund; decides between those of the same time
}

// Cursor returns the position of the entry.
func (e LedgerEntry) Cursor() Cursor {
	if e.IsRefund() {
		return Cursor{e.Refund.Sent, int64(e.Refund.ID)}
	}
	return Cursor{e.Payment.PaidAt(), int64(e.Payment.ID)}
}

// IsBefore reports whether the position comes before the other one.
func (c Cursor) IsBefore(other Cursor) bool {
	return cmp.Or(c.At.Compare(other.At), cmp.Compare(c.ID, other.ID)) < 0
}

// Receipt returns the receipt of the payment that the line is about.
func (l BillLine) Receipt() Receipt {
	return Receipt{TransactionID: l.TransactionID, TradeNo: l.TradeNo, App: l.App, Amount: l.Amount, Currency: l.Currency, Paid: l.At}
}

// IsRefund reports whether the line is about a refund.
func (l BillLine) IsRefund() bool { return l.RefundNo != "" }

// Comparison has the entries of the ledger for a comparison with the lines of a bill.
type Comparison struct {
	day      Day
	payments map[string]Payment
	refunds  map[RefundNo]LedgerEntry
}

// NewComparison returns a comparison of the day's bill with the entries.
func NewComparison(d Day, entries []LedgerEntry) Comparison {
	c := Comparison{d, map[string]Payment{}, map[RefundNo]LedgerEntry{}}
	for _, e := range entries {
		c.payments[e.Payment.TransactionID] = e.Payment
		if e.IsRefund() {
			c.refunds[e.Refund.No] = e
		}
	}
	return c
}

// Compare compares a line of the bill with the ledger. It returns false if they agree.
func (c Comparison) Compare(l BillLine) (Finding, bool) {
	if l.Unread != "" {
		return Finding{Day: c.day, Kind: FoundUnknownHere, TransactionID: l.TransactionID, Found: Detail{Line: l.Line, Note: l.Unread}}, true
	}
	paid, isKnown := c.payments[l.TransactionID]
	f := Finding{Day: c.day, TransactionID: l.TransactionID, RefundNo: l.RefundNo, Order: paid.Order, Found: l.detail()}
	if l.IsRefund() {
		f.Kind = FoundRefund
		e, isKnown := c.refunds[l.RefundNo]
		if isKnown {
			f.Expected = e.detail()
		}
		return f, !isKnown || e.contradicts(l)
	}
	if !isKnown {
		f.Kind = FoundUnknownHere
		return f, true
	}
	f.Kind, f.Expected = FoundAmount, LedgerEntry{Payment: paid}.detail()
	return f, paid.Amount != l.Amount || paid.Currency != l.Currency
}

// Missing returns the finding of an entry that no bill has.
func (c Comparison) Missing(e LedgerEntry) Finding {
	f := Finding{
		Day: c.day, Kind: FoundUnknownThere, TransactionID: e.Payment.TransactionID, RefundNo: e.Refund.No, Order: e.Payment.Order,
		Expected: e.detail(),
	}
	if e.IsRefund() {
		f.Kind = FoundRefund
	}
	return f
}

// contradicts reports whether the refund can't be that of the line. A bill has the state of a refund as it was when the bill
// was made, so only outcomes that exclude each other differ.
func (e LedgerEntry) contradicts(l BillLine) bool {
	r := e.Refund
	hasLeft := func(s RefundState) bool { return s == RefundSucceeded || s == RefundAbnormal }
	return r.Amount != l.Amount || r.Currency != l.Currency || e.Payment.TransactionID != l.TransactionID ||
		r.State == RefundClosed && hasLeft(l.RefundState) || r.State == RefundSucceeded && l.RefundState == RefundClosed
}

func (e LedgerEntry) detail() Detail {
	if e.IsRefund() {
		return detailOfRefund(e.Refund.No, e.Refund.Amount, e.Refund.Currency, e.Refund.State)
	}
	return Detail{Amount: e.Payment.Amount, Currency: e.Payment.Currency}
}

func (l BillLine) detail() Detail {
	if l.IsRefund() {
		return detailOfRefund(l.RefundNo, l.Amount, l.Currency, l.RefundState)
	}
	return Detail{Amount: l.Amount, Currency: l.Currency}
}

func detailOfRefund(no RefundNo, amount int64, currency string, s RefundState) Detail {
	return Detail{Number: string(no), Amount: amount, Currency: currency, Note: string(s)}
}

// BillMargin is how far the wallet and the ledger may differ about when something happened: a payment shortly before midnight
// may be in the bill of the next day.
const BillMargin = 15 * time.Minute

// BillReady is when the wallet has made the bill of a day, counted from the end of the day.
const BillReady = 10 * time.Hour

// Compared returns between which times the bill of the day decides about entries of the ledger. What happened
// up to BillMargin before the day may be in this bill or in that of the day before. What happened in the last
// BillMargin of the day is left to the bill of the next day. A day that is not over has no next bill; its bill, if the
// wallet has one, holds what has happened by now.
func (d Day) Compared(now time.Time) (from, until time.Time) {
	from, until = d.Bounds()
	if now.Before(until) {
		return from.Add(-BillMargin), now.Truncate(time.Second) // bills have whole seconds
	}
	return from.Add(-BillMargin), until.Add(-BillMargin)
}

// IsOver reports whether the day has ended.
func (d Day) IsOver(now time.Time) bool {
	_, until := d.Bounds()
	return !now.Before(until)
}

// LastBilled returns the latest day whose bill the wallet has made by now.
func LastBilled(now time.Time) Day { return DayOf(now.Add(-BillReady)).Before() }
