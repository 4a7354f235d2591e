package payment

import (
	"errors"
	"fmt"
	"time"
)

// Day is a day of the wallet's bills, in Beijing's time.
type Day struct {
	Year  int
	Month time.Month
	Day   int
}

// Beijing has had no summer time since the wallet exists, so no time zone database is needed.
var Beijing = time.FixedZone("UTC+8", 8*60*60)

// DayOf returns the day of the instant.
func DayOf(t time.Time) Day {
	year, month, day := t.In(Beijing).Date()
	return Day{year, month, day}
}

// ParseDay reads a day like 2026-11-20.
func ParseDay(s string) (Day, error) {
	t, err := time.ParseInLocation(time.DateOnly, s, Beijing)
	if err != nil {
		return Day{}, errors.New("not a day like 2026-11-20")
	}
	return DayOf(t), nil
}

func (d Day) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

// IsZero reports whether the day is no day.
func (d Day) IsZero() bool { return d == Day{} }

// Before returns the day before.
func (d Day) Before() Day {
	from, _ := d.Bounds()
	return DayOf(from.Add(-time.Hour))
}

// Bounds returns the first instant of the day and that of the next one.
func (d Day) Bounds() (from, until time.Time) {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, Beijing), time.Date(d.Year, d.Month, d.Day+1, 0, 0, 0, 0, Beijing)
}

// BillLine is a payment or a refund of a day, as the wallet counts it.
type BillLine struct {
	TransactionID string
	TradeNo       TradeNo
	RefundNo      RefundNo // empty: a payment
	WalletRefund  string
	RefundState   RefundState
	App           WalletApp // empty: not configured here
	Amount        int64     // of the payment, or of the refund; minor units
	Currency      string
	At            time.Time // as the line has it, UTC
	// Unread says for people why the line could not be read, which line that is, and nothing of what it has. Not empty: of
	// the other fields the line has only the TransactionID, under which it is stored.
	Unread string
}
