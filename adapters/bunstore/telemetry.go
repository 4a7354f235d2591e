package bunstore

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"plaza/domain/payment"
	"plaza/domain/telemetry"
)

// Telemetry implements telemetry.Sampler.
type Telemetry struct{ s *Store }

// Telemetry returns the sampler of the store.
func (s *Store) Telemetry() Telemetry { return Telemetry{s} }

var _ telemetry.Sampler = Telemetry{}

// telemetrySteps are the statements of Telemetry.
type telemetrySteps struct {
	sample string // $1 translator, $2 day
}

// newTelemetrySteps writes each part so that an index ends it early: a count after MaxCount
// entries, the oldest prepayment after one.
func newTelemetrySteps(d dialect) telemetrySteps {
	count := func(rows string) string {
		return "(SELECT COUNT(*) FROM (SELECT 1 FROM " + rows + " LIMIT " + strconv.Itoa(telemetry.MaxCount) + ") counted)"
	}
	var findings string
	for _, kind := range payment.FindingKinds() {
		findings += ", " + count("findings"+d.indexedBy("findings_open")+" WHERE kind = '"+string(kind)+"' AND resolved IS NULL")
	}
	return telemetrySteps{
		sample: "SELECT " + count("payments"+d.indexedBy("payments_still_due")+" WHERE state = 'refund_due' AND refunded < amount") + ", " + count("payments WHERE state = 'disputed'") +
			", (SELECT created FROM prepayments WHERE state IN ('preparing', 'unknown', 'live', 'closing') ORDER BY created LIMIT 1)" +
			", " + count("discards") + ", " + count("refunds WHERE state = 'abnormal'") +
			", COALESCE((SELECT characters FROM translation_days WHERE translator = $1 AND day = $2), 0)" +
			", (SELECT began FROM import_completion), (SELECT ended FROM import_completion)" +
			", (SELECT completed FROM reconciliations WHERE completed IS NOT NULL ORDER BY day DESC LIMIT 1)" + findings,
	}
}

// Sample implements telemetry.Sampler with one statement.
func (v Telemetry) Sample(ctx context.Context, q telemetry.Query) (sample telemetry.Sample, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		args := []any{q.Translator, v.s.dialect.instant(dbTime{q.Day})}
		return v.s.each(ctx, v.s.sql.sample, args, func(scan func(...any) error) error {
			sample = telemetry.Sample{}
			var counts [4]int // in the order of payment.FindingKinds
			err := scan(&sample.RefundDue, &sample.Disputed, intoTime{&sample.OldestPrepayment}, &sample.Deletions, &sample.AbnormalRefunds, &sample.Spent,
				intoTime{&sample.Import.Began}, intoTime{&sample.Import.Ended}, intoTime{&sample.Reconciled},
				&counts[0], &counts[1], &counts[2], &counts[3])
			for n, kind := range payment.FindingKinds() {
				if counts[n] > 0 {
					if sample.OpenFindings == nil {
						sample.OpenFindings = map[payment.FindingKind]int{}
					}
					sample.OpenFindings[kind] = counts[n]
				}
			}
			return err
		})
	})
	return sample, err
}

// Pool describes a pool of connections to the database. Its counts begin when the store is
// opened.
type Pool struct {
	Name                string
	Acquired, Idle, Max int           // connections now, and the most that may be open
	Waits               int64         // calls that had to wait for a connection
	Waited              time.Duration // by all of them together
}

// Pools returns the pools of the store: that of Postgres, or those of the reading connections
// and of the writing one of SQLite.
func (s *Store) Pools() []Pool { return s.dialect.pools(s) }

func (d postgres) pools(*Store) []Pool {
	stat := d.pool.Stat()
	return []Pool{{
		Name: "requests", Acquired: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Max: int(stat.MaxConns()),
		Waits: stat.EmptyAcquireCount(), Waited: stat.EmptyAcquireWaitTime(),
	}}
}

func (sqlite) pools(s *Store) []Pool {
	pool := func(name string, stats sql.DBStats) Pool {
		return Pool{
			Name: name, Acquired: stats.InUse, Idle: stats.Idle, Max: stats.MaxOpenConnections,
			Waits: stats.WaitCount, Waited: stats.WaitDuration,
		}
	}
	return []Pool{pool("reader", s.reader.Stats()), pool("writer", s.db.Stats())}
}
