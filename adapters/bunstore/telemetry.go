package bunstore

import (
	"context"
	"fmt"
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

// counted counts the rows, at most MaxCount of them.
func counted(rows string) string {
	return "(SELECT COUNT(*) FROM (SELECT 1 FROM " + rows + " LIMIT " + strconv.Itoa(telemetry.MaxCount) + ") counted)"
}

// sampleStatement is written so that an index ends each part early: a count after MaxCount
// entries, the oldest prepayment after one. $1 is the translator, $2 the day.
func sampleStatement(d engine.Dialect) string {
	var findings string
	for _, kind := range payment.FindingKinds() {
		findings += ", " + counted("findings"+d.IndexedBy("findings_open")+" WHERE kind = '"+string(kind)+"' AND resolved IS NULL")
	}
	const oldest = " FROM prepayments WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT 1)"
	return "SELECT " + counted("payments"+d.IndexedBy("payments_still_due")+" WHERE state = 'refund_due' AND refunded < amount") +
		", " + counted("payments WHERE state = 'disputed'") +
		", (SELECT created" + oldest + ", COALESCE((SELECT protocol" + oldest + ", '')" +
		", " + counted("discards WHERE key NOT LIKE 'trash/%'") + ", " + counted("refunds WHERE state = 'abnormal'") +
		", COALESCE((SELECT characters FROM translation_days WHERE translator = $1 AND day = $2), 0)" +
		", (SELECT began FROM import_completion), (SELECT ended FROM import_completion)" +
		", (SELECT completed FROM reconciliations WHERE completed IS NOT NULL ORDER BY day DESC LIMIT 1)" + findings
}

// recentStatement counts as sampleStatement does. It has a parameter for the beginning of each day, and one for the end of
// the last.
func recentStatement(d engine.Dialect, days int) string {
	const alive = " WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT "
	statement := "SELECT " + counted("orders WHERE state = 'open'") + ", " + counted("refunds WHERE state = 'processing'") +
		", " + counted("reports"+d.IndexedBy("reports_open")+" WHERE decided IS NULL") +
		", (SELECT COUNT(*) FROM (SELECT state FROM prepayments" + d.IndexedBy("prepayments_oldest_live") + alive +
		strconv.Itoa(telemetry.MaxCount) + ") oldest WHERE state IN ('unknown', 'closing'))"
	for day := range days {
		for _, of := range []struct{ table, column string }{{"users", "joined"}, {"events", "created"}, {"comments", "created"}} {
			statement += ", " + counted(fmt.Sprintf("%[1]s%[3]s WHERE %[2]s >= $%[4]d AND %[2]s < $%[5]d",
				of.table, of.column, d.IndexedBy(of.table+"_by_"+of.column), day+1, day+2))
		}
	}
	return statement
}

// Recent implements telemetry.Sampler with one statement.
func (v Telemetry) Recent(ctx context.Context, days []time.Time) (r telemetry.Recent, err error) {
	r.Days = make([]telemetry.Day, len(days)-1)
	targets, args := []any{&r.OpenOrders, &r.Refunds, &r.OpenReports, &r.InDoubt}, []any{v.s.Dialect.Instant(days[0])}
	for n := range r.Days {
		day := &r.Days[n]
		day.Day = days[n]
		targets = append(targets, &day.Joined, &day.Events, &day.Comments)
		args = append(args, v.s.Dialect.Instant(days[n+1]))
	}
	return r, v.s.ReadRow(ctx, recentStatement(v.s.Dialect, len(r.Days)), args, targets...)
}

// Sample implements telemetry.Sampler with one statement.
func (v Telemetry) Sample(ctx context.Context, q telemetry.Query) (sample telemetry.Sample, err error) {
	counts := make([]int, len(payment.FindingKinds()))
	targets := []any{
		&sample.RefundDue, &sample.Disputed, engine.IntoTime{Into: &sample.OldestPrepayment}, &sample.OldestProtocol, &sample.Deletions, &sample.AbnormalRefunds,
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
