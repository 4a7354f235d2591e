package memory

import (
	"bytes"
	"context"
	"maps"
	"time"

	"plaza/domain/idempotency"
	"plaza/domain/instant"
)

// Keys is the store as idempotency.Keys.
type Keys view

func keyIDOf(k idempotency.Key) keyID { return keyID{k.User, k.Name} }

func (v Keys) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	return write(ctx, v.s, func() (*idempotency.Answer, error) {
		if err := v.s.checkUser(k.User); err != nil {
			return nil, err
		}
		now, until = instant.Normalise(now), instant.Normalise(until)
		ks := v.s.requests
		maps.DeleteFunc(ks, func(_ keyID, k key) bool { return now.Sub(k.since) >= idempotency.KeyLife })
		kept, is := ks[keyIDOf(k)]
		switch {
		case !is:
		case kept.fingerprint != k.Fingerprint:
			return nil, idempotency.ErrKeyReused
		case kept.reservedUntil.IsZero():
			return &idempotency.Answer{Key: k, Kind: kept.kind, ID: kept.id, Reply: bytes.Clone(kept.reply), At: kept.since}, nil
		case now.Before(kept.reservedUntil):
			return nil, idempotency.ErrKeyInUse
		}
		ks[keyIDOf(k)] = key{fingerprint: k.Fingerprint, holder: k.Holder, since: now, reservedUntil: until}
		return nil, nil
	})
}

func (v Keys) Release(ctx context.Context, k idempotency.Key) error {
	return exec(ctx, v.s, func() error {
		if v.s.requests.checkHeld(&k) == nil {
			delete(v.s.requests, keyIDOf(k))
		}
		return nil
	})
}

// checkHeld returns ErrKeyInUse unless the holder of the key holds its reservation. The key may be nil.
func (ks keys) checkHeld(k *idempotency.Key) error {
	if k == nil {
		return nil
	}
	if kept := ks[keyIDOf(*k)]; kept.holder != k.Holder || kept.reservedUntil.IsZero() {
		return idempotency.ErrKeyInUse
	}
	return nil
}

// complete answers the key, which may be nil, with what was made.
func (ks keys) complete(k *idempotency.Key, kind idempotency.Kind, id int64) {
	if k == nil {
		return
	}
	kept := ks[keyIDOf(*k)]
	kept.reservedUntil, kept.kind, kept.id = time.Time{}, kind, id
	ks[keyIDOf(*k)] = kept
}

// checkUnanswered returns ErrKeyInUse if the key was answered meanwhile: its request has had its effect. The key may be nil.
func (ks keys) checkUnanswered(k *idempotency.Key) error {
	if k == nil {
		return nil
	}
	if kept, is := ks[keyIDOf(*k)]; is && (kept.reservedUntil.IsZero() || kept.fingerprint != k.Fingerprint) {
		return idempotency.ErrKeyInUse
	}
	return nil
}

func (ks keys) answer(a idempotency.Answer) {
	ks[keyIDOf(a.Key)] = key{
		fingerprint: a.Key.Fingerprint, since: instant.Normalise(a.At), kind: a.Kind, id: a.ID, reply: append([]byte(nil), a.Reply...),
	}
}
