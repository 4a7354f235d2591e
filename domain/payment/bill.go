package payment

import (
	"errors"
	"time"

	"plaza/domain/calendar"
)

// Day is a day of the wallet's bills, in Beijing's time.
type Day struct{ calendar.Date }

// Beijing has had no summer time since the wallet exists, so no time zone database is needed.
var Beijing = time.FixedZone("UTC+8", 8*60*60)

// DayOf returns the day of the instant.
func DayOf(t time.Time) Day { return Day{calendar.DateOf(t.In(Beijing))} }

// ParseDay reads a day like 2026-11-20.
func ParseDay(s string) (Day, error) {
	d, err := calendar.ParseDate(s)
	if err != nil {
		return Day{}, errors.New("not a day like 2026-11-20")
	}
	return Day{d}, nil
}

// Before returns the day before.
func (d Day) Before() Day { return Day{d.AddDays(-1)} }

// Bounds returns the first instant of the day and that of the next one.
func (d Day) Bounds() (from, until time.Time) { return d.Begin(Beijing), d.AddDays(1).Begin(Beijing) }

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
	// Unread says for people why the line could not be read, and nothing of what it has. Not empty: of the other fields the
	// line has only its number and the TransactionID, under which it is stored.
	Unread string
	Line   int // of the bill; zero: it was read
}
