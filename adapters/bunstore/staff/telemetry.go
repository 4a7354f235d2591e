package staff

import (
	"context"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/application/telemetry"
	"plaza/domain/payment"
)

// Telemetry implements telemetry.Sampler.
type Telemetry struct{ DB *engine.DB }

// In each statement an index ends each part early: a count after telemetry.MaxCount entries, which is 10000, the oldest
// prepayment after one.
var (
	// sampled finds what a sample has, of the translator $1 on the day $2.
	sampled = engine.Both(`
		SELECT
			(SELECT COUNT(*) FROM (SELECT 1 FROM payments INDEXED BY payments_still_due
				WHERE state = 'refund_due' AND refunded < amount LIMIT 10000) counted) AS refund_due,
			(SELECT COUNT(*) FROM (SELECT 1 FROM payments WHERE state = 'disputed' LIMIT 10000) counted) AS disputed,
			(SELECT created FROM prepayments
				WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT 1) AS oldest,
			COALESCE((SELECT protocol FROM prepayments
				WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT 1), '') AS protocol,
			(SELECT COUNT(*) FROM (SELECT 1 FROM discards WHERE key NOT LIKE 'trash/%' LIMIT 10000) counted) AS deletions,
			(SELECT COUNT(*) FROM (SELECT 1 FROM refunds WHERE state = 'abnormal' LIMIT 10000) counted) AS abnormal,
			COALESCE((SELECT characters FROM translation_days WHERE translator = $1 AND day = $2), 0) AS spent,
			(SELECT began FROM import_completion) AS began,
			(SELECT ended FROM import_completion) AS ended,
			(SELECT completed FROM reconciliations WHERE completed IS NOT NULL ORDER BY day DESC LIMIT 1) AS reconciled`)

	// openFindings counts the open findings of the kind $1.
	openFindings = engine.Both(`
		SELECT COUNT(*) FROM (SELECT 1 FROM findings INDEXED BY findings_open
			WHERE kind = $1 AND resolved IS NULL LIMIT 10000) counted`)

	// waiting counts open orders, refunds that are processing, open cases of reports, and which of the oldest prepayments are in doubt.
	waiting = engine.Both(`
		SELECT
			(SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE state = 'open' LIMIT 10000) counted),
			(SELECT COUNT(*) FROM (SELECT 1 FROM refunds WHERE state = 'processing' LIMIT 10000) counted),
			(SELECT COUNT(*) FROM (SELECT 1 FROM report_cases INDEXED BY report_cases_open WHERE decided IS NULL LIMIT 10000) counted),
			(SELECT COUNT(*) FROM (SELECT state FROM prepayments INDEXED BY prepayments_oldest_live
				WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT 10000) oldest
				WHERE state IN ('unknown', 'closing'))`)

	// createdBetween counts users, events and comments from $1 on and before $2.
	createdBetween = engine.Both(`
		SELECT
			(SELECT COUNT(*) FROM (SELECT 1 FROM users INDEXED BY users_by_joined
				WHERE joined >= $1 AND joined < $2 LIMIT 10000) counted),
			(SELECT COUNT(*) FROM (SELECT 1 FROM events INDEXED BY events_by_created
				WHERE created >= $1 AND created < $2 LIMIT 10000) counted),
			(SELECT COUNT(*) FROM (SELECT 1 FROM comments INDEXED BY comments_by_created
				WHERE created >= $1 AND created < $2 LIMIT 10000) counted)`)
)

// Recent implements telemetry.Sampler in one round trip.
func (v Telemetry) Recent(ctx context.Context, days []time.Time) (r telemetry.Recent, err error) {
	r.Days = make([]telemetry.Day, len(days)-1)
	reads := []engine.Step{{Statement: v.DB.Pick(waiting), Row: engine.Into(&r.OpenOrders, &r.Refunds, &r.OpenReports, &r.InDoubt)}}
	for n := range r.Days {
		day := &r.Days[n]
		day.Day = days[n]
		reads = append(reads, engine.Step{
			Statement: v.DB.Pick(createdBetween), Args: []any{v.DB.Dialect.Instant(days[n]), v.DB.Dialect.Instant(days[n+1])},
			Row: engine.Into(&day.Joined, &day.Events, &day.Comments),
		})
	}
	err = v.DB.ReadRows(ctx, func() {}, reads...)
	return r, err
}

// Sample implements telemetry.Sampler in one round trip.
func (v Telemetry) Sample(ctx context.Context, q telemetry.Query) (sample telemetry.Sample, err error) {
	var oldest, began, ended, reconciled engine.Time
	reads := []engine.Step{{
		Statement: v.DB.Pick(sampled), Args: []any{q.Translator, v.DB.Dialect.Instant(q.Day)},
		Row: engine.Into(&sample.RefundDue, &sample.Disputed, &oldest, (*string)(&sample.OldestProtocol), &sample.Deletions,
			&sample.AbnormalRefunds, &sample.Spent, &began, &ended, &reconciled),
	}}
	for _, kind := range payment.FindingKinds() {
		reads = append(reads, engine.Step{Statement: v.DB.Pick(openFindings), Args: []any{string(kind)}, Row: func(scan engine.Scanner) error {
			var open int
			err := scan(&open)
			if open > 0 {
				if sample.OpenFindings == nil {
					sample.OpenFindings = map[payment.FindingKind]int{}
				}
				sample.OpenFindings[kind] = open
			}
			return err
		}})
	}
	err = v.DB.ReadRows(ctx, func() { sample = telemetry.Sample{} }, reads...)
	sample.OldestPrepayment, sample.Reconciled = oldest.Time, reconciled.Time
	sample.Import.Began, sample.Import.Ended = began.Time, ended.Time
	return sample, err
}
