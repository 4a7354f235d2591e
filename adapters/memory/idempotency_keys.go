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
type Keys struct{ s *Store }

// Keys returns the store's idempotency keys.
func (s *Store) Keys() Keys { return Keys{s} }

func keyIDOf(k idempotency.Key) keyID { return keyID{k.User, k.Name} }

// key is a reserved or answered Idempotency-Key.
type key struct {
	fingerprint   [32]byte
	holder        [16]byte
	since         time.Time
	reservedUntil time.Time // end of the reservation; zero: answered
	kind          idempotency.Kind
	id            int64
	reply         []byte
}

// keys drops expired keys whenever the map has doubled since the last sweep.
type keys struct {
	entries map[keyID]key
	sweep   int // size that triggers the next sweep
}

func newKeys() keys { return keys{entries: map[keyID]key{}, sweep: firstSweep} }

// Reserve implements idempotency.Keys.
func (v Keys) Reserve(ctx context.Context, k idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	return write(ctx, v.s, func() (*idempotency.Answer, error) {
		if err := v.s.checkUser(k.User); err != nil {
			return nil, err
		}
		now, until = instant.Normalise(now), instant.Normalise(until)
		ks := &v.s.requests
		ks.prune(now)
		kept, is := ks.entries[keyIDOf(k)]
		switch {
		case !is || kept.isForgotten(now):
		case kept.fingerprint != k.Fingerprint:
			return nil, idempotency.ErrKeyReused
		case kept.reservedUntil.IsZero():
			return &idempotency.Answer{Key: k, Kind: kept.kind, ID: kept.id, Reply: bytes.Clone(kept.reply), At: kept.since}, nil
		case now.Before(kept.reservedUntil):
			return nil, idempotency.ErrKeyInUse
		}
		ks.entries[keyIDOf(k)] = key{fingerprint: k.Fingerprint, holder: k.Holder, since: now, reservedUntil: until}
		return nil, nil
	})
}

// Release implements idempotency.Keys.
func (v Keys) Release(ctx context.Context, k idempotency.Key) error {
	return exec(ctx, v.s, func() error {
		if v.s.requests.checkHeld(&k) == nil {
			delete(v.s.requests.entries, keyIDOf(k))
		}
		return nil
	})
}

// checkHeld returns ErrKeyInUse unless the holder of the key holds its reservation. The key may
// be nil.
func (ks *keys) checkHeld(k *idempotency.Key) error {
	if k == nil {
		return nil
	}
	if kept := ks.entries[keyIDOf(*k)]; kept.holder != k.Holder || kept.reservedUntil.IsZero() {
		return idempotency.ErrKeyInUse
	}
	return nil
}

// complete answers the key, which may be nil, with what was made.
func (ks *keys) complete(k *idempotency.Key, kind idempotency.Kind, id int64) {
	if k == nil {
		return
	}
	kept := ks.entries[keyIDOf(*k)]
	kept.reservedUntil, kept.kind, kept.id = time.Time{}, kind, id
	ks.entries[keyIDOf(*k)] = kept
}

// checkUnanswered returns ErrKeyInUse if the key was answered meanwhile: its request has had its
// effect.
func (ks *keys) checkUnanswered(k idempotency.Key) error {
	if kept, is := ks.entries[keyIDOf(k)]; is && (kept.reservedUntil.IsZero() || kept.fingerprint != k.Fingerprint) {
		return idempotency.ErrKeyInUse
	}
	return nil
}

func (ks *keys) answer(a idempotency.Answer) {
	ks.entries[keyIDOf(a.Key)] = key{
		fingerprint: a.Key.Fingerprint, since: instant.Normalise(a.At), kind: a.Kind, id: a.ID, reply: append([]byte(nil), a.Reply...),
	}
}

func (k key) isForgotten(now time.Time) bool { return now.Sub(k.since) >= idempotency.KeyLife }

func (ks *keys) prune(now time.Time) {
	if len(ks.entries) < ks.sweep {
		return
	}
	maps.DeleteFunc(ks.entries, func(_ keyID, k key) bool { return k.isForgotten(now) })
	ks.sweep = max(firstSweep, 2*len(ks.entries))
}
