package bunstore

import (
	"bytes"
	"context"
	"time"

	"plaza/domain/instant"
	"plaza/domain/payment"
)

// answerStep returns the step that stores the answer. It misses if the key was answered
// meanwhile: then the other request took effect.
func (v Ledger) answerStep(a payment.Answer) step {
	return step{statement: v.s.sql.answer, mustMatch: true, args: []any{
		int64(a.Key.User), a.Key.Name, a.Key.Fingerprint[:], v.s.dialect.instant(dbTime{instant.Normalise(a.At)}),
		v.codec().orNull(int64(a.Order)), filled(a.Reply),
	}}
}

// keyRow is a stored key.
type keyRow struct {
	fingerprint []byte
	since, busy dbTime
	order       payment.OrderID
	reply       []byte
}

func (r *keyRow) scan(scan func(...any) error) error {
	return scan(&r.fingerprint, &r.since, &r.busy, orZeroNumber[payment.OrderID]{&r.order}, &r.reply)
}

func (v Ledger) Reserve(ctx context.Context, k payment.Key, now, until time.Time) (*payment.Answer, error) {
	now, until = instant.Normalise(now), instant.Normalise(until)
	var reserved bool
	var row keyRow
	d := v.s.dialect
	steps := []step{
		{
			statement: v.s.sql.reserve,
			args: []any{
				int64(k.User), k.Name, k.Fingerprint[:], d.instant(dbTime{now}), d.instant(dbTime{until}),
				d.instant(dbTime{now.Add(-payment.KeyLife)}), k.Holder[:],
			},
			row: func(scan func(...any) error) error {
				reserved = true
				return scan(new(int64))
			},
		},
		{statement: v.s.sql.key, args: []any{int64(k.User), k.Name}, row: row.scan},
	}
	err := v.s.call(ctx, func(ctx context.Context) error {
		reserved, row = false, keyRow{}
		return d.transactAll(ctx, v.s.db, steps)
	})
	if err != nil {
		return nil, err
	}
	v.s.sweepSometimes(ctx, expiredKeys(now))
	switch {
	case reserved:
		return nil, nil
	case !bytes.Equal(row.fingerprint, k.Fingerprint[:]):
		return nil, payment.ErrKeyReused
	case !row.busy.IsZero():
		return nil, payment.ErrKeyInUse
	}
	return &payment.Answer{Key: k, Order: row.order, Reply: orNilBytes(row.reply), At: row.since.Time}, nil
}

func (v Ledger) Release(ctx context.Context, k payment.Key) error {
	return v.s.writeAll(ctx, []step{
		{statement: v.s.sql.release, args: []any{int64(k.User), k.Name, k.Holder[:]}},
	})
}

// expiredKeys selects the keys to forget.
func expiredKeys(now time.Time) expired {
	return expired{"idempotency_keys", []string{"user_id", "name"}, "since", now.Add(-payment.KeyLife)}
}

// orNilBytes returns the content, or nil if it is empty.
func orNilBytes(content []byte) []byte {
	if len(content) == 0 {
		return nil
	}
	return content
}
