package user

import (
	"regexp"
	"slices"
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

// Faults of a number that no telephone has (AUT-03).
var (
	ErrNoDiallingCode = fault.New(fault.Invalid,
		"No country has this dialling code. Enter the code before the dash and the rest of the number after it, like +86-13800000001.")
	ErrLeadingZero = fault.New(fault.Invalid, "Leave out the 0 before the number: it is dialled only within the country.")
)

// ErrNoMobile is the fault of a number behind +86 that takes no messages (AUT-15).
var ErrNoMobile = fault.New(fault.Invalid, "Codes are sent to mobile numbers only, like +86-13800000001.")

// ParsePhone parses the login name of a new account (AUT-03). It returns ErrNoPhone for another form, and
// ErrNoDiallingCode or ErrLeadingZero for a number that no telephone has. Of one telephone it takes one name.
func ParsePhone(name string) (Phone, error) {
	p, err := ParseLoginName(name)
	if err != nil {
		return Phone{}, err
	}
	return p, p.Problem()
}

// ParseLoginName parses a name that an account may log in with. Accounts from before AUT-03 keep names that ParsePhone
// refuses. ParseLoginName returns ErrNoPhone for another form.
func ParseLoginName(name string) (Phone, error) {
	name = text.Trim(name)
	parts := phoneForm.FindStringSubmatch(name)
	if parts == nil || len(parts[1])+len(parts[2]) > maxPhoneDigits {
		return Phone{}, ErrNoPhone
	}
	return Phone{name: name}, nil
}

// ParseTypedPhone parses a login name to look for an account, as a person types it: its plus and its dash may be missing,
// as in a query whose plus has become a blank, and blanks may be in it. It returns ErrNoPhone for another form.
func ParseTypedPhone(typed string) (Phone, error) {
	number := strings.TrimPrefix(strings.Join(strings.Fields(typed), ""), "+")
	if code := (Phone{number}).DiallingCode(); !strings.Contains(number, "-") {
		number = code + "-" + strings.TrimPrefix(number, code)
	}
	return ParseLoginName("+" + number)
}

// Problem returns the fault with which ParsePhone refuses the number, or nil.
func (p Phone) Problem() error {
	code, number, _ := strings.Cut(strings.TrimPrefix(p.name, "+"), "-")
	return problemOf(code, number)
}

// problemOf returns the fault of a number that no telephone has behind the dialling code, or nil.
func problemOf(code, number string) error {
	switch {
	case !IsDiallingCode(code):
		return ErrNoDiallingCode
	case number[0] == '0' && !slices.Contains(zeroCodes, code):
		return ErrLeadingZero
	}
	return nil
}

// E164 returns the number in the form of E.164: the login name without its dash. Two names are of one telephone if
// these are equal.
func (p Phone) E164() string { return strings.Replace(p.name, "-", "", 1) }

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
	return ParseLoginName(name)
}

// String returns the login name.
func (p Phone) String() string { return p.name }
