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

// keyOf identifies an Idempotency-Key.
type keyOf struct {
	user user.ID
	name string
}

// key is a reserved or answered Idempotency-Key.
type key struct {
	fingerprint [32]byte
	holder      [16]byte
	since       time.Time
	busy        time.Time // end of the reservation; zero: answered
	order       payment.OrderID
	reply       []byte
}

// keys drops expired keys whenever the map has doubled since the last sweep.
type keys struct {
	kept  map[keyOf]key
	sweep int // size that triggers the next sweep
}

func newKeys() keys { return keys{kept: map[keyOf]key{}, sweep: firstSweep} }

func (v Ledger) Reserve(ctx context.Context, k payment.Key, now, until time.Time) (*payment.Answer, error) {
	done, err := v.s.write(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := v.s.checkUser(k.User); err != nil {
		return nil, err
	}
	now, until = instant.Normalise(now), instant.Normalise(until)
	ks := &v.s.ledger.keys
	ks.prune(now)
	kept, is := ks.kept[keyOf{k.User, k.Name}]
	switch {
	case !is || kept.isForgotten(now):
	case kept.fingerprint != k.Fingerprint:
		return nil, payment.ErrKeyReused
	case kept.busy.IsZero():
		return &payment.Answer{Key: k, Order: kept.order, Reply: bytes.Clone(kept.reply), At: kept.since}, nil
	case now.Before(kept.busy):
		return nil, payment.ErrKeyInUse
	}
	ks.kept[keyOf{k.User, k.Name}] = key{fingerprint: k.Fingerprint, holder: k.Holder, since: now, busy: until}
	return nil, nil
}

func (v Ledger) Release(ctx context.Context, k payment.Key) error {
	done, err := v.s.write(ctx)
	if err != nil {
		return err
	}
	defer done()
	ks := &v.s.ledger.keys
	if kept := ks.kept[keyOf{k.User, k.Name}]; kept.holder == k.Holder && !kept.busy.IsZero() {
		delete(ks.kept, keyOf{k.User, k.Name})
	}
	return nil
}

// check returns ErrKeyInUse if the key was answered meanwhile: its request has had its effect.
func (ks *keys) check(k payment.Key) error {
	if kept, is := ks.kept[keyOf{k.User, k.Name}]; is && (kept.busy.IsZero() || kept.fingerprint != k.Fingerprint) {
		return payment.ErrKeyInUse
	}
	return nil
}

func (ks *keys) answer(a payment.Answer) {
	ks.kept[keyOf{a.Key.User, a.Key.Name}] = key{
		fingerprint: a.Key.Fingerprint, since: instant.Normalise(a.At), order: a.Order, reply: append([]byte(nil), a.Reply...),
	}
}

func (k key) isForgotten(now time.Time) bool { return now.Sub(k.since) >= payment.KeyLife }

func (ks *keys) prune(now time.Time) {
	if len(ks.kept) < ks.sweep {
		return
	}
	maps.DeleteFunc(ks.kept, func(_ keyOf, k key) bool { return k.isForgotten(now) })
	ks.sweep = max(firstSweep, 2*len(ks.kept))
}
