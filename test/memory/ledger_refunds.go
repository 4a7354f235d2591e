package memory

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
)

func (v Ledger) ChangeRefunds(
	ctx context.Context, id payment.PaymentID, fn func(*payment.RefundAccount) error,
) (payment.RefundAccount, error) {
	return write(ctx, v.s, func() (payment.RefundAccount, error) {
		l := &v.s.ledger
		paid, exists := l.paymentByID(id)
		if !exists {
			return payment.RefundAccount{}, payment.ErrNoPayment
		}
		next := payment.RefundAccount{Payment: paid, App: l.appOf(paid), Refunds: l.refundsOf(id)}
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return payment.RefundAccount{}, err
		}
		if err := cmp.Or(v.s.checkRefunds(next), v.s.requests.checkUnanswered(next.Completes)); err != nil {
			return payment.RefundAccount{}, err
		}
		known := len(l.refundsOf(id))
		stored := v.s.putRefunds(next)
		for _, made := range stored.Refunds[known:] {
			audit.Made(ctx, audit.Numbered(audit.Refund, made.ID), l.orders[paid.Order].User)
		}
		return stored, nil
	})
}

// checkRefunds checks the rules that databases enforce with constraints.
func (s *Store) checkRefunds(a payment.RefundAccount) error {
	if sum := a.Refunded(); sum > 0 && sum > a.Payment.Amount {
		return fmt.Errorf("refunds of payment %d exceed it", a.Payment.ID)
	}
	numbers := map[payment.RefundNo]bool{}
	for _, r := range a.Refunds {
		_, isStored := s.ledger.refunds.find(func(other payment.Refund) bool { return other.No == r.No })
		if numbers[r.No] || r.ID == 0 && isStored {
			return fmt.Errorf("duplicate refund %s", r.No)
		}
		numbers[r.No] = true
		if (r.Origin == payment.RefundByStaff) != (r.Staff != 0) {
			return fmt.Errorf("refund %s: origin %s with staff %d", r.No, r.Origin, r.Staff)
		}
		if r.Staff != 0 {
			if err := s.checkUser(r.Staff); err != nil {
				return err
			}
		}
	}
	return nil
}

// putRefunds stores the account. It can't fail, so it never stores a part.
func (s *Store) putRefunds(a payment.RefundAccount) payment.RefundAccount {
	l := &s.ledger
	for n := range a.Refunds {
		r := &a.Refunds[n]
		r.Payment = a.Payment.ID
		if r.ID == 0 {
			r.ID, r.Payer = payment.RefundID(s.numbers.refund.next()), l.orders[a.Payment.Order].User
			if a.Completes != nil {
				s.requests.answer(idempotency.Answer{Key: *a.Completes, Kind: idempotency.Refund, ID: int64(r.ID), At: r.Created})
			}
		}
		l.refunds[r.ID] = *r
	}
	paid := l.payments[a.Payment.TransactionID]
	paid.Refunded = a.Refunded()
	l.payments[paid.TransactionID] = paid
	if paid.Order != 0 {
		l.journal[paid.Order] = append(l.journal[paid.Order], a.Entries...)
	}
	a.Payment, a.Entries, a.Completes = paid, nil, nil
	return a
}

func (l *ledger) paymentByID(id payment.PaymentID) (payment.Payment, bool) {
	return l.payments.find(func(p payment.Payment) bool { return p.ID == id })
}

// appOf returns the application of the payment: that of its prepayment, or of its receipt.
func (l *ledger) appOf(paid payment.Payment) payment.WalletApp {
	for _, p := range l.prepayments[paid.Order] {
		if p.TradeNo == paid.TradeNo {
			return p.Intent.App
		}
	}
	return paid.App
}

// refundsOf returns the refunds of the payment, in the order of their creation.
func (l *ledger) refundsOf(id payment.PaymentID) []payment.Refund {
	return sorted(l.refunds.where(func(r payment.Refund) bool { return r.Payment == id }),
		by(func(r payment.Refund) payment.RefundID { return r.ID }))
}

func (v Ledger) Refund(ctx context.Context, id payment.RefundID) (payment.Refund, error) {
	return read(ctx, v.s, func() (payment.Refund, error) { return v.s.ledger.refunds.get(id, payment.ErrNoRefund) })
}

func (v Ledger) Refunds(ctx context.Context, f payment.RefundFilter, p page.Request) (page.Page[payment.Refund], error) {
	return pageOf(ctx, v.s, p, v.s.ledger.refunds.where(func(r payment.Refund) bool {
		return (f.State == "" || r.State == f.State) && (f.Payment == 0 || r.Payment == f.Payment) &&
			(f.User == 0 || r.Payer == f.User) && f.Has(r.Created)
	}), keyIn(f.Span, payment.Refund.AtCursor))
}

func (v Ledger) DueRefunds(ctx context.Context, now, next time.Time, limit int) ([]payment.Refund, error) {
	return write(ctx, v.s, func() ([]payment.Refund, error) {
		checks := map[payment.RefundID]time.Time{}
		for r := range v.s.ledger.refunds.where(func(r payment.Refund) bool { return !r.NextCheck.IsZero() }) {
			checks[r.ID] = r.NextCheck
		}
		due := v.s.ledger.refunds.among(claimDue(checks, now, next, limit))
		for n := range due {
			due[n].NextCheck = checks[due[n].ID]
			v.s.ledger.refunds[due[n].ID] = due[n]
		}
		return due, nil
	})
}

func (v Ledger) HastenRefund(ctx context.Context, no payment.RefundNo, now time.Time) error {
	return exec(ctx, v.s, func() error {
		for r := range v.s.ledger.refunds.where(func(r payment.Refund) bool { return r.No == no && r.NextCheck.After(now) }) {
			r.NextCheck = instant.Normalise(now)
			v.s.ledger.refunds[r.ID] = r
		}
		return nil
	})
}

func (v Ledger) Unrefunded(ctx context.Context, limit int) ([]payment.PaymentID, error) {
	return read(ctx, v.s, func() ([]payment.PaymentID, error) {
		l := &v.s.ledger
		due := sorted(l.payments.where(func(p payment.Payment) bool {
			return p.State == payment.RefundDue && p.Amount > 0 && len(l.refundsOf(p.ID)) == 0
		}), func(a, b payment.Payment) int { return cmp.Or(a.Received.Compare(b.Received), cmp.Compare(a.ID, b.ID)) })
		ids := make([]payment.PaymentID, 0, len(due))
		for _, p := range first(due, limit) {
			ids = append(ids, p.ID)
		}
		return ids, nil
	})
}
