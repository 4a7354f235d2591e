package argon2id

import (
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"golang.org/x/crypto/argon2"
)

// Bounds of the work for a stored hash: a damaged or forged one must not exhaust the
// process. All recommended parameters are within them.
const (
	maxMemory  = 128 * 1024 // KiB
	maxTime    = 16
	maxThreads = 16
	// memoryPerThread is Argon2's minimum.
	memoryPerThread = 8 // KiB
)

var (
	errForm   = errors.New("not an Argon2id hash in the PHC string format")
	errParams = errors.New("Argon2id parameters out of bounds")
)

func (p Params) check() error {
	if p.Time < 1 || p.Time > maxTime || p.Threads < 1 || p.Threads > maxThreads ||
		p.Memory < memoryPerThread*uint32(p.Threads) || p.Memory > maxMemory {
		return fmt.Errorf("%w: m=%d,t=%d,p=%d", errParams, p.Memory, p.Time, p.Threads)
	}
	return nil
}

// hash is a parsed PHC string.
type hash struct {
	Params
	salt []byte
	key  []byte
}

// phcForm accepts salts of 8 to 48 bytes and keys of 12 to 64.
var phcForm = regexp.MustCompile(
	`^\$argon2id\$v=(\d{1,3})\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{16,86})$`)

// encoding is the PHC format's base64. Strict decoding gives each hash one form.
var encoding = base64.RawStdEncoding.Strict()

func (h hash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.Memory, h.Time, h.Threads,
		encoding.EncodeToString(h.salt), encoding.EncodeToString(h.key))
}

func parse(s string) (hash, error) {
	parts := phcForm.FindStringSubmatch(s)
	if parts == nil || parts[1] != strconv.Itoa(argon2.Version) {
		return hash{}, errForm
	}
	var numbers [3]uint32
	for i := range numbers {
		n, err := strconv.ParseUint(parts[2+i], 10, 32)
		if err != nil {
			return hash{}, errForm
		}
		numbers[i] = uint32(n)
	}
	if numbers[2] > maxThreads {
		return hash{}, fmt.Errorf("%w: p=%d", errParams, numbers[2])
	}
	salt, saltErr := encoding.DecodeString(parts[5])
	key, keyErr := encoding.DecodeString(parts[6])
	if saltErr != nil || keyErr != nil {
		return hash{}, errForm
	}
	h := hash{Params: Params{Memory: numbers[0], Time: numbers[1], Threads: uint8(numbers[2])}, salt: salt, key: key}
	return h, h.check()
}

// isOutdated reports whether new hashes have other parameters or lengths.
func (h hash) isOutdated(today Params) bool {
	return h.Params != today || len(h.salt) != saltBytes || len(h.key) != keyBytes
}
