package user

import (
	"regexp"
	"strconv"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Phone is a phone number in the form of login names:
// +{country dialling code}-{phone number}. The zero Phone is no number.
type Phone struct{ name string }

// phoneForm matches a dialling code of one to three digits and a number. Together they
// have at most the fifteen digits of E.164.
var phoneForm = regexp.MustCompile(`^\+([1-9][0-9]{0,2})-([0-9]{4,14})$`)

const maxPhoneDigits = 15

// ErrNoPhone is the fault of a login name of another form (AUT-03).
var ErrNoPhone = fault.New(fault.Invalid,
	"Enter a phone number in the form +{country dialling code}-{phone number}, like +86-13800000001.")

// ParsePhone parses a login name (AUT-01). It returns ErrNoPhone if the name is invalid.
func ParsePhone(name string) (Phone, error) {
	name = text.Trim(name)
	parts := phoneForm.FindStringSubmatch(name)
	if parts == nil || len(parts[1])+len(parts[2]) > maxPhoneDigits {
		return Phone{}, ErrNoPhone
	}
	return Phone{name: name}, nil
}

// erasedPrefix begins the placeholders of ErasedPhone. No login name begins with it.
const erasedPrefix = "erased-"

// ErasedPhone returns the placeholder for the phone number of a user whose data was erased. No login name equals it.
func ErasedPhone(id ID) Phone { return Phone{name: erasedPrefix + strconv.FormatInt(int64(id), 10)} }

// IsErased reports whether the number is a placeholder of ErasedPhone.
func (p Phone) IsErased() bool { return strings.HasPrefix(p.name, erasedPrefix) }

// StoredPhone parses the String of a Phone: a login name, or a placeholder of ErasedPhone.
func StoredPhone(name string) (Phone, error) {
	if strings.HasPrefix(name, erasedPrefix) {
		return Phone{name: name}, nil
	}
	return ParsePhone(name)
}

// String returns the login name.
func (p Phone) String() string { return p.name }
