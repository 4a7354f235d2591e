package bunstore

import (
	"bytes"
	"context"
	"math/rand/v2"
	"time"

	"plaza/domain/instant"
	"plaza/domain/payment"
)

// answering is the step that stores the answer. A key that was answered meanwhile makes
// it fail: then its request had its effect.
func (v Ledger) answering(a payment.Answer) step {
	return step{statement: v.s.writes.answer, must: true, args: []any{
		int64(a.Key.User), a.Key.Name, a.Key.Fingerprint[:], v.s.dialect.instant(moment{instant.Of(a.At)}),
		v.scribe().orNull(int64(a.Order)), filled(a.Reply),
	}}
}

// keyRow is what is stored of a key.
type keyRow struct {
	fingerprint []byte
	since, busy moment
	order       payment.OrderID
	reply       []byte
}

func (r *keyRow) scan(scan func(...any) error) error {
	return scan(&r.fingerprint, &r.since, &r.busy, orZeroNumber[payment.OrderID]{&r.order}, &r.reply)
}

func (v Ledger) Reserve(ctx context.Context, k payment.Key, now, until time.Time) (*payment.Answer, error) {
	now, until = instant.Of(now), instant.Of(until)
	var reserved bool
	var row keyRow
	d := v.s.dialect
	steps := []step{
		{
			statement: v.s.writes.reserve,
			args: []any{
				int64(k.User), k.Name, k.Fingerprint[:], d.instant(moment{now}), d.instant(moment{until}),
				d.instant(moment{now.Add(-payment.KeyLife)}), k.Holder[:],
			},
			row: func(scan func(...any) error) error {
				reserved = true
				return scan(new(int64))
			},
		},
		{statement: v.s.writes.key, args: []any{int64(k.User), k.Name}, row: row.scan},
	}
	err := v.s.call(ctx, func(ctx context.Context) error {
		reserved, row = false, keyRow{}
		return d.transactAll(ctx, v.s.db, steps)
	})
	if err != nil {
		return nil, err
	}
	if rand.N(sweepOnce) == 0 {
		v.sweep(ctx, now)
	}
	switch {
	case reserved:
		return nil, nil
	case !bytes.Equal(row.fingerprint, k.Fingerprint[:]):
		return nil, payment.ErrKeyReused
	case !row.busy.IsZero():
		return nil, payment.ErrKeyInUse
	}
	return &payment.Answer{Key: k, Order: row.order, Reply: orAbsent(row.reply), At: row.since.Time}, nil
}

func (v Ledger) Release(ctx context.Context, k payment.Key) error {
	return v.s.writeAll(ctx, []step{
		{statement: v.s.writes.release, args: []any{int64(k.User), k.Name, k.Holder[:]}},
	})
}

// sweep removes some of the keys that are forgotten. Nobody depends on it, so whoever is
// asked to do it is not told that it failed.
func (v Ledger) sweep(ctx context.Context, now time.Time) {
	err := v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		skipLocked := ""
		if v.s.dialect.forUpdate() != "" {
			skipLocked = "FOR UPDATE SKIP LOCKED"
		}
		_, err := tx.NewRaw("DELETE FROM idempotency_keys WHERE (user_id, name) IN "+
			"(SELECT user_id, name FROM idempotency_keys WHERE since <= ? ORDER BY since LIMIT ? "+skipLocked+")",
			moment{now.Add(-payment.KeyLife)}, sweepMost).Exec(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		v.s.log.Warn("keys that are forgotten could not be removed", "error", err)
	}
}

// orAbsent is the content, or nil if there is none.
func orAbsent(content []byte) []byte {
	if len(content) == 0 {
		return nil
	}
	return content
}
