package memory

import (
	"bytes"
	"context"
	"maps"
	"time"

	"plaza/domain/instant"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// keyID identifies an Idempotency-Key.
type keyID struct {
	user user.ID
	name string
}

// key is a reserved or answered Idempotency-Key.
type key struct {
	fingerprint   [32]byte
	holder        [16]byte
	since         time.Time
	reservedUntil time.Time // end of the reservation; zero: answered
	order         payment.OrderID
	reply         []byte
}

// keys drops expired keys whenever the map has doubled since the last sweep.
type keys struct {
	entries map[keyID]key
	sweep   int // size that triggers the next sweep
}

func newKeys() keys { return keys{entries: map[keyID]key{}, sweep: firstSweep} }

func (v Ledger) Reserve(ctx context.Context, k payment.Key, now, until time.Time) (*payment.Answer, error) {
	return write(ctx, v.s, func() (*payment.Answer, error) {
		if err := v.s.checkUser(k.User); err != nil {
			return nil, err
		}
		now, until = instant.Normalise(now), instant.Normalise(until)
		ks := &v.s.ledger.keys
		ks.prune(now)
		kept, is := ks.entries[keyID{k.User, k.Name}]
		switch {
		case !is || kept.isForgotten(now):
		case kept.fingerprint != k.Fingerprint:
			return nil, payment.ErrKeyReused
		case kept.reservedUntil.IsZero():
			return &payment.Answer{Key: k, Order: kept.order, Reply: bytes.Clone(kept.reply), At: kept.since}, nil
		case now.Before(kept.reservedUntil):
			return nil, payment.ErrKeyInUse
		}
		ks.entries[keyID{k.User, k.Name}] = key{fingerprint: k.Fingerprint, holder: k.Holder, since: now, reservedUntil: until}
		return nil, nil
	})
}

func (v Ledger) Release(ctx context.Context, k payment.Key) error {
	return exec(ctx, v.s, func() error {
		ks := &v.s.ledger.keys
		if kept := ks.entries[keyID{k.User, k.Name}]; kept.holder == k.Holder && !kept.reservedUntil.IsZero() {
			delete(ks.entries, keyID{k.User, k.Name})
		}
		return nil
	})
}

// check returns ErrKeyInUse if the key was answered meanwhile: its request has had its effect.
func (ks *keys) check(k payment.Key) error {
	if kept, is := ks.entries[keyID{k.User, k.Name}]; is && (kept.reservedUntil.IsZero() || kept.fingerprint != k.Fingerprint) {
		return payment.ErrKeyInUse
	}
	return nil
}

func (ks *keys) answer(a payment.Answer) {
	ks.entries[keyID{a.Key.User, a.Key.Name}] = key{
		fingerprint: a.Key.Fingerprint, since: instant.Normalise(a.At), order: a.Order, reply: append([]byte(nil), a.Reply...),
	}
}

func (k key) isForgotten(now time.Time) bool { return now.Sub(k.since) >= payment.KeyLife }

func (ks *keys) prune(now time.Time) {
	if len(ks.entries) < ks.sweep {
		return
	}
	maps.DeleteFunc(ks.entries, func(_ keyID, k key) bool { return k.isForgotten(now) })
	ks.sweep = max(firstSweep, 2*len(ks.entries))
}
