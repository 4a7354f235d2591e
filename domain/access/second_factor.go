package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// SecondFactor is what a member of staff proves to hold besides the password (OFF-04): an app that makes codes by RFC 6238, or
// codes on paper. The zero SecondFactor is none.
type SecondFactor struct {
	Sealed   []byte   // the secret that the app shares, encrypted by FactorKey
	Step     int64    // of the last accepted code of the app; those of it and of earlier steps are refused
	Recovery []string // hashes of the recovery codes that were not used
}

// IsEnrolled reports whether there is a second factor.
func (f SecondFactor) IsEnrolled() bool { return len(f.Sealed) > 0 }

// Codes of the app: a new one in each step, and one step earlier or later is tolerated.
const (
	codeStep     = 30 * time.Second
	codeDigits   = 6
	secretBytes  = 20 // as RFC 4226 recommends
	recoveryRuns = 8  // codes on paper
	recoveryText = 16 // letters and digits of base32: 80 bits
)

var (
	ErrNeedsFactor   = fault.New(fault.Denied, "This needs a token whose login had a second factor: send otp.")
	ErrNoOTP         = fault.Field("otp", "Send a code of your second factor, or a recovery code.")
	ErrNotEnrolled   = fault.Field("otp", "This account has no second factor yet. The first login at /back-office/ sets it up.")
	ErrWrongOTP      = fault.Field("otp", "The code is wrong or was used.")
	ErrIsEnrolled    = fault.New(fault.Conflict, "This account has a second factor.")
	errNotSealedHere = errors.New("the secret of a second factor was not encrypted for this account with this key")
)

// FactorKey encrypts the secrets of second factors, each for its account.
type FactorKey struct{ aead cipher.AEAD }

// NewFactorKey returns the key that is made of the secret.
func NewFactorKey(of secret.String) FactorKey {
	key := sha256.Sum256([]byte("plaza second factor\x00" + of.Reveal()))
	block, err := aes.NewCipher(key[:])
	if err == nil {
		if aead, err := cipher.NewGCMWithRandomNonce(block); err == nil {
			return FactorKey{aead}
		}
	}
	panic(err) // the key has the right length
}

func boundTo(id user.ID) []byte { return binary.BigEndian.AppendUint64(nil, uint64(id)) }

func (k FactorKey) open(sealed []byte, of user.ID) ([]byte, error) {
	shared, err := k.aead.Open(nil, nil, sealed, boundTo(of))
	if err != nil {
		return nil, errNotSealedHere
	}
	return shared, nil
}

// Enrolment is a secret that an app shall share with the server.
type Enrolment struct {
	Sealed []byte        // for its account
	Secret secret.String // in base32, as apps read it
}

// Enrol returns a new secret for the account.
func (k FactorKey) Enrol(of user.ID) Enrolment {
	shared := make([]byte, secretBytes)
	rand.Read(shared) // never fails
	return Enrolment{k.aead.Seal(nil, nil, shared, boundTo(of)), secret.New(base32.StdEncoding.EncodeToString(shared))}
}

// Enrolling returns the enrolment that Enrol has made for the account.
func (k FactorKey) Enrolling(sealed []byte, of user.ID) (Enrolment, error) {
	shared, err := k.open(sealed, of)
	return Enrolment{sealed, secret.New(base32.StdEncoding.EncodeToString(shared))}, err
}

// Address returns the secret as apps read it in a QR code.
func (e Enrolment) Address(account string) secret.String {
	return secret.New("otpauth://totp/Plaza:" + url.PathEscape(account) + "?issuer=Plaza&secret=" + e.Secret.Reveal())
}

// Confirm returns the second factor of the enrolment, and its recovery codes, if the code is one that the app makes now.
func (k FactorKey) Confirm(e Enrolment, of user.ID, code string, now time.Time) (SecondFactor, []secret.String, error) {
	f := SecondFactor{Sealed: e.Sealed}
	if err := f.Spend(k, of, code, now); err != nil {
		return SecondFactor{}, nil, err
	}
	codes := make([]secret.String, recoveryRuns)
	for i := range codes {
		text := rand.Text()[:recoveryText]
		f.Recovery = append(f.Recovery, hashRecovery(text))
		codes[i] = secret.New(strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:]}, "-"))
	}
	return f, codes, nil
}

// Spend takes a code of the app or a recovery code, each of which is right once. It returns ErrWrongOTP for any other text.
func (f *SecondFactor) Spend(k FactorKey, of user.ID, code string, now time.Time) error {
	code = normaliseOTP(code)
	if IsRecovery(code) {
		at := slices.Index(f.Recovery, hashRecovery(code))
		if at < 0 {
			return ErrWrongOTP
		}
		f.Recovery = slices.Delete(slices.Clone(f.Recovery), at, at+1)
		return nil
	}
	shared, err := k.open(f.Sealed, of)
	if err != nil {
		return err
	}
	current := now.Unix() / int64(codeStep/time.Second)
	for step := max(current-1, f.Step+1); step <= current+1; step++ {
		if hmac.Equal([]byte(codeAt(shared, step)), []byte(code)) {
			f.Step = step
			return nil
		}
	}
	return ErrWrongOTP
}

// IsRecovery reports whether the text has the length of a recovery code, and not that of a code of an app.
func IsRecovery(code string) bool { return len(normaliseOTP(code)) > codeDigits }

// normaliseOTP removes what people type between the letters and digits of a code.
func normaliseOTP(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

func hashRecovery(code string) string {
	hash := sha256.Sum256([]byte(code))
	return hex.EncodeToString(hash[:])
}

// codeAt returns the code of a step, by RFC 6238 with HMAC-SHA-1.
func codeAt(shared []byte, step int64) string {
	mac := hmac.New(sha1.New, shared)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(step)))
	sum := mac.Sum(nil)
	from := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%0*d", codeDigits, binary.BigEndian.Uint32(sum[from:])&0x7fffffff%1_000_000)
}
