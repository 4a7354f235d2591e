package user

import (
	"regexp"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Phone is a phone number in the form that people log in with:
// +{country dialling code}-{phone number}. The zero Phone is none.
type Phone struct{ name string }

// phoneForm takes a dialling code of one to three digits and a number that,
// with it, has at most the fifteen digits of E.164.
var phoneForm = regexp.MustCompile(`^\+([1-9][0-9]{0,2})-([0-9]{4,14})$`)

const maxPhoneDigits = 15

// ParsePhone reads a login name (AUT-01). One of another form is a fault on the
// field username (AUT-03).
func ParsePhone(name string) (Phone, error) {
	name = text.Trim(name)
	parts := phoneForm.FindStringSubmatch(name)
	if parts == nil || len(parts[1])+len(parts[2]) > maxPhoneDigits {
		return Phone{}, fault.Field("username",
			"Enter a phone number in the form +{country dialling code}-{phone number}, like +86-13800000001.")
	}
	return Phone{name: name}, nil
}

// String is the login name.
func (p Phone) String() string { return p.name }
