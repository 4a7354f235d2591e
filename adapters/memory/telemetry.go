package memory

import (
	"context"

	"plaza/domain/payment"
	"plaza/domain/telemetry"
)

// Telemetry is the store as telemetry.Sampler.
type Telemetry struct{ s *Store }

// Telemetry returns the store's sampler.
func (s *Store) Telemetry() Telemetry { return Telemetry{s} }

var _ telemetry.Sampler = Telemetry{}

// Sample implements telemetry.Sampler. It visits all payments and prepayments, which are few
// in a store for tests and for learning.
func (v Telemetry) Sample(ctx context.Context, q telemetry.Query) (telemetry.Sample, error) {
	return read(ctx, v.s, func() (telemetry.Sample, error) {
		sample := telemetry.Sample{
			Deletions: min(len(v.s.deletions), telemetry.MaxCount),
			Spent:     v.s.translations.spent[account{q.Translator, q.Day}],
			Import:    v.s.imports.completion,
		}
		states := map[payment.PaymentState]int{}
		for _, p := range v.s.ledger.payments {
			if p.State != payment.RefundDue || p.Refunded < p.Amount {
				states[p.State] = min(states[p.State]+1, telemetry.MaxCount)
			}
		}
		sample.RefundDue, sample.Disputed = states[payment.RefundDue], states[payment.Disputed]
		for _, r := range v.s.ledger.refunds {
			if r.State == payment.RefundAbnormal {
				sample.AbnormalRefunds = min(sample.AbnormalRefunds+1, telemetry.MaxCount)
			}
		}
		open := map[payment.FindingKind]int{}
		for _, f := range v.s.ledger.findings {
			if f.Resolved.IsZero() {
				open[f.Kind] = min(open[f.Kind]+1, telemetry.MaxCount)
			}
		}
		if len(open) > 0 {
			sample.OpenFindings = open
		}
		var last payment.Day
		for d, c := range v.s.ledger.reconciliations {
			if !c.completed.IsZero() && d.String() > last.String() {
				last, sample.Reconciled = d, c.completed
			}
		}
		for _, prepayments := range v.s.ledger.prepayments {
			for _, p := range prepayments {
				if p.IsAlive() && (sample.OldestPrepayment.IsZero() || p.Created.Before(sample.OldestPrepayment)) {
					sample.OldestPrepayment = p.Created
				}
			}
		}
		return sample, nil
	})
}
