package people

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/ratelimit"
)

// charge takes the price $4 of the action $2 from the account $1 at the time $3. What is stored is the time up to which the account
// has paid: it moves by the price, from $3 if it is past. A charge that would move it beyond the period $5 after $3 is refused. A
// stored time that is further ahead than the period and the skew $6 is of a clock that ran ahead, and counts as past. $3 is in
// microseconds since 1970, the others are durations in microseconds.
//
// Charges cannot cause deadlocks, because a transaction that waits for one holds nothing that the holder of the charge may
// wait for:
//
//   - Only locks of names come before a charge: those of drafts, comments and follows, which no transaction takes behind one.
//   - A change of an event first locks the event's row. The holder of the charge that it waits for has locked its own
//     event before, or changes none. So it waits for no event.
//
// Counters of the feed are locked last by every transaction. A transaction with several charges locks them in the order
// of ratelimit.Limits.Upload.
const charge = `
	INSERT INTO rate_limits AS r (user_id, action, until)
	VALUES ($1, $2, CAST($3 AS bigint) + CAST($4 AS bigint))
	ON CONFLICT (user_id, action) DO UPDATE
	SET until = CASE WHEN r.until > $3 AND r.until <= $3 + $5 + $6 THEN r.until ELSE $3 END + $4
	WHERE CASE WHEN r.until > $3 AND r.until <= $3 + $5 + $6 THEN r.until ELSE $3 END + $4 <= $3 + $5`

// refused reports that the charge was not admitted.
type refused struct{ ratelimit.Charge }

func (r refused) Error() string { return "charge refused: " + string(r.Action) }

// ChargeAll queues the charges. A free charge costs nothing. A first price never exceeds the period,
// so only an existing row can refuse it.
func ChargeAll(tx *engine.Tx, charges []ratelimit.Charge) {
	for _, c := range charges {
		if !c.IsFree() {
			tx.Queue(charge, c.Account, c.Action, c.Now.UnixMicro(), c.Cost().Microseconds(), c.Limit.Period.Microseconds(),
				ratelimit.Skew.Microseconds()).Must(refused{c})
		}
	}
}

// ChargeAlone applies the charges of a caller who only reads.
func ChargeAlone(ctx context.Context, db *engine.DB, charges []ratelimit.Charge) error {
	if !slices.ContainsFunc(charges, func(c ratelimit.Charge) bool { return !c.IsFree() }) {
		return ctx.Err() // SQLite would wait for its only writer
	}
	return db.WriteAside(ctx, func(tx *engine.Tx) error {
		ChargeAll(tx, charges)
		return nil
	})
}

// Throttled returns what converts the refusal of a charge into its fault, which needs the stored time. A charge that would be
// admitted by now is to wait for a second.
func Throttled(db *engine.DB) func(ctx context.Context, err error) error {
	return func(ctx context.Context, err error) error {
		r, is := errors.AsType[refused](err)
		if !is {
			return err
		}
		return cmp.Or(CheckCharges(ctx, db, []ratelimit.Charge{r.Charge}), ratelimit.ErrThrottled(r.Action, time.Second))
	}
}

// CheckCharges returns the refusal of the first charge that its limit does not admit by now.
func CheckCharges(ctx context.Context, db *engine.DB, charges []ratelimit.Charge) error {
	for _, c := range charges {
		if c.IsFree() {
			continue
		}
		var paid int64
		err := db.ReadRow(ctx, "SELECT until FROM rate_limits WHERE user_id = $1 AND action = $2", []any{c.Account, string(c.Action)}, &paid)
		if _, refusal := c.Apply(time.UnixMicro(paid)); err != nil || refusal != nil {
			return cmp.Or(err, refusal)
		}
	}
	return nil
}
