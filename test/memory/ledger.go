package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

type Ledger struct{ Keys }

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	return write(ctx, v.s, func() (payment.Order, error) {
		if err := v.s.checkUser(o.User); err != nil {
			return payment.Order{}, err
		}
		l := &v.s.ledger
		if err := v.s.requests.checkUnanswered(k); err != nil {
			return payment.Order{}, err
		}
		o.ID = payment.OrderID(v.s.numbers.order.next())
		l.orders[o.ID], l.changes[o.ID] = o, v.s.writes
		audit.Made(ctx, audit.Numbered(audit.Order, o.ID), o.User)
		if o.State == payment.Open {
			l.nextChecks[o.ID] = o.Expires
		}
		l.journal[o.ID] = []payment.Entry{{At: o.Created, Noted: payment.NotedOrdered}}
		if k != nil {
			v.s.requests.answer(idempotency.Answer{Key: *k, Kind: idempotency.Order, ID: int64(o.ID), At: o.Created})
		}
		return o, nil
	})
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	return read(ctx, v.s, func() (payment.Order, error) { return v.s.ledger.orders.get(id, payment.ErrNoOrder) })
}

func (v Ledger) OpenOrders(ctx context.Context, id user.ID) ([]payment.Order, error) {
	f := payment.OrderFilter{User: id, State: payment.Open}
	return read(ctx, v.s, func() ([]payment.Order, error) {
		return sorted(v.s.ledger.ordersOf(f), latest(keyIn(f.Span, payment.Order.AtCursor))), nil
	})
}

// ordersOf yields the orders that the filter selects.
func (l *ledger) ordersOf(f payment.OrderFilter) iter.Seq[payment.Order] {
	return l.orders.where(func(o payment.Order) bool {
		inDoubt := func(p payment.Prepayment) bool { return p.IsInDoubt() }
		return (o.User == f.User || f.User == 0) && (o.State == f.State || f.State == "") &&
			(!f.IsInDoubt || slices.ContainsFunc(l.prepayments[o.ID], inDoubt)) && f.Has(o.Created)
	})
}

func (v Ledger) Orders(ctx context.Context, f payment.OrderFilter, p page.Request) (page.Page[payment.Order], error) {
	return pageOf(ctx, v.s, p, v.s.ledger.ordersOf(f), keyIn(f.Span, payment.Order.AtCursor))
}

func (v Ledger) OrdersOf(ctx context.Context, ids []payment.OrderID) ([]payment.Order, error) {
	return read(ctx, v.s, func() ([]payment.Order, error) { return v.s.ledger.orders.among(ids), nil })
}

func (v Ledger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	return read(ctx, v.s, func() (payment.OrderID, error) { return v.s.ledger.tradeNos.get(no, payment.ErrNoOrder) })
}

func (v Ledger) AddUnmatched(ctx context.Context, p payment.Payment) (payment.Payment, error) {
	return write(ctx, v.s, func() (payment.Payment, error) {
		if stored, exists := v.s.ledger.payments[p.TransactionID]; exists {
			return stored, nil
		}
		p.ID, p.Order = payment.PaymentID(v.s.numbers.payment.next()), 0
		v.s.ledger.payments[p.TransactionID] = p
		return p, nil
	})
}

func (v Ledger) Due(ctx context.Context, now, next time.Time, limit int) ([]payment.OrderID, error) {
	return write(ctx, v.s, func() ([]payment.OrderID, error) { return claimDue(v.s.ledger.nextChecks, now, next, limit), nil })
}

func (v Ledger) Payments(ctx context.Context, f payment.PaymentFilter, r page.Request) (page.Page[payment.Payment], error) {
	return pageOf(ctx, v.s, r, v.s.ledger.payments.where(func(p payment.Payment) bool {
		isOver := f.State == payment.RefundDue && p.Refunded >= p.Amount
		return (f.State == "" || p.State == f.State) && !isOver && (f.Order == 0 || p.Order == f.Order) &&
			(f.ID == 0 || p.ID == f.ID) && (f.Transaction == "" || p.TransactionID == f.Transaction) &&
			(f.User == 0 || v.s.ledger.orders[p.Order].User == f.User) && f.Has(p.Received)
	}), keyIn(f.Span, payment.Payment.AtCursor))
}

