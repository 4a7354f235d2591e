package bunstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/access"
	"plaza/domain/instant"
)

// Throttle implements access.Throttle. It counts for all servers on the database.
type Throttle struct{ s *Store }

// Throttle returns the counter of failed logins.
func (s *Store) Throttle() Throttle { return Throttle{s} }

var _ access.Throttle = Throttle{}

// failureRow is an attempt that counts as failed: always BySourceAny, and in the other
// groupings as marked.
type failureRow struct {
	bun.BaseModel `bun:"table:login_failures,alias:f"`
	ID            int64 `bun:",pk,autoincrement"`
	Phone         string
	Source        string
	Failed        dbTime
	InPair        bool
	InUnusual     bool
}

// usualRow is a source from which a phone has logged in.
type usualRow struct {
	bun.BaseModel `bun:"table:usual_sources,alias:o"`
	Phone         string `bun:",pk"`
	Source        string `bun:",pk"`
	LastLogin     dbTime
}

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	now = instant.Normalise(now)
	err := v.exclusively(ctx, a, func(ctx context.Context, tx *transaction) error {
		wait, usual, err := v.wait(ctx, tx, a, now)
		if err != nil {
			return err
		}
		if wait > 0 {
			return access.ErrThrottled(wait)
		}
		row := failureRow{
			Phone: a.Phone.String(), Source: a.Source.String(), Failed: dbTime{now}, InPair: true, InUnusual: !usual,
		}
		_, err = tx.NewInsert().Model(&row).Exec(ctx)
		return err
	})
	if err == nil {
		v.s.sweepSometimes(ctx, v.expired(now)...)
	}
	return err
}

func (v Throttle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	return v.exclusively(ctx, a, func(ctx context.Context, tx *transaction) error {
		if err := deleteLatestFailure(ctx, tx, a); err != nil {
			return err
		}
		if err := resetPair(ctx, tx, a); err != nil {
			return err
		}
		return makeUsual(ctx, tx, a, instant.Normalise(now))
	})
}

func (v Throttle) Abandon(ctx context.Context, a access.Attempt, _ time.Time) error {
	return v.exclusively(ctx, a, func(ctx context.Context, tx *transaction) error { return deleteLatestFailure(ctx, tx, a) })
}

// exclusively calls fn in a transaction that locks the attempt's source and phone. All
// callers lock the source first, which prevents deadlocks.
func (v Throttle) exclusively(ctx context.Context, a access.Attempt, fn func(ctx context.Context, tx *transaction) error) error {
	return v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		for _, name := range []string{"logins from " + a.Source.String(), "logins of " + a.Phone.String()} {
			if err := v.s.dialect.lock(ctx, tx, name); err != nil {
				return err
			}
		}
		return fn(ctx, tx)
	})
}

// wait returns how long all groupings need to admit an attempt, zero if they do now,
// and reports whether the source is usual, in one statement.
func (v Throttle) wait(ctx context.Context, tx *transaction, a access.Attempt, now time.Time) (longest time.Duration, usual bool, err error) {
	limits := access.Limits()
	last := make([]dbTime, len(limits))
	into := []any{&usual}
	query := tx.NewSelect().ColumnExpr("EXISTS (?)", tx.NewSelect().Model((*usualRow)(nil)).ColumnExpr("1").
		Where("phone = ? AND source = ?", a.Phone.String(), a.Source.String()).
		Where("last_login > ?", dbTime{now.Add(-access.UsualFor)}))
	for i, l := range limits {
		query.ColumnExpr("(?)", limitingFailure(tx, l, a, now))
		into = append(into, &last[i])
	}
	if err := query.Scan(ctx, into...); err != nil {
		return 0, false, err
	}
	for i, l := range limits {
		if last[i].IsZero() || l.Grouping.SparesUsual() && usual {
			continue
		}
		longest = max(longest, last[i].Add(l.Window).Sub(now))
	}
	return longest, usual, nil
}

// limitingFailure returns the query for the failure that fills a grouping: an attempt is
// admitted when it leaves the window. It finds nothing if the grouping is not full.
func limitingFailure(tx *transaction, l access.Limit, a access.Attempt, now time.Time) *bun.SelectQuery {
	query := tx.NewSelect().Model((*failureRow)(nil)).Column("failed").
		Where("failed > ?", dbTime{now.Add(-l.Window)}).
		Order("failed DESC").Limit(1).Offset(int64(l.Max - 1))
	switch l.Grouping {
	case access.ByPair:
		return query.Where("phone = ? AND source = ? AND in_pair", a.Phone.String(), a.Source.String())
	case access.ByUnusual:
		return query.Where("phone = ? AND in_unusual", a.Phone.String())
	default:
		return query.Where("source = ?", a.Source.String())
	}
}

// deleteLatestFailure deletes the attempt's latest failure.
func deleteLatestFailure(ctx context.Context, tx *transaction, a access.Attempt) error {
	latest := tx.NewSelect().Model((*failureRow)(nil)).Column("id").
		Where("phone = ? AND source = ?", a.Phone.String(), a.Source.String()).
		Order("failed DESC", "id DESC").Limit(1)
	_, err := tx.NewDelete().Model((*failureRow)(nil)).Where("id = (?)", latest).Exec(ctx)
	return err
}

// resetPair excludes the failures of the pair from ByPair.
func resetPair(ctx context.Context, tx *transaction, a access.Attempt) error {
	_, err := tx.NewUpdate().Model((*failureRow)(nil)).Set("in_pair = ?", false).
		Where("phone = ? AND source = ? AND in_pair", a.Phone.String(), a.Source.String()).Exec(ctx)
	return err
}

func makeUsual(ctx context.Context, tx *transaction, a access.Attempt, now time.Time) error {
	row := usualRow{Phone: a.Phone.String(), Source: a.Source.String(), LastLogin: dbTime{now}}
	_, err := tx.NewInsert().Model(&row).On("CONFLICT (phone, source) DO UPDATE").
		Set("last_login = EXCLUDED.last_login").Where("EXCLUDED.last_login > o.last_login").Exec(ctx)
	return err
}

// expired selects the failures and usual sources that no limit considers any more, and the
// charges that are paid off.
func (v Throttle) expired(now time.Time) []expired {
	var longest time.Duration
	for _, l := range access.Limits() {
		longest = max(longest, l.Window)
	}
	return []expired{
		{"login_failures", []string{"id"}, "failed", dbTime{instant.Normalise(now.Add(-longest))}},
		{"usual_sources", []string{"phone", "source"}, "last_login", dbTime{instant.Normalise(now.Add(-access.UsualFor))}},
		{"rate_limits", []string{"user_id", "action"}, "until", now.UnixMicro()},
	}
}
