package ledger

import (
	"fmt"
	"slices"
	"time"
)

// When the bill of a day can be had.
const (
	billAge    = 10 * time.Hour // after the end of the day
	billMonths = 3
)

// Errors of bills.
var (
	ErrNoBill       = Refusal{"No Bill Exist", "the day has no payments"}
	ErrBillCreating = Refusal{"Bill Creating", "the bill is not made yet"}
)

// BillLine is a payment of a day, or a refund that was asked for in it.
type BillLine struct {
	At     time.Time
	Trade  Trade
	Refund *Refund // nil: the line is a payment
}

// Bill returns the lines of the day that begins at the time.
func (l *Ledger) Bill(from time.Time) ([]BillLine, error) {
	now, until := l.Now(), from.AddDate(0, 0, 1)
	switch {
	case from.AddDate(0, billMonths, 1).Before(now):
		return nil, Refusal{"INVALID_REQUEST", fmt.Sprintf("bills can be had for %d months", billMonths)}
	case now.Before(until.Add(billAge)) && !l.BillsAtOnce:
		return nil, ErrBillCreating
	}
	var lines []BillLine
	within := func(at time.Time) bool { return !at.Before(from) && at.Before(until) }
	for _, t := range l.Trades() {
		if t.State == Success && within(t.Paid) {
			lines = append(lines, BillLine{t.Paid, t, nil})
		}
		for _, r := range t.Refunds {
			if within(r.Created) {
				lines = append(lines, BillLine{r.Created, t, &r})
			}
		}
	}
	if len(lines) == 0 {
		return nil, ErrNoBill
	}
	slices.SortStableFunc(lines, func(a, b BillLine) int { return a.At.Compare(b.At) })
	return lines, nil
}
