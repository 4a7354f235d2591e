package ledger

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"slices"
	"time"
)

// Rules of the wallet. Times that do not say so are before scaling.
const (
	prepayLife = 2 * time.Hour
	mwebLife   = 5 * time.Minute
	maxParts   = 50                   // of a trade that are returned
	refundTerm = 365 * 24 * time.Hour // after the payment, not scaled
	billAge    = 10 * time.Hour       // after the end of the day, from which its bill can be had; not scaled
	billMonths = 3                    // in which a bill can be had
)

// payer is the payer of a trade that was ordered for none.
const payer = "sandbox-payer"

// Place adds the trade, or gives the same trade another lifetime. A valid prepayment keeps its ID.
func (l *Ledger) Place(asked Trade) (Trade, error) {
	return l.change(asked.OutTradeNo, func(t *Trade, now time.Time) error {
		if t.OutTradeNo == "" {
			*t = asked
			t.Created, t.State, t.Currency = now, NotPaid, "CNY"
		}
		switch {
		case t.AppID != asked.AppID || t.TradeType != asked.TradeType || t.Protocol != asked.Protocol:
			return Refusal{"OUT_TRADE_NO_USED", "the number belongs to an order of another trade type, appid or protocol"}
		case t.Fingerprint != asked.Fingerprint:
			return Refusal{"INVALID_REQUEST", "the number was sent before with other parameters"}
		case t.open() != nil:
			return t.open()
		case t.Requests == 0 && len(l.trades) >= maxTrades:
			return ErrCrowded
		case !t.Expires.IsZero() && !now.Before(t.Expires):
			return Refusal{"PARAM_ERROR", "time_expire has passed"}
		}
		t.Requests++
		if !now.Before(t.PrepayUntil) {
			t.PrepayID = "wx" + now.In(Beijing).Format("20060102150405") + rand.Text()[:20]
		}
		t.PrepayUntil = now.Add(l.Scaled(prepayLife))
		t.LinkUntil = t.PrepayUntil
		if t.TradeType == "MWEB" {
			t.LinkUntil = now.Add(l.Scaled(mwebLife))
		}
		return nil
	})
}

// AddPaid adds a trade of version 2 that was paid by a QR code, unless there is one with its number. The merchant is not
// notified.
func (l *Ledger) AddPaid(paid Trade) error {
	if _, err := l.Trade(paid.OutTradeNo); err == nil {
		return nil
	}
	paid.Protocol, paid.TradeType, paid.OpenID, paid.Currency, paid.State, paid.Notified = V2, "NATIVE", payer, "CNY", Success, true
	paid.PrepayUntil, paid.LinkUntil, paid.Requests = paid.Paid, paid.Paid, 1
	_, err := l.change(paid.OutTradeNo, func(t *Trade, _ time.Time) error {
		*t = paid
		return nil
	})
	return err
}

// Pay pays the trade; the merchant is notified afterwards. A trade can be paid only once. The last step may change the
// payment or refuse it.
func (l *Ledger) Pay(no string, last func(*Trade) error) (Trade, error) {
	return l.change(no, func(t *Trade, now time.Time) error {
		if err := t.Payable(now); err != nil {
			return err
		}
		t.OpenID, t.TransactionID = cmp.Or(t.OpenID, payer), newID("4200", now)
		t.State, t.Paid, t.Next = Success, now, now
		return last(t)
	})
}

// Decline records that the payer's bank refused. The trade can still be paid, and the wallet sends no notification.
func (l *Ledger) Decline(no string) error {
	_, err := l.change(no, func(t *Trade, now time.Time) error {
		err := t.Payable(now)
		t.State = Declined
		return err
	})
	return err
}

// Expire ends the time in which the trade can be paid. The merchant gets a new one when it repeats the order.
func (l *Ledger) Expire(no string) error {
	_, err := l.change(no, func(t *Trade, now time.Time) error {
		err := t.Payable(now)
		t.PrepayUntil, t.LinkUntil = now, now
		return err
	})
	return err
}