func (v Ledger) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	return read(ctx, v.s, func() ([]payment.Entry, error) { return slices.Clone(v.s.ledger.journal[id]), nil })
}

func (v Ledger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return exec(ctx, v.s, func() error {
		l := &v.s.ledger
		order, err := l.orders.get(id, payment.ErrNoOrder)
		if err != nil {
			return err
		}
		next := payment.Trade{
			Order: order, Prepayments: copyOf(l.prepayments[id]), Payments: l.paymentsOf(id), NextCheck: l.nextChecks[id],
		}
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return err
		}
		if order.State == payment.Paid && next.Order.State != payment.Paid {
			return errors.New("a paid order must stay paid")
		}
		if next.Answer != nil {
			if err := v.s.requests.checkUnanswered(&next.Answer.Key); err != nil {
				return err
			}
		}
		v.s.putTrade(id, next)
		return nil
	})
}

// paymentsOf returns the payments of the order, in the order of their arrival.
func (l *ledger) paymentsOf(id payment.OrderID) []payment.Payment {
	theirs := l.payments.where(func(p payment.Payment) bool { return p.Order == id })
	return sorted(theirs, by(func(p payment.Payment) payment.PaymentID { return p.ID }))
}

// putTrade stores the trade. It can't fail, so it never stores a part.
func (s *Store) putTrade(id payment.OrderID, t payment.Trade) {
	l := &s.ledger
	order := l.orders[id]
	s.notify(notification.OfPaid(order, t.Order))
	if order.State != t.Order.State {
		l.changes[id] = s.writes
	}
	order.State, order.PaidAt, order.Transaction = t.Order.State, t.Order.PaidAt, t.Order.Transaction
	l.orders[id] = order
	if l.nextChecks[id] = t.NextCheck; t.NextCheck.IsZero() {
		delete(l.nextChecks, id)
	}
	l.prepayments[id] = copyOf(t.Prepayments)
	for _, p := range t.Prepayments {
		l.tradeNos[p.TradeNo] = id
	}
	for _, p := range t.Payments {
		if known, is := l.payments[p.TransactionID]; is {
			p.ID = known.ID
		} else {
			p.ID = payment.PaymentID(s.numbers.payment.next())
		}
		p.Order = id
		l.payments[p.TransactionID] = p
	}
	l.journal[id] = append(l.journal[id], t.Entries...)
	if t.Answer != nil {
		s.requests.answer(*t.Answer)
	}
}

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

func (v Ledger) Unrefunded(ctx context.Context, over []payment.Protocol, limit int) ([]payment.PaymentID, error) {
	return read(ctx, v.s, func() ([]payment.PaymentID, error) {
		l := &v.s.ledger
		due := sorted(l.payments.where(func(p payment.Payment) bool {
			return p.State == payment.RefundDue && p.Amount > 0 && len(l.refundsOf(p.ID)) == 0 && slices.Contains(over, p.Protocol)
		}), func(a, b payment.Payment) int { return cmp.Or(a.Received.Compare(b.Received), cmp.Compare(a.ID, b.ID)) })
		ids := make([]payment.PaymentID, 0, len(due))
		for _, p := range first(due, limit) {
			ids = append(ids, p.ID)
		}
		return ids, nil
	})
}

func (v Ledger) EntriesOf(ctx context.Context, lines []payment.BillLine) ([]payment.LedgerEntry, error) {
	return read(ctx, v.s, func() ([]payment.LedgerEntry, error) {
		l := &v.s.ledger
		transactions, numbers := map[string]bool{}, map[payment.RefundNo]bool{}
		for _, line := range lines {
			transactions[line.TransactionID], numbers[line.RefundNo] = true, true
		}
		var entries []payment.LedgerEntry
		for p := range l.payments.where(func(p payment.Payment) bool { return transactions[p.TransactionID] }) {
			entries = append(entries, payment.LedgerEntry{Payment: p})
		}
		for r := range l.refunds.where(func(r payment.Refund) bool { return numbers[r.No] }) {
			paid, _ := l.paymentByID(r.Payment)
			entries = append(entries, payment.LedgerEntry{Payment: paid, Refund: r})
		}
		return entries, nil
	})
}

