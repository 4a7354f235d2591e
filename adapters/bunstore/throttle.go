package bunstore

import (
	"context"
	"fmt"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/instant"
	"plaza/domain/user"
)

// Throttle implements access.Throttle. It counts for all servers on the database.
type Throttle struct{ s *Store }

// Throttle returns the counter of failed logins.
func (s *Store) Throttle() Throttle { return Throttle{s} }

var _ access.Throttle = Throttle{}

// throttleSteps are the statements of attempts: $1 phone, $2 source.
type throttleSteps struct {
	isUsual       string // $3 when a usual source must have been used last
	countFailures string // $3 when a usual source must have been used last, and for each limit when its window began
	addFailure    string // $3 now, $4 whether it counts in ByUnusual
	removeFailure string // the latest
	resetPair     string // excludes the failures from ByPair
	addUsual      string // $3 now

	forgetFailures string // of the phone $1
}

func newThrottleSteps(d engine.Dialect) throttleSteps {
	const ofAttempt = "phone = $1 AND source = $2"
	isUsual := "SELECT EXISTS (SELECT 1 FROM usual_sources WHERE " + ofAttempt + " AND last_login > $3)"
	failures := isUsual
	for i, l := range access.Limits() {
		failures += ", (" + limitingFailure(l, fmt.Sprint("$", 4+i)) + ")"
	}
	return throttleSteps{
		isUsual:       isUsual,
		countFailures: failures,
		addFailure:    "INSERT INTO login_failures (phone, source, failed, in_pair, in_unusual) VALUES ($1, $2, $3, TRUE, $4)",
		removeFailure: "DELETE FROM login_failures WHERE id = (SELECT id FROM login_failures WHERE " + ofAttempt +
			" ORDER BY failed DESC, id DESC LIMIT 1)",
		forgetFailures: "DELETE FROM login_failures WHERE phone = $1",
		resetPair:      "UPDATE login_failures SET in_pair = FALSE WHERE " + ofAttempt + " AND in_pair",
		addUsual: "INSERT INTO usual_sources AS o (phone, source, last_login)" +
			" SELECT u.phone, CAST($2 AS text), CAST($3 AS " + d.TimestampType() + ") FROM users u WHERE u.phone = $1" +
			" ON CONFLICT (phone, source) DO UPDATE SET last_login = EXCLUDED.last_login WHERE EXCLUDED.last_login > o.last_login",
	}
}

// limitingFailure returns the query for the failure that fills a grouping: an attempt is
// admitted when it leaves the window. It finds nothing if the grouping is not full.
func limitingFailure(l access.Limit, since string) string {
	grouping := map[access.Grouping]string{
		access.ByPair:      "phone = $1 AND source = $2 AND in_pair",
		access.ByUnusual:   "phone = $1 AND in_unusual",
		access.BySourceAny: "source = $2",
	}[l.Grouping]
	return fmt.Sprintf("SELECT failed FROM login_failures WHERE failed > %s AND %s ORDER BY failed DESC LIMIT 1 OFFSET %d",
		since, grouping, l.Max-1)
}

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	now = instant.Normalise(now)
	return v.s.Call(ctx, func(ctx context.Context) error {
		var counted failures
		first := append(v.lock(a), counted.step(v.s, a, now))
		return v.s.Dialect.Transact(ctx, v.s.Writer, first, func(context.Context, *engine.Transaction) ([]engine.Step, error) {
			if wait := counted.wait(now); wait > 0 {
				return nil, access.ErrThrottled(wait)
			}
			return []engine.Step{v.step(v.s.steps.addFailure, a, v.s.Dialect.Instant(now), !counted.isUsual)}, nil
		})
	})
}

func (v Throttle) IsUsual(ctx context.Context, a access.Attempt, now time.Time) (is bool, err error) {
	since := v.s.Dialect.Instant(instant.Normalise(now).Add(-access.UsualFor))
	err = v.s.ReadRow(ctx, v.s.steps.isUsual, []any{a.Phone.String(), a.Source.String(), since}, &is)
	return is, err
}

func (v Throttle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	return v.s.writeAll(ctx, append(v.lock(a), v.step(v.s.steps.removeFailure, a), v.step(v.s.steps.resetPair, a),
		v.step(v.s.steps.addUsual, a, v.s.Dialect.Instant(instant.Normalise(now)))))
}

func (v Throttle) Abandon(ctx context.Context, a access.Attempt, _ time.Time) error {
	return v.s.writeAll(ctx, append(v.lock(a), v.step(v.s.steps.removeFailure, a)))
}

func (v Throttle) Forget(ctx context.Context, phone user.Phone) error {
	return v.s.writeAll(ctx, append(lockStep(v.s.steps.lockName, loginsOf(phone.String())),
		engine.Step{Statement: v.s.steps.forgetFailures, Args: []any{phone.String()}}))
}

// step returns the statement for the attempt, with further arguments.
func (Throttle) step(statement string, a access.Attempt, args ...any) engine.Step {
	return engine.Step{Statement: statement, Args: append([]any{a.Phone.String(), a.Source.String()}, args...)}
}

// lock returns the steps that lock the attempt's source and phone until the transaction
// ends. All callers lock the source first, which prevents deadlocks.
func (v Throttle) lock(a access.Attempt) []engine.Step {
	lock := v.s.steps.lockName
	return append(lockStep(lock, "logins from "+a.Source.String()), lockStep(lock, loginsOf(a.Phone.String()))...)
}

// loginsOf returns the name of the lock of a phone's attempts.
func loginsOf(phone string) string { return "logins of " + phone }

// failures are the failures that count against an attempt.
type failures struct {
	isUsual bool          // whether the attempt comes from a usual source
	filling []engine.Time // for each limit the failure that fills its grouping, or zero
}

// step reads the failures in one statement.
func (f *failures) step(s *Store, a access.Attempt, now time.Time) engine.Step {
	limits := access.Limits()
	f.filling = make([]engine.Time, len(limits))
	args, into := []any{s.Dialect.Instant(now.Add(-access.UsualFor))}, []any{&f.isUsual}
	for i, l := range limits {
		args, into = append(args, s.Dialect.Instant(now.Add(-l.Window))), append(into, &f.filling[i])
	}
	read := Throttle{s}.step(s.steps.countFailures, a, args...)
	read.ReadsOnly = true
	read.Row = engine.Into(into...)
	return read
}

// wait returns how long all groupings need to admit an attempt, zero if they do now.
func (f *failures) wait(now time.Time) (longest time.Duration) {
	for i, l := range access.Limits() {
		if !f.filling[i].IsZero() && !(l.Grouping.SparesUsual() && f.isUsual) {
			longest = max(longest, f.filling[i].Add(l.Window).Sub(now))
		}
	}
	return longest
}
