package people

import (
	"context"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Throttle implements access.Throttle. It counts for all servers on the database.
type Throttle struct{ DB *engine.DB }

const (
	// fillingFailures finds whether the source $2 is a usual one of the phone $1: a login after $3. And for each grouping of
	// access.Limits it finds the failure that fills it, NULL if it is not full: an attempt is admitted when that leaves the window.
	// $4 to $6 are of the phone at the source, $7 to $9 of the phone at unusual sources, $10 to $12 of the source: failures after
	// the first and not after the second count, and the third is how many later ones fill the grouping.
	fillingFailures = `
		SELECT
			EXISTS (SELECT 1 FROM usual_sources WHERE phone = $1 AND source = $2 AND last_login > $3),
			(SELECT failed FROM login_failures
				WHERE phone = $1 AND source = $2 AND in_pair AND failed > $4 AND failed <= $5
				ORDER BY failed DESC LIMIT 1 OFFSET CAST($6 AS bigint)),
			(SELECT failed FROM login_failures
				WHERE phone = $1 AND in_unusual AND failed > $7 AND failed <= $8
				ORDER BY failed DESC LIMIT 1 OFFSET CAST($9 AS bigint)),
			(SELECT failed FROM login_failures
				WHERE source = $2 AND failed > $10 AND failed <= $11
				ORDER BY failed DESC LIMIT 1 OFFSET CAST($12 AS bigint))`

	// deleteFailure removes the latest failure of the phone $1 from the source $2.
	deleteFailure = `
		DELETE FROM login_failures WHERE id = (
			SELECT id FROM login_failures WHERE phone = $1 AND source = $2
			ORDER BY failed DESC, id DESC LIMIT 1)`

	// insertUsual stores that the phone $1, which an account has, has logged in from the source $2 at $3.
	insertUsual = `
		INSERT INTO usual_sources AS o (phone, source, last_login)
		SELECT u.phone, CAST($2 AS text), CAST($3 AS timestamptz) FROM users u WHERE u.phone = $1
		ON CONFLICT (phone, source) DO UPDATE SET last_login = EXCLUDED.last_login WHERE EXCLUDED.last_login > o.last_login`

	// DeleteFailures removes the failures of the phone $1.
	DeleteFailures = `
		DELETE FROM login_failures WHERE phone = $1`
)

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	now = instant.Normalise(now)
	limits := access.Limits()
	return v.DB.WriteAside(ctx, func(tx *engine.Tx) error {
		lockAttempt(tx, a)
		var isUsual bool
		filling := make([]engine.Time, len(limits)) // the failure that fills the grouping of a limit; zero: none does
		args, into := []any{a.Phone.String(), a.Source.String(), now.Add(-access.UsualFor)}, []any{&isUsual}
		for i, l := range limits {
			after, last := ratelimit.Window(l.Window, now)
			args, into = append(args, after, last, l.Max-1), append(into, &filling[i])
		}
		tx.Queue(fillingFailures, args...).Into(into...)
		if err := tx.Send(); err != nil {
			return err
		}
		var wait time.Duration // until all groupings admit an attempt
		for i, l := range limits {
			if !filling[i].IsZero() && !(l.Grouping.SparesUsual() && isUsual) {
				wait = max(wait, filling[i].Add(l.Window).Sub(now))
			}
		}
		if wait > 0 {
			return access.ErrThrottled(wait)
		}
		tx.Queue("INSERT INTO login_failures (phone, source, failed, in_pair, in_unusual) VALUES ($1, $2, $3, TRUE, $4)",
			a.Phone.String(), a.Source.String(), now, !isUsual)
		return nil
	})
}

func (v Throttle) IsUsual(ctx context.Context, a access.Attempt, now time.Time) (is bool, err error) {
	since := v.DB.Dialect.Instant(instant.Normalise(now).Add(-access.UsualFor))
	err = v.DB.ReadRow(ctx, "SELECT EXISTS (SELECT 1 FROM usual_sources WHERE phone = $1 AND source = $2 AND last_login > $3)",
		[]any{a.Phone.String(), a.Source.String(), since}, &is)
	return is, err
}

func (v Throttle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		lockAttempt(tx, a)
		tx.Queue(deleteFailure, a.Phone.String(), a.Source.String())
		tx.Queue("UPDATE login_failures SET in_pair = FALSE WHERE phone = $1 AND source = $2 AND in_pair", a.Phone.String(), a.Source.String())
		tx.Queue(insertUsual, a.Phone.String(), a.Source.String(), instant.Normalise(now))
		return nil
	})
}

func (v Throttle) Abandon(ctx context.Context, a access.Attempt, _ time.Time) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		lockAttempt(tx, a)
		tx.Queue(deleteFailure, a.Phone.String(), a.Source.String())
		return nil
	})
}

func (v Throttle) Forget(ctx context.Context, phone user.Phone) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Lock(LoginsOf(phone.String()))
		tx.Queue(DeleteFailures, phone.String())
		return nil
	})
}

// lockAttempt locks the attempt's source and phone until the transaction ends. All callers lock the source first, which prevents
// deadlocks.
func lockAttempt(tx *engine.Tx, a access.Attempt) {
	tx.Lock("logins from "+a.Source.String(), LoginsOf(a.Phone.String()))
}

// LoginsOf returns the name of the lock of a phone's attempts.
func LoginsOf(phone string) string { return "logins of " + phone }