func (v Ledger) PaymentsPaid(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	return read(ctx, v.s, func() ([]payment.LedgerEntry, error) {
		var entries []payment.LedgerEntry
		for _, p := range v.s.ledger.payments {
			entries = append(entries, payment.LedgerEntry{Payment: p})
		}
		return between(entries, after, until, limit), nil
	})
}

func (v Ledger) RefundsSent(ctx context.Context, after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
	return read(ctx, v.s, func() ([]payment.LedgerEntry, error) {
		var entries []payment.LedgerEntry
		for r := range v.s.ledger.refunds.where(func(r payment.Refund) bool { return r.WalletID != "" }) {
			paid, _ := v.s.ledger.paymentByID(r.Payment)
			entries = append(entries, payment.LedgerEntry{Payment: paid, Refund: r})
		}
		return between(entries, after, until, limit), nil
	})
}

// between returns at most limit of the entries after the cursor and before until, in the order of their cursors.
func between(entries []payment.LedgerEntry, after payment.Cursor, until time.Time, limit int) []payment.LedgerEntry {
	within := filter(slices.Values(entries), func(e payment.LedgerEntry) bool {
		return after.IsBefore(e.Cursor()) && e.Cursor().At.Before(until)
	})
	return first(sorted(within, func(a, b payment.LedgerEntry) int {
		if a.Cursor().IsBefore(b.Cursor()) {
			return -1
		}
		return 1
	}), limit)
}

func (v Ledger) StoreFindings(ctx context.Context, began time.Time, all []payment.Finding) error {
	return exec(ctx, v.s, func() error {
		l := &v.s.ledger
		for _, f := range all {
			key := findingKey{f.Day, f.Kind, f.TransactionID, f.RefundNo}
			known, exists := l.findings[key]
			if f.ID = known.ID; !exists {
				f.ID = payment.FindingID(v.s.numbers.finding.next())
			}
			f.Resolved = instant.Normalise(f.Resolved)
			seen := instant.Normalise(began)
			if known.seen.After(seen) {
				seen = known.seen
			}
			l.findings[key] = seenFinding{f, seen}
		}
		return nil
	})
}

func (Ledger) SettleFinding(ctx context.Context, _ payment.FindingID, _ time.Time) error {
	_, err := unasked[struct{}](ctx)
	return err
}

func (v Ledger) EndReconciliation(ctx context.Context, d payment.Day, began, now time.Time) error {
	return exec(ctx, v.s, func() error {
		l := &v.s.ledger
		for key, f := range l.findings {
			if key.day == d && f.Resolved.IsZero() && f.seen.Before(instant.Normalise(began)) {
				f.Resolved = instant.Normalise(now)
				l.findings[key] = f
			}
		}
		if d.IsOver(now) {
			l.reconciliations[d] = reconciliation{completed: instant.Normalise(now)}
		}
		return nil
	})
}

func (v Ledger) ClaimReconciliation(ctx context.Context, d payment.Day, now, until time.Time) (bool, error) {
	return write(ctx, v.s, func() (bool, error) {
		known := v.s.ledger.reconciliations[d]
		if !known.completed.IsZero() || known.leased.After(instant.Normalise(now)) {
			return false, nil
		}
		v.s.ledger.reconciliations[d] = reconciliation{leased: instant.Normalise(until)}
		return true, nil
	})
}

func (v Ledger) Findings(ctx context.Context, f payment.FindingFilter, p page.Request) (page.Page[payment.Finding], error) {
	all, err := pageOf(ctx, v.s, p, v.s.ledger.findings.where(func(one seenFinding) bool {
		state := payment.FindingOpen
		if !one.Resolved.IsZero() {
			state = payment.FindingResolved
		}
		from, _ := one.Day.Bounds()
		return f.Has(from) && (f.Kind == "" || f.Kind == one.Kind) && (f.State == "" || f.State == state)
	}), page.Keys(f.Span, func(one seenFinding) page.Cursor { return page.Cursor{ID: int64(one.ID)} }))
	return page.Map(all, func(one seenFinding) payment.Finding { return one.Finding }), err
}
