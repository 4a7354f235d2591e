package bunstore

import (
	"bytes"
	"context"
	"time"

	"plaza/domain/instant"
	"plaza/domain/payment"
)

// storeAnswer stores the answer. It returns ErrKeyInUse if the key was answered
// meanwhile: then the other request took effect.
func storeAnswer(ctx context.Context, tx *transaction, a payment.Answer) error {
	row := keyRow{
		UserID: a.Key.User, Name: a.Key.Name, Fingerprint: a.Key.Fingerprint[:], Holder: a.Key.Holder[:],
		Since: dbTime{instant.Normalise(a.At)}, OrderID: a.Order, Reply: a.Reply,
	}
	done, err := tx.NewInsert().Model(&row).On("CONFLICT (user_id, name) DO UPDATE").
		Where("k.fingerprint = EXCLUDED.fingerprint AND k.busy IS NOT NULL").Exec(ctx)
	return orNotAffected(done, err, payment.ErrKeyInUse)
}

func (v Ledger) Reserve(ctx context.Context, k payment.Key, now, until time.Time) (*payment.Answer, error) {
	now, until = instant.Normalise(now), instant.Normalise(until)
	row := keyRow{
		UserID: k.User, Name: k.Name, Fingerprint: k.Fingerprint[:], Holder: k.Holder[:], Since: dbTime{now}, Busy: dbTime{until},
	}
	reserve := built(v.s.db.NewInsert().Model(&row).On("CONFLICT (user_id, name) DO UPDATE").
		Where("k.since <= ?", dbTime{now.Add(-payment.KeyLife)}).
		WhereOr("k.fingerprint = EXCLUDED.fingerprint AND k.busy <= EXCLUDED.since").Returning("1"))
	var reserved bool
	reserve.row = func(scan func(...any) error) error {
		reserved = true
		return scan(new(int64))
	}
	var stored keyRow
	read := builtRead(v.s.db.NewSelect().Where("user_id = ? AND name = ?", k.User, k.Name), func(r keyRow) { stored = r })
	err := v.s.call(ctx, func(ctx context.Context) error {
		reserved = false
		return v.s.dialect.transactAll(ctx, v.s.db, []step{reserve, read})
	})
	if err != nil {
		return nil, err
	}
	v.s.sweepSometimes(ctx, expiredKeys(now))
	switch {
	case reserved:
		return nil, nil
	case !bytes.Equal(stored.Fingerprint, k.Fingerprint[:]):
		return nil, payment.ErrKeyReused
	case !stored.Busy.IsZero():
		return nil, payment.ErrKeyInUse
	}
	return &payment.Answer{Key: k, Order: stored.OrderID, Reply: stored.Reply, At: stored.Since.Time}, nil
}

func (v Ledger) Release(ctx context.Context, k payment.Key) error {
	return v.s.writeAll(ctx, []step{built(v.s.db.NewDelete().Model((*keyRow)(nil)).
		Where("user_id = ? AND name = ? AND holder = ? AND busy IS NOT NULL", k.User, k.Name, k.Holder[:]))})
}

// expiredKeys selects the keys to forget.
func expiredKeys(now time.Time) expired {
	return expired{"idempotency_keys", []string{"user_id", "name"}, "since", dbTime{instant.Normalise(now.Add(-payment.KeyLife))}}
}
