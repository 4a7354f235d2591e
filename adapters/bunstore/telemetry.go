package bunstore

import (
	"context"
	"strconv"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/payment"
	"plaza/domain/telemetry"
)

// Telemetry implements telemetry.Sampler.
type Telemetry struct{ s *Store }

// Telemetry returns the sampler of the store.
func (s *Store) Telemetry() Telemetry { return Telemetry{s} }

// sampleStatement is written so that an index ends each part early: a count after MaxCount
// entries, the oldest prepayment after one. $1 is the translator, $2 the day.
func sampleStatement(d engine.Dialect) string {
	count := func(rows string) string {
		return "(SELECT COUNT(*) FROM (SELECT 1 FROM " + rows + " LIMIT " + strconv.Itoa(telemetry.MaxCount) + ") counted)"
	}
	var findings string
	for _, kind := range payment.FindingKinds() {
		findings += ", " + count("findings"+d.IndexedBy("findings_open")+" WHERE kind = '"+string(kind)+"' AND resolved IS NULL")
	}
	return "SELECT " + count("payments"+d.IndexedBy("payments_still_due")+" WHERE state = 'refund_due' AND refunded < amount") +
		", " + count("payments WHERE state = 'disputed'") +
		", (SELECT created FROM prepayments WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT 1)" +
		", " + count("discards") + ", " + count("refunds WHERE state = 'abnormal'") +
		", COALESCE((SELECT characters FROM translation_days WHERE translator = $1 AND day = $2), 0)" +
		", (SELECT began FROM import_completion), (SELECT ended FROM import_completion)" +
		", (SELECT completed FROM reconciliations WHERE completed IS NOT NULL ORDER BY day DESC LIMIT 1)" + findings
}

// Recent implements telemetry.Sampler with one statement.
func (v Telemetry) Recent(ctx context.Context, first time.Time, days int) (r telemetry.Recent, err error) {
	return r, err
}

// Sample implements telemetry.Sampler with one statement.
func (v Telemetry) Sample(ctx context.Context, q telemetry.Query) (sample telemetry.Sample, err error) {
	counts := make([]int, len(payment.FindingKinds()))
	targets := []any{
		&sample.RefundDue, &sample.Disputed, engine.IntoTime{Into: &sample.OldestPrepayment}, &sample.Deletions, &sample.AbnormalRefunds,
		&sample.Spent, engine.IntoTime{Into: &sample.Import.Began}, engine.IntoTime{Into: &sample.Import.Ended},
		engine.IntoTime{Into: &sample.Reconciled},
	}
	for n := range counts {
		targets = append(targets, &counts[n])
	}
	err = v.s.ReadRow(ctx, sampleStatement(v.s.Dialect), []any{q.Translator, v.s.Dialect.Instant(q.Day)}, targets...)
	for n, kind := range payment.FindingKinds() {
		if counts[n] > 0 {
			if sample.OpenFindings == nil {
				sample.OpenFindings = map[payment.FindingKind]int{}
			}
			sample.OpenFindings[kind] = counts[n]
		}
	}
	return sample, err
}