// CloseTrade closes the trade if it has the age, before scaling.
func (l *Ledger) CloseTrade(no string, age time.Duration) error {
	_, err := l.change(no, func(t *Trade, now time.Time) error {
		err := t.open()
		if err == nil && now.Before(t.Created.Add(l.Scaled(age))) {
			// The documentation states the rule without a code.
			err = Refusal{"ORDER_NOT_YET", "an order is closed 5 minutes after it was made, not sooner"}
		}
		t.State = Closed
		return err
	})
	return err
}

// Refund begins a refund of the trade with the number and the amount, and returns both. The same request again changes nothing.
func (l *Ledger) Refund(no string, amount int64, asked Refund) (Trade, *Refund, error) {
	t, err := l.change(no, func(t *Trade, now time.Time) error {
		if t.State != Success {
			return ErrUnknown
		}
		if _, there := l.refunds[asked.No]; there {
			if r := t.Refund(asked.No); r == nil || r.Amount != asked.Amount || t.Amount != amount {
				return ErrOtherRefund
			}
			return nil
		}
		returned, parts := t.returned()
		switch {
		case amount != t.Amount:
			return Refusal{"INVALID_REQUEST", "the total is not that of the order"}
		case now.Sub(t.Paid) > refundTerm:
			return ErrOverdue
		case parts >= maxParts:
			return Refusal{"INVALID_REQUEST", "the order has 50 refunds"}
		case asked.Amount > t.Amount-returned:
			return Refusal{"INVALID_REQUEST", "the refund is more than what is left of the order"}
		case len(l.refunds) >= maxTrades:
			return ErrCrowded
		}
		asked.OutTradeNo, asked.TransactionID = t.OutTradeNo, t.TransactionID
		asked.State, asked.Created, asked.ID = RefundProcessing, now, newID("5030", now)
		if l.RefundTime > 0 {
			asked.Next = now.Add(l.Scaled(l.RefundTime))
		}
		t.Refunds = append(t.Refunds, asked)
		return nil
	})
	return t, t.Refund(asked.No), err
}

// EndRefund ends a refund that is being processed, or lets an abnormal one succeed. The merchant is notified afterwards.
func (l *Ledger) EndRefund(no string, state RefundState) error {
	_, err := l.change(l.Number("", "", no), func(t *Trade, now time.Time) error {
		r := t.Refund(no)
		switch {
		case r == nil:
			return ErrUnknownRefund
		case state != RefundSucceeded && state != RefundClosed && state != RefundAbnormal:
			return fmt.Errorf("%w: a refund ends as SUCCESS, CLOSED or ABNORMAL", ErrImpossible)
		case r.State != RefundProcessing && (r.State != RefundAbnormal || state != RefundSucceeded):
			return ErrRefundEnded
		}
		r.State, r.Ended, r.Delivery = state, now, Delivery{NotifyURL: r.NotifyURL}
		if r.NotifyURL != "" {
			r.Next = now
		}
		return nil
	})
	return err
}

// Pauses are the wallet's pauses between attempts to send a notification, before scaling.
var Pauses = []time.Duration{
	15 * time.Second, 15 * time.Second, 30 * time.Second, 3 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
	30 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 3 * time.Hour, 3 * time.Hour, 6 * time.Hour, 6 * time.Hour,
}

// Delivered records an attempt to notify the merchant. It returns the number of attempts.
func (l *Ledger) Delivered(of Subject, acknowledged bool) (attempts int, err error) {
	_, err = l.change(of.Trade, func(t *Trade, now time.Time) error {
		d := &t.Delivery
		if r := t.Refund(of.Refund); r != nil {
			d = &r.Delivery
		}
		d.Attempts++
		d.Notified, d.Next = acknowledged, time.Time{}
		if !acknowledged && d.Attempts <= len(Pauses) {
			d.Next = now.Add(l.Scaled(Pauses[d.Attempts-1]))
		}
		attempts = d.Attempts
		return nil
	})
	return attempts, err
}

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
