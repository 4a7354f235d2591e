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
	ErrKeyReused  = fault.New(fault.Conflict, "This Idempotency-Key came with another request before.")
	ErrKeyInUse   = fault.RetryAfter(fault.Conflict, time.Second, "A request with this Idempotency-Key is under way.")
	ErrKeyExpired = fault.New(fault.Conflict, "What this Idempotency-Key was answered with can't be used any more. Take another key.")
)

// KeyLife is how long an answer is kept.
const KeyLife = 24 * time.Hour

// Key names a request of an account, so that it has its effect once however often it is
// sent (PAY-09).
type Key struct {
	User        user.ID
	Name        string   // as the client chose it
	Fingerprint [32]byte // of what the request asks for
	// Holder tells the call that reserves the key apart from every other call with it: only
	// the holder's Release ends the reservation.
	Holder [16]byte
}

// KeyLimit bounds the name of a key.
var KeyLimit = text.Limit{Chars: 255}

// NewKey returns the user's key for what the request asks for, held by the caller. It is a
// fault of Idempotency-Key if the name has another form.
func NewKey(of user.ID, name string, a Asked) (*Key, error) {
	if problem := KeyLimit.RequiredProblem(name); problem != "" {
		return nil, fault.Field("Idempotency-Key", problem)
	}
	k := &Key{User: of, Name: name, Fingerprint: a.fingerprint()}
	_, _ = rand.Read(k.Holder[:]) // never fails
	return k, nil
}

// Asked is what a request asks for: an operation, and the fields that make two requests of
// it different. Both have the names of the interface. Names of this program never enter a
// fingerprint: it outlives the program that stored it.
type Asked struct {
	Operation string
	Fields    []AskedField // in a fixed order
}

// AskedField is a field of a request and its value.
type AskedField struct{ Name, Value string }

// fingerprintVersion begins what is hashed. It changes when a fingerprint is made of
// something else; for KeyLife, retries from before are then refused with ErrKeyReused.
const fingerprintVersion = "plaza request 1"

// fingerprint is the SHA-256 of the version, the operation and the fields, each preceded by
// its length.
func (a Asked) fingerprint() [32]byte {
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

// AskToPay is what a request to pay the order asks for; zero is the only open order.
func AskToPay(i Intent, id OrderID) Asked {
	return Asked{"pay", []AskedField{
		{"end_type", strconv.Itoa(int(i.EndType))}, {"wallet_app_type", string(i.App)}, {"open_id", i.OpenID},
		{"order_id", strconv.FormatInt(int64(id), 10)},
	}}
}

// AskToCreate is what a request to create an order asks for.
func AskToCreate(d Draft) Asked {
	return Asked{"order", []AskedField{
		{"user", strconv.FormatInt(int64(d.User), 10)}, {"subject", d.Subject}, {"amount", strconv.FormatInt(d.Amount, 10)},
		{"currency", d.Currency}, {"expires_in", d.ExpiresIn.String()},
	}}
}

// Answer is what the request of the key was answered with.
type Answer struct {
	Key   Key
	Order OrderID
	Reply []byte // whatever the use case needs to say the same again
	At    time.Time
}
