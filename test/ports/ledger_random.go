package ports

import (
	"errors"
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var ledgerRandom = []promise{
	{"Change stores what fn makes of the trade, and shows it to the next: after random moves it equals a plain Trade", anyTrade},
}

// move is something that is done to a trade.
type move func(t *payment.Trade) error

// causes are what a wallet says besides success.
var causes = []error{
	nil, payment.ErrWalletClosed, payment.ErrWalletNotFound, payment.ErrWalletNotClosed, payment.ErrWalletOtherOrder, payment.ErrInsufficientFunds, payment.ErrWalletRefused,
	payment.ErrWalletTimeout, payment.ErrWalletPaid, errBoom,
}

// move is any of those that there are, at the instant, on an order whose prepayments are
// named after it: few, so that they come again.
func (c random) move(of payment.OrderID, at time.Time) move {
	no := payment.TradeNo(fmt.Sprintf("%d-%d", of, c.IntN(6)))
	intent, cause := pick(c, byCode, inside, inApp), pick(c, causes...)
	transaction, cents := fmt.Sprintf("%d-%d", of, c.IntN(5)), int64(c.IntN(4))
	app := pick(c, payment.OfficialAccount, payment.OfficialAccount, payment.SvcIOSApp)
	refunded := c.IntN(8) == 0
	receipt := func(t *payment.Trade) payment.Receipt {
		r := receiptOf(t.Order, transaction, no, at)
		r.App, r.Refunded = app, refunded
		if cents == 0 {
			r.Amount++
		}
		return r
	}
	switch c.IntN(10) {
	case 0, 1, 2:
		return func(t *payment.Trade) error {
			for _, p := range t.Prepayments {
				if p.TradeNo == no {
					return errBoom // no caller makes a number twice
				}
			}
			_, err := t.Begin(opening(intent, no), at)
			return err
		}
	case 3:
		return func(t *payment.Trade) error {
			t.RecordSent(no, payment.Ticket{PrepayID: fmt.Sprint("p'", cents), CodeURL: "weixin://🀄", MWebURL: "https://w.example/?a=b"}, at)
			return nil
		}
	case 4:
		return func(t *payment.Trade) error {
			if cause != nil {
				t.RecordFailed(no, cause, at)
			}
			return nil
		}
	case 5:
		return func(t *payment.Trade) error { return errors.Join(t.RecordClosed(no, cause, at)) }
	case 6:
		return func(t *payment.Trade) error {
			if refunded {
				t.RecordReport(no, payment.Report{State: payment.WalletClosed}, at)
			}
			t.RecordAbsent(no, at)
			return nil
		}
	case 7:
		return func(t *payment.Trade) error {
			t.RecordReport(no, payment.Report{State: payment.WalletPaid, Receipt: receipt(t)}, at)
			return nil
		}
	case 8:
		return func(t *payment.Trade) error {
			t.Settle(receipt(t), at)
			return nil
		}
	}
	return func(t *payment.Trade) error {
		t.Expire(leaseOf, at)
		t.ScheduleCheck(time.Minute, at)
		return nil
	}
}

func anyTrade(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		who := w.newUser()
		plain := map[payment.OrderID]payment.Trade{}
		var ids []payment.OrderID
		for range 3 {
			o := w.charge(order(who, noon))
			plain[o.ID], ids = payment.Trade{Order: o, NextCheck: o.Expires, Entries: w.journal(o.ID)}, append(ids, o.ID)
		}
		at := noon
		for range 120 {
			at = at.Add(time.Duration(c.IntN(90)) * time.Second)
			id := pick(c, ids...)
			do := c.move(id, at)
			next := cloned(plain[id])
			want := do(&next)
			got := w.Ledger.Change(w.Context(), id, do)
			if want != nil {
				require.EqualError(w, got, want.Error())
				continue
			}
			require.NoError(w, got)
			plain[id] = next
		}
		for _, id := range ids {
			w.kept(plain[id], nil)
		}
		assert.Len(w, w.payments("", pageNo(1, 100)).Items, len(plain[ids[0]].Payments)+len(plain[ids[1]].Payments)+len(plain[ids[2]].Payments))
	})
}
