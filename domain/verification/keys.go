package verification

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"plaza/domain/secret"
)

// Hash is the keyed hash of a code. The code itself is never stored. Without the key, the hash of
// one of a million codes would be found at once.
type Hash [sha256.Size]byte

// KeyID names the key of a hash. It tells nothing about the key.
type KeyID string

// Keys are the keys of hashes. The first one hashes new codes. Codes of the others are still
// checked, so a key is replaced without losing codes.
type Keys struct {
	all []key
	of  string // before the purpose; empty: codes of no staff
}

type key struct {
	id     KeyID
	secret secret.String
}

// minKey is the length of the shortest key, in bytes.
const minKey = 32

// NewKeys returns the keys of the secrets, the new one first. It fails without a secret, and for
// one of less than 32 bytes.
func NewKeys(secrets ...secret.String) (Keys, error) {
	if len(secrets) == 0 {
		return Keys{}, errors.New("a key is missing")
	}
	var keys Keys
	for i, s := range secrets {
		if len(s.Reveal()) < minKey {
			return Keys{}, fmt.Errorf("key %d must have at least %d bytes", i+1, minKey)
		}
		name := sum(s, "plaza verification key")
		keys.all = append(keys.all, key{id: KeyID(hex.EncodeToString(name[:8])), secret: s})
	}
	return keys, nil
}

// OfStaff returns the keys of codes for accounts of staff, which a colleague asks for. They match no other code (AUT-17).
func (k Keys) OfStaff() Keys { return Keys{k.all, "staff "} }

// hash returns the hash of a new code, and the name of its key.
func (k Keys) hash(p Purpose, n Number, code secret.String) (Hash, KeyID) {
	newest := k.all[0]
	return sum(newest.secret, k.of+string(p), n.digits, code.Reveal()), newest.id
}

// matches reports whether the named key makes the hash of the code. The time that it takes does not
// depend on the hash.
func (k Keys) matches(h Hash, id KeyID, p Purpose, n Number, code secret.String) bool {
	for _, key := range k.all {
		if key.id == id {
			got := sum(key.secret, k.of+string(p), n.digits, code.Reveal())
			return hmac.Equal(got[:], h[:])
		}
	}
	return false
}

// sum returns the HMAC-SHA256 of the texts, none of which has a NUL.
func sum(key secret.String, texts ...string) (h Hash) {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	for _, t := range texts {
		mac.Write([]byte(t + "\x00"))
	}
	return Hash(mac.Sum(h[:0]))
}
