package people

import (
	"bytes"
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/payment"
)

// Keys implements idempotency.Keys.
type Keys struct{ DB *engine.DB }

// KeyRow is a reserved or answered key. An answer with an order has OrderID alone, one with a refund RefundID alone.
type KeyRow struct {
	bun.BaseModel `bun:"table:idempotency_keys"`
	Name          string
	Fingerprint   []byte
	Since         engine.Time
	Busy          engine.Time     // end of the reservation; zero: answered
	OrderID       payment.OrderID `bun:",nullzero"`
	Reply         []byte
	Kind          idempotency.Kind `bun:",nullzero"`
	MadeID        int64            `bun:",nullzero"`
	RefundID      payment.RefundID `bun:",nullzero"`
}

// Answer returns the stored answer to the key.
func (r KeyRow) Answer(k idempotency.Key) *idempotency.Answer {
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

// CompleteKey queues the statement that completes the key, if there is one. It waits for the key after all other locks. Only
// Reserve, Release and Sweep lock keys as well, and they wait for nothing.
func CompleteKey(tx *engine.Tx, k *idempotency.Key, kind idempotency.Kind, id int64) {
	if k != nil {
		tx.Queue(completeKey, k.User, k.Name, k.Holder[:], kind, id).Must(idempotency.ErrKeyInUse)
	}
}

// answerKey stores the answer to the key $2 of the account $1, with the fingerprint $3 and the holder $4: $5 when, $6 order, $7
// refund, $8 reply. It stores none if the key was answered meanwhile, or has another fingerprint.
const answerKey = `
	INSERT INTO idempotency_keys AS k (user_id, name, fingerprint, holder, since, order_id, refund_id, reply)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
	ON CONFLICT (user_id, name) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, holder = EXCLUDED.holder, since = EXCLUDED.since,
		busy = NULL, order_id = EXCLUDED.order_id, reply = EXCLUDED.reply, kind = NULL, made_id = NULL, refund_id = EXCLUDED.refund_id
	WHERE k.fingerprint = EXCLUDED.fingerprint AND k.busy IS NOT NULL`

// AnswerKey queues the statement that stores the answer with an order or a refund. If the key was answered meanwhile, the
// other request took effect.
func AnswerKey(tx *engine.Tx, a idempotency.Answer) {
	order, refund := engine.NullIfZero(payment.OrderID(a.ID)), any(nil)
	if a.Kind == idempotency.Refund {
		order, refund = nil, order
	}
	tx.Queue(answerKey, a.Key.User, a.Key.Name, a.Key.Fingerprint, a.Key.Holder, instant.Normalise(a.At), order, refund, a.Reply).
		Must(idempotency.ErrKeyInUse)
}

const (
	// holdKey reserves the key $2 of the account $1, with the fingerprint $3, for the holder $4 from $5 to $6, and returns a row. It
	// does neither if the key was stored after $7 and was answered, is held still, or has another fingerprint.
	holdKey = `
		INSERT INTO idempotency_keys AS k (user_id, name, fingerprint, holder, since, busy) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id, name) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, holder = EXCLUDED.holder,
			since = EXCLUDED.since, busy = EXCLUDED.busy, order_id = NULL, reply = NULL, kind = NULL, made_id = NULL, refund_id = NULL
		WHERE k.since <= $7 OR k.fingerprint = EXCLUDED.fingerprint AND k.busy <= EXCLUDED.since
		RETURNING TRUE`

	// heldKey finds the key $2 of the account $1.
	heldKey = `
		SELECT fingerprint, since, busy, order_id, reply, kind, made_id, refund_id FROM idempotency_keys
		WHERE user_id = $1 AND name = $2`
)

func (v Keys) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	now, until = instant.Normalise(now), instant.Normalise(until)
	var reserved bool
	var stored KeyRow
	err := v.DB.WriteAside(ctx, func(tx *engine.Tx) error {
		reserved = false
		tx.Queue(holdKey, k.User, k.Name, k.Fingerprint, k.Holder, now, until, now.Add(-idempotency.KeyLife)).Into(&reserved)
		engine.Found(tx, tx.Queue(heldKey, k.User, k.Name), func(row *KeyRow) error {
			stored = *row
			return nil
		})
		return nil
	})
	switch {
	case err != nil || reserved:
		return nil, err
	case !bytes.Equal(stored.Fingerprint, k.Fingerprint[:]):
		return nil, idempotency.ErrKeyReused
	case !stored.Busy.IsZero():
		return nil, idempotency.ErrKeyInUse
	}
	return stored.Answer(k), nil
}

func (v Keys) Release(ctx context.Context, k idempotency.Key) error {
	return v.DB.Exec(ctx, "DELETE FROM idempotency_keys WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL",
		k.User, k.Name, k.Holder)
}
