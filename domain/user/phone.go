package user

import (
	"regexp"

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

// String returns the login name.
func (p Phone) String() string { return p.name }
