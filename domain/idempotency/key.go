// Package idempotency makes a request that is repeated with an Idempotency-Key take effect only
// once (PAY-09, GEN-13).
//
// A use case reserves the key before it works. The write that takes effect completes the key in
// its own transaction, and fails if the reservation is lost. So a crash at any point leaves
// either the effect with its key, or neither and a reservation that ends. Of a request, only a
// fingerprint is stored.
package idempotency

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/text"
	"plaza/domain/user"
)

var (
	ErrKeyReused  = fault.New(fault.Conflict, "This Idempotency-Key was already used with another request.")
	ErrKeyInUse   = fault.RetryAfter(fault.Conflict, time.Second, "A request with this Idempotency-Key is in progress.")
	ErrKeyExpired = fault.New(fault.Conflict, "The response for this Idempotency-Key has expired. Retry with a new key.")
	ErrKeyGone    = fault.New(fault.Conflict, "What the request with this Idempotency-Key created is no longer available.")
)

// KeyLife is how long the answer of a key is kept.
const KeyLife = 24 * time.Hour

// Key is an idempotency key of an account.
type Key struct {
	User        user.ID
	Name        string   // chosen by the client
	Fingerprint [32]byte // of the request's content
	// Holder identifies the call that reserves the key: only the holder may release it.
	Holder [16]byte
}

var KeyLimit = text.Limit{Chars: 255}

// NewKey returns the user's key for the request, held by the caller. An invalid name is a
// fault on Idempotency-Key. A file of the request that can't be read is an error.
func NewKey(of user.ID, name string, r Request) (*Key, error) {
	if problem := KeyLimit.RequiredProblem(name); problem != "" {
		return nil, fault.Field("Idempotency-Key", problem)
	}
	fingerprint, err := r.fingerprint()
	if err != nil {
		return nil, err
	}
	k := &Key{User: of, Name: name, Fingerprint: fingerprint}
	_, _ = rand.Read(k.Holder[:]) // never fails
	return k, nil
}

// Request is the content of a request: the operation, and the fields that distinguish two
// requests. Both have the names of the interface. Go identifiers never enter a
// fingerprint, because stored fingerprints outlive the program version.
type Request struct {
	Operation string
	Fields    []Field   // in a fixed order
	File      io.Reader // hashed by NewKey; nil: none
}

// Field is a field of a request and its value.
type Field struct{ Name, Value string }

// fingerprintVersion is the first hashed part. It must change with the hashed content.
// For KeyLife after that, retries of older requests fail with ErrKeyReused.
const fingerprintVersion = "plaza request 1"

// fingerprint returns the SHA-256 of the version, the operation and the fields, each
// preceded by its length. The last field of a request with a file is the SHA-256 of the file.
func (r Request) fingerprint() ([32]byte, error) {
	var hashed []byte
	add := func(part string) {
		hashed = append(binary.AppendUvarint(hashed, uint64(len(part))), part...)
	}
	add(fingerprintVersion)
	add(r.Operation)
	for _, f := range r.Fields {
		add(f.Name)
		add(f.Value)
	}
	if r.File != nil {
		file := sha256.New()
		if _, err := io.Copy(file, r.File); err != nil {
			return [32]byte{}, fmt.Errorf("hash file of request: %w", err)
		}
		add("file")
		add(hex.EncodeToString(file.Sum(nil)))
	}
	return sha256.Sum256(hashed), nil
}

// Kind is what a request made. Its value is stored.
type Kind string

const (
	Order        Kind = "order"
	Event        Kind = "event"
	Comment      Kind = "comment"
	Plate        Kind = "plate"
	Image        Kind = "image"
	Subscription Kind = "subscription"
	// ExistingSubscription is a subscription that existed before the request.
	ExistingSubscription Kind = "existing_subscription"
	Refund               Kind = "refund"
)

// Answer is the result of the request with the key.
type Answer struct {
	Key   Key
	Kind  Kind
	ID    int64  // of what was made
	Reply []byte // the use case's data for repeating the response
	At    time.Time
}

// Keys stores idempotency keys. Their answers are stored by the methods of other ports that
// take effect: a value that is stored with a key in its field Completes completes that key, in
// the same transaction. If the Holder does not hold the reservation any more, such a method
// must store nothing and return ErrKeyInUse. Every implementation passes test/ports.Keys.
type Keys interface {
	// Reserve reserves the key for the caller, until its request is answered, or until the
	// given instant. If an answer younger than KeyLife is stored, Reserve returns it. It
	// returns ErrKeyReused if the key is stored with another Fingerprint, and ErrKeyInUse if
	// the key is reserved until later than now.
	Reserve(ctx context.Context, k Key, now, until time.Time) (*Answer, error)
	// Release removes the key if its Holder reserved it and it has no answer.
	Release(ctx context.Context, k Key) error
}

// Lease is how long a request that creates something holds its key at most. It is longer than
// such a request takes. One that takes longer does no harm: it stores nothing.
const Lease = time.Minute

// Once returns the result of do, or of repeat with the stored answer if the key has one. It
// reserves the key for the lease. do must complete the key in the transaction of its
// changes. If do fails, Once releases the key, so that the client may retry with it. What
// repeat can't find, or the caller may no longer see, is ErrKeyGone. Without a key, Once calls
// do.
func Once[T any](
	ctx context.Context, keys Keys, k *Key, now time.Time, lease time.Duration, repeat func(Answer) (T, error), do func() (T, error),
) (T, error) {
	if k == nil {
		return do()
	}
	aside := audit.Without(ctx) // only do changes what an audit record tells of
	answer, err := keys.Reserve(aside, *k, now, now.Add(lease))
	if err != nil {
		var none T
		return none, err
	}
	if answer != nil {
		result, err := repeat(*answer)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Denied) {
			err = ErrKeyGone
		}
		return result, err
	}
	result, err := do()
	if err != nil {
		err = errors.Join(err, keys.Release(context.WithoutCancel(aside), *k))
	}
	return result, err
}
