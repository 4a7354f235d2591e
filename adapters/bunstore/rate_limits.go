package bunstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/ratelimit"
)

// rateLimitSteps are the statements of charges: $1 account, $2 action, $3 now, $4 price,
// $5 period. Times are in microseconds, those of now since 1970.
//
// Charges cannot cause deadlocks, because a transaction that waits for one holds nothing that
// the holder of the charge may wait for:
//
//   - A charge is the first lock of its transaction, with two exceptions.
//   - A comment or a like first keeps its event from being removed. Only a removal waits for
//     that, and it has no charge.
//   - A change of an event first locks the event's row. The holder of the charge that it
//     waits for has locked its own event before, or changes none. So it waits for no event.
//
// Counters of the feed are locked last by every transaction. A transaction with several
// charges locks them in the order of ratelimit.Limits.Upload.
type rateLimitSteps struct {
	charge     string
	chargeOn   string // and $6 event: only if the event exists, which stays until the transaction ends
	chargeEdit string // and $6 event, $7 revision: only if the event has the revision, which it keeps as long
	spentUntil string // $1 account, $2 action
}

func newRateLimitSteps(d engine.Dialect) rateLimitSteps {
	const after = "CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4"
	charge := func(source string) string {
		return d.MustMatch("INSERT INTO rate_limits AS r (user_id, action, until) "+source+
			" ON CONFLICT (user_id, action) DO UPDATE SET until = "+after+" WHERE "+after+" <= $3 + $5", "until")
	}
	const values = "CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS bigint) + CAST($4 AS bigint)"
	chargeIf := func(row string) string {
		return charge("SELECT " + values + " FROM (SELECT 1 FROM " + row + ") AS e WHERE TRUE" + d.UnlessMissed())
	}
	return rateLimitSteps{
		charge:     charge(d.Values(values)),
		chargeOn:   chargeIf("event_counts WHERE event_id = $6 " + d.LockRows("FOR KEY SHARE")),
		chargeEdit: chargeIf("events WHERE id = $6 AND revision = $7 " + d.LockRows("FOR NO KEY UPDATE")),
		spentUntil: "SELECT until FROM rate_limits WHERE user_id = $1 AND action = $2",
	}
}

// refused reports that the charge was not admitted. If it is a gate, its condition may have
// failed instead.
type refused struct {
	ratelimit.Charge
	isGate bool
}

func (r refused) Error() string { return "charge refused: " + string(r.Action) }

// chargeSteps returns the steps that apply the charges: each must match. A free charge has
// none. A first price never exceeds the period, so only an existing row can refuse it.
func (s *Store) chargeSteps(charges []ratelimit.Charge) (steps []engine.Step) {
	for _, c := range charges {
		if !c.IsFree() {
			steps = append(steps, engine.Step{Statement: s.steps.charge, Args: chargeArgs(c), MustMatch: true, Missed: refused{Charge: c}})
		}
	}
	return steps
}

func chargeArgs(c ratelimit.Charge) []any {
	return []any{c.Account, string(c.Action), c.Now.UnixMicro(), c.Cost().Microseconds(), c.Limit.Period.Microseconds()}
}

// gated returns the steps behind the charges. A single charge comes first, by the statement
// of a gate with further arguments, which makes sure that the first of the steps matches. So
// all fit into one round trip.
func (s *Store) gated(charges []ratelimit.Charge, gate string, args []any, steps []engine.Step) []engine.Step {
	charges = slices.DeleteFunc(slices.Clone(charges), ratelimit.Charge.IsFree)
	if len(charges) != 1 {
		return append(s.chargeSteps(charges), steps...)
	}
	c, steps := charges[0], slices.Clone(steps)
	steps[0].MustMatch = false
	return slices.Insert(steps, 0, engine.Step{
		Statement: gate, Args: append(chargeArgs(c), args...), MustMatch: true, Missed: refused{Charge: c, isGate: true},
	})
}

// writeCharged is write in a transaction that the charges begin, in its first round trip.
func (s *Store) writeCharged(
	ctx context.Context, charges []ratelimit.Charge, fn func(ctx context.Context, tx *listedTransaction) error,
) error {
	return s.writeWithin(ctx, s.Limit, s.chargeSteps(charges), fn)
}

// minWait is the time to wait after a refusal of what would be admitted by now.
const minWait = time.Second

// orThrottled converts the refusal of a charge into its fault, which needs the stored time. It
// returns errMissed if the condition of a gate has failed.
func (s *Store) orThrottled(ctx context.Context, err error) error {
	r, is := errors.AsType[refused](err)
	if !is {
		return err
	}
	var paid int64
	err = s.ReadRow(ctx, s.steps.spentUntil, []any{r.Account, string(r.Action)}, &paid)
	if err != nil {
		return err
	}
	if _, err := r.Apply(time.UnixMicro(paid)); err != nil {
		return err
	}
	if r.isGate {
		return engine.ErrMissed
	}
	return ratelimit.ErrThrottled(r.Action, minWait)
}
