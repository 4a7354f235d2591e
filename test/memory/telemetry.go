package memory

import (
	"context"
	"time"

	"plaza/application/telemetry"
	"plaza/domain/payment"
)

type Telemetry view

func (v Telemetry) Recent(ctx context.Context, days []time.Time) (telemetry.Recent, error) {
	return read(ctx, v.s, func() (telemetry.Recent, error) {
		l := &v.s.ledger
		open := func(o payment.Order) bool { return o.State == payment.Open }
		processing := func(r payment.Refund) bool { return r.State == payment.RefundProcessing }
		r := telemetry.Recent{
			OpenOrders: min(l.orders.count(open), telemetry.MaxCount), Refunds: min(l.refunds.count(processing), telemetry.MaxCount),
			OpenReports: min(v.s.cases.count(func(c storedCase) bool { return !c.IsDecided() }), telemetry.MaxCount),
			Days:        make([]telemetry.Day, len(days)-1),
		}
		for _, prepayments := range l.prepayments {
			for _, p := range prepayments {
				if p.IsInDoubt() {
					r.InDoubt++
				}
			}
		}
		for n := range r.Days {
			r.Days[n].Day = days[n]
		}
		add := func(at time.Time, count func(*telemetry.Day) *int) {
			for n := range r.Days {
				if day := &r.Days[n]; !at.Before(day.Day) && at.Before(days[n+1]) {
					*count(day) = min(*count(day)+1, telemetry.MaxCount)
				}
			}
		}
		for _, m := range v.s.members {
			add(m.Joined, func(d *telemetry.Day) *int { return &d.Joined })
		}
		for _, e := range v.s.events {
			add(e.Created, func(d *telemetry.Day) *int { return &d.Events })
		}
		for _, c := range v.s.comments {
			add(c.Created, func(d *telemetry.Day) *int { return &d.Comments })
		}
		return r, nil
	})
}

// Sample implements telemetry.Sampler. It visits all payments and prepayments, which are few in a store for tests and for learning.
func (v Telemetry) Sample(ctx context.Context, q telemetry.Query) (telemetry.Sample, error) {
	return read(ctx, v.s, func() (telemetry.Sample, error) {
		l := &v.s.ledger
		unrefunded := func(p payment.Payment) bool { return p.State == payment.RefundDue && p.Refunded < p.Amount }
		disputed := func(p payment.Payment) bool { return p.State == payment.Disputed }
		abnormal := func(r payment.Refund) bool { return r.State == payment.RefundAbnormal }
		deletions := 0
		for key := range v.s.deletions {
			if !key.IsTrash() {
				deletions++
			}
		}
		sample := telemetry.Sample{
			Deletions:       min(deletions, telemetry.MaxCount),
			Spent:           v.s.translations.spent[account{q.Translator, q.Day}],
			Import:          v.s.imports.completion,
			RefundDue:       min(l.payments.count(unrefunded), telemetry.MaxCount),
			Disputed:        min(l.payments.count(disputed), telemetry.MaxCount),
			AbnormalRefunds: min(l.refunds.count(abnormal), telemetry.MaxCount),
		}
		open := map[payment.FindingKind]int{}
		for _, f := range l.findings {
			if f.Resolved.IsZero() {
				open[f.Kind] = min(open[f.Kind]+1, telemetry.MaxCount)
			}
		}
		if len(open) > 0 {
			sample.OpenFindings = open
		}
		var last payment.Day
		for d, c := range l.reconciliations {
			if !c.completed.IsZero() && d.String() > last.String() {
				last, sample.Reconciled = d, c.completed
			}
		}
		for _, prepayments := range l.prepayments {
			for _, p := range prepayments {
				if p.IsAlive() && (sample.OldestPrepayment.IsZero() || p.Created.Before(sample.OldestPrepayment)) {
					sample.OldestPrepayment, sample.OldestProtocol = p.Created, p.Protocol
				}
			}
		}
		return sample, nil
	})
}
