package bunstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/verification"
)

// sweepMost limits the rows that are removed from a table at once. It is small enough that other
// writers are not slowed.
const sweepMost = 1000

// expiredRows are the rows of a table whose time, in an indexed column, is at or before an instant.
type expiredRows struct {
	table, key, time string
	by               any // an engine.Time, or microseconds since 1970
}

func expired(now time.Time) []expiredRows {
	before := func(age time.Duration) engine.Time { return engine.At(instant.Normalise(now.Add(-age))) }
	var longest time.Duration
	for _, l := range access.Limits() {
		longest = max(longest, l.Window)
	}
	return []expiredRows{
		{"login_failures", "id", "failed", before(longest)},
		{"usual_sources", "phone, source", "last_login", before(access.UsualFor)},
		{"rate_limits", "user_id, action", "until", now.UnixMicro()},
		{"idempotency_keys", "user_id, name", "since", before(idempotency.KeyLife)},
		{"codes", "id", "made", before(verification.Kept)},
		{"code_uses", "id", "at", before(verification.Kept)},
		{"code_days", "day, dialling_code", "day", before(2 * verification.Kept)},
		{"translations", "key", "expires", before(0)},
		{"translation_claims", "key", "until", before(0)},
	}
}

// Sweep removes some of the rows that have expired by now, and reports whether there may be more. It
// skips rows that another transaction has locked, so it never waits and never takes part in a
// deadlock.
func (s *Store) Sweep(ctx context.Context, now time.Time) (more bool, err error) {
	for _, rows := range expired(now) {
		removed, sweepErr := s.sweep(ctx, rows)
		if sweepErr != nil {
			err = errors.Join(err, fmt.Errorf("remove expired rows of %s: %w", rows.table, sweepErr))
		}
		more = more || removed == sweepMost
	}
	return more, err
}

func (s *Store) sweep(ctx context.Context, rows expiredRows) (removed int64, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		oldest := fmt.Sprintf("SELECT %s FROM %s WHERE %s <= ? ORDER BY %s LIMIT %d %s",
			rows.key, rows.table, rows.time, rows.time, sweepMost, s.Dialect.LockRows("FOR UPDATE SKIP LOCKED"))
		done, err := tx.ExecContext(ctx, "DELETE FROM "+rows.table+" WHERE ("+rows.key+") IN ("+oldest+")", rows.by)
		if err != nil {
			return err
		}
		removed, err = done.RowsAffected()
		return err
	})
	return removed, err
}
