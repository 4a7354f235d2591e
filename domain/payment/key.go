package payment

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Faults of an idempotency key (PAY-09).
var (
	ErrKeyReused  = fault.New(fault.Conflict, "This Idempotency-Key was already used with another request.")
	ErrKeyInUse   = fault.RetryAfter(fault.Conflict, time.Second, "A request with this Idempotency-Key is in progress.")
	ErrKeyExpired = fault.New(fault.Conflict, "The response for this Idempotency-Key has expired. Retry with a new key.")
)

// KeyLife is how long the answer of a key is kept.
const KeyLife = 24 * time.Hour

// Key is an idempotency key of an account: a request that is repeated with it has its
// effect only once (PAY-09).
type Key struct {
	User        user.ID
	Name        string   // chosen by the client
	Fingerprint [32]byte // of the request's content
	// Holder identifies the call that reserves the key: only the holder's Release ends the
	// reservation.
	Holder [16]byte
}

// KeyLimit bounds the name of a key.
var KeyLimit = text.Limit{Chars: 255}

// NewKey returns the user's key for the request, held by the caller. An invalid name is a
// fault on Idempotency-Key.
func NewKey(of user.ID, name string, a RequestContent) (*Key, error) {
	if problem := KeyLimit.RequiredProblem(name); problem != "" {
		return nil, fault.Field("Idempotency-Key", problem)
	}
	k := &Key{User: of, Name: name, Fingerprint: a.fingerprint()}
	_, _ = rand.Read(k.Holder[:]) // never fails
	return k, nil
}

// RequestContent is the content of a request: the operation, and the fields that distinguish two
// requests. Both have the names of the interface. Go identifiers never enter a
// fingerprint, because stored fingerprints outlive the program version.
type RequestContent struct {
	Operation string
	Fields    []RequestField // in a fixed order
}

// RequestField is a field of a request and its value.
type RequestField struct{ Name, Value string }

// fingerprintVersion is the first hashed part. It must change with the hashed content.
// For KeyLife after that, retries of older requests fail with ErrKeyReused.
const fingerprintVersion = "plaza request 1"

// fingerprint returns the SHA-256 of the version, the operation and the fields, each
// preceded by its length.
func (a RequestContent) fingerprint() [32]byte {
	var hashed []byte
	add := func(part string) {
		hashed = append(binary.AppendUvarint(hashed, uint64(len(part))), part...)
	}
	add(fingerprintVersion)
	add(a.Operation)
	for _, f := range a.Fields {
		add(f.Name)
		add(f.Value)
	}
	return sha256.Sum256(hashed)
}

// PayContent returns the content of a request to pay the order. Zero is the only open order.
func PayContent(i Intent, id OrderID) RequestContent {
	return RequestContent{"pay", []RequestField{
		{"end_type", strconv.Itoa(int(i.EndType))}, {"wallet_app_type", string(i.App)}, {"open_id", i.OpenID},
		{"order_id", strconv.FormatInt(int64(id), 10)},
	}}
}

// CreateContent returns the content of a request to create an order.
func CreateContent(d Draft) RequestContent {
	return RequestContent{"order", []RequestField{
		{"user", strconv.FormatInt(int64(d.User), 10)}, {"subject", d.Subject}, {"amount", strconv.FormatInt(d.Amount, 10)},
		{"currency", d.Currency}, {"expires_in", d.ExpiresIn.String()},
	}}
}

// Answer is the response to the request with the key.
type Answer struct {
	Key   Key
	Order OrderID
	Reply []byte // the use case's data for repeating the response
	At    time.Time
}
