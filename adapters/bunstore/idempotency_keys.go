package bunstore

import (
	"bytes"
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Keys implements idempotency.Keys.
type Keys struct{ s *Store }

// Keys returns the idempotency keys.
func (s *Store) Keys() Keys { return Keys{s} }

// keyRow is a reserved or answered key. An answer with an order has OrderID alone, one with a refund RefundID alone.
type keyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys,alias:k"`
	UserID        user.ID `bun:",pk"`
	Name          string  `bun:",pk"`
	Fingerprint   []byte
	Holder        []byte
	Since         engine.Time
	Busy          engine.Time     // end of the reservation; zero: answered
	OrderID       payment.OrderID `bun:",nullzero"`
	Reply         []byte
	Kind          idempotency.Kind `bun:",nullzero"`
	MadeID        int64            `bun:",nullzero"`
	RefundID      payment.RefundID `bun:",nullzero"`
}

func (r keyRow) answer(k idempotency.Key) *idempotency.Answer {
	a := &idempotency.Answer{Key: k, Kind: r.Kind, ID: r.MadeID, Reply: r.Reply, At: r.Since.Time}
	switch {
	case r.OrderID != 0:
		a.Kind, a.ID = idempotency.Order, int64(r.OrderID)
	case r.Kind == "" && r.RefundID != 0:
		a.Kind, a.ID = idempotency.Refund, int64(r.RefundID)
	}
	return a
}

// completeKey completes the key $2 of the account $1 with the thing $5 of the kind $4, if the holder $3 still holds it.
const completeKey = `
	UPDATE idempotency_keys SET busy = NULL, kind = $4, made_id = $5
	WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL`

// complete queues the statement that completes the key, if there is one. It waits for the key after all other locks. Only
// Reserve, Release and Sweep lock keys as well, and they wait for nothing.
func complete(tx *engine.Tx, k *idempotency.Key, kind idempotency.Kind, id int64) {
	if k != nil {
		tx.Queue(completeKey, k.User, k.Name, k.Holder[:], kind, id).Must(idempotency.ErrKeyInUse)
	}
}

// storeAnswer stores the answer with an order or a refund. It returns ErrKeyInUse if the key was answered
// meanwhile: then the other request took effect.
func storeAnswer(ctx context.Context, tx *engine.Tx, a idempotency.Answer) error {
	row := keyRow{
		UserID: a.Key.User, Name: a.Key.Name, Fingerprint: a.Key.Fingerprint[:], Holder: a.Key.Holder[:],
		Since: engine.At(instant.Normalise(a.At)), Reply: a.Reply,
	}
	if a.Kind == idempotency.Refund {
		row.RefundID = payment.RefundID(a.ID)
	} else {
		row.OrderID = payment.OrderID(a.ID)
	}
	done, err := tx.NewInsert().Model(&row).On("CONFLICT (user_id, name) DO UPDATE").
		Where("k.fingerprint = EXCLUDED.fingerprint AND k.busy IS NOT NULL").Exec(ctx)
	return engine.OrNotAffected(done, err, idempotency.ErrKeyInUse)
}

func (v Keys) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	now, until = instant.Normalise(now), instant.Normalise(until)
	row := keyRow{
		UserID: k.User, Name: k.Name, Fingerprint: k.Fingerprint[:], Holder: k.Holder[:], Since: engine.At(now), Busy: engine.At(until),
	}
	reserve := engine.Built(v.s.Writer.NewInsert().Model(&row).On("CONFLICT (user_id, name) DO UPDATE").
		Where("k.since <= ?", engine.At(now.Add(-idempotency.KeyLife))).
		WhereOr("k.fingerprint = EXCLUDED.fingerprint AND k.busy <= EXCLUDED.since").Returning("1"))
	var reserved bool
	reserve.Row = func(scan func(...any) error) error {
		reserved = true
		return scan(new(int64))
	}
	var stored keyRow
	read := engine.BuiltRead(v.s.Writer.NewSelect().Where("user_id = ? AND name = ?", k.User, k.Name), func(r keyRow) { stored = r })
	err := v.s.WriteAside(ctx, func(tx *engine.Tx) error {
		reserved = false
		tx.Add(reserve, read)
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case reserved:
		return nil, nil
	case !bytes.Equal(stored.Fingerprint, k.Fingerprint[:]):
		return nil, idempotency.ErrKeyReused
	case !stored.Busy.IsZero():
		return nil, idempotency.ErrKeyInUse
	}
	return stored.answer(k), nil
}

func (v Keys) Release(ctx context.Context, k idempotency.Key) error {
	return v.s.exec(ctx, v.s.Writer.NewDelete().Model((*keyRow)(nil)).
		Where("user_id = ? AND name = ? AND holder = ? AND busy IS NOT NULL", k.User, k.Name, k.Holder[:]))
}
