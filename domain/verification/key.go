package verification

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"plaza/domain/secret"
)

// Hash is the keyed hash of a code. The code itself is never stored. Without the key, the hash of
// one of a million codes would be found at once.
type Hash [sha256.Size]byte

// KeyID names the key of a hash. It tells nothing about the key.
type KeyID string

// Key is the key of hashes.
type Key struct {
	id     KeyID
	secret secret.String
	of     string // before the purpose; empty: codes of no staff
}

// minKey is the length of the shortest key, in bytes.
const minKey = 32

// NewKey returns the key of the secret. It fails for one of less than 32 bytes.
func NewKey(s secret.String) (Key, error) {
	if len(s.Reveal()) < minKey {
		return Key{}, fmt.Errorf("a key must have at least %d bytes", minKey)
	}
	name := sum(s, "plaza verification key")
	return Key{id: KeyID(hex.EncodeToString(name[:8])), secret: s}, nil
}

// OfStaff returns the key of codes for accounts of staff, which a colleague asks for. It matches no other code (AUT-17).
func (k Key) OfStaff() Key {
	k.of = "staff "
	return k
}

func (k Key) hash(p Purpose, n Number, code secret.String) Hash {
	return sum(k.secret, k.of+string(p), n.digits, code.Reveal())
}

// matches reports whether the key has the ID and makes the hash of the code. The time that it takes does not
// depend on the hash.
func (k Key) matches(h Hash, id KeyID, p Purpose, n Number, code secret.String) bool {
	got := k.hash(p, n, code)
	return k.id == id && hmac.Equal(got[:], h[:])
}

// sum returns the HMAC-SHA256 of the texts, none of which has a NUL.
func sum(key secret.String, texts ...string) (h Hash) {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	for _, t := range texts {
		mac.Write([]byte(t + "\x00"))
	}
	return Hash(mac.Sum(h[:0]))
}
