package bunstore

import (
	"context"
	"errors"
	"time"

	"plaza/domain/ratelimit"
)

// rateLimitSteps are the statements of charges: $1 account, $2 action, $3 now, $4 price,
// $5 period. Times are in microseconds, those of now since 1970.
//
// Charges cannot cause deadlocks. A charge is the first lock of its transaction, so one that
// waits for it holds nothing. Only a change of an event locks the event's row before its
// charge. The holder of such a charge then waits for counters of the feed alone, which
// every transaction locks last. A transaction with several charges locks them in the order
// of ratelimit.Limits.Upload; all others have one.
type rateLimitSteps struct {
	charge     string
	chargeEdit string // and $6 event, $7 revision: only if the event has the revision, whose row it locks
	paid       string // $1 account, $2 action
}

func newRateLimitSteps(d dialect) rateLimitSteps {
	const after = "CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4"
	charge := func(source string) string {
		return d.mustMatch("INSERT INTO rate_limits AS r (user_id, action, until) "+source+
			" ON CONFLICT (user_id, action) DO UPDATE SET until = "+after+" WHERE "+after+" <= $3 + $5", "until")
	}
	const row = "CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS bigint) + CAST($4 AS bigint)"
	return rateLimitSteps{
		charge: charge(d.values(row)),
		chargeEdit: charge("SELECT " + row + " FROM (SELECT 1 FROM events WHERE id = $6 AND revision = $7 " + d.forNoKeyUpdate() +
			") AS e WHERE TRUE"),
		paid: "SELECT until FROM rate_limits WHERE user_id = $1 AND action = $2",
	}
}

// refused reports that the charge was not admitted.
type refused struct{ ratelimit.Charge }

func (r refused) Error() string { return "charge refused: " + string(r.Action) }

// chargeSteps returns the steps that apply the charges: each must match. A free charge has
// none. A first price never exceeds the period, so only an existing row can refuse it.
func (s *Store) chargeSteps(charges []ratelimit.Charge) (steps []step) {
	for _, c := range charges {
		if !c.IsFree() {
			steps = append(steps, step{statement: s.sql.charge, args: chargeArgs(c), mustMatch: true, missed: refused{c}})
		}
	}
	return steps
}

func chargeArgs(c ratelimit.Charge) []any {
	return []any{c.Account, string(c.Action), c.Now.UnixMicro(), c.Price().Microseconds(), c.Limit.Period.Microseconds()}
}

// writeCharged is write in a transaction that the charges begin, in its first round trip.
func (s *Store) writeCharged(
	ctx context.Context, charges []ratelimit.Charge, fn func(ctx context.Context, tx *transaction) error,
) error {
	return s.writeWithin(ctx, s.limit, s.chargeSteps(charges), fn)
}

// minWait is what a caller is told to wait who was refused, but would be admitted now.
const minWait = time.Second

// orThrottled converts the refusal of a charge into its fault, which needs the stored time.
func (s *Store) orThrottled(ctx context.Context, err error) error {
	r, is := errors.AsType[refused](err)
	if !is {
		return err
	}
	var paid int64
	err = s.read(ctx, func(ctx context.Context) error {
		return s.each(ctx, s.sql.paid, []any{r.Account, string(r.Action)}, func(scan func(...any) error) error { return scan(&paid) })
	})
	if err != nil {
		return err
	}
	if _, err := r.Apply(time.UnixMicro(paid)); err != nil {
		return err
	}
	return ratelimit.ErrThrottled(r.Action, minWait)
}
