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

// diallingCodes are the country codes of E.164 that are in use, as the ITU publishes them, networks of satellites and
// services among them. None begins with another, so a telephone has one dialling code.
var diallingCodes = strings.Fields(`
	1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66
	81 82 84 86 90 91 92 93 94 95 98
	211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239
	240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269
	290 291 297 298 299
	350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 380 381 382 383 385 386 387 389
	420 421 423 500 501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599
	670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692
	800 808 850 852 853 855 856 870 878 880 881 882 883 886 888
	960 961 962 963 964 965 966 967 968 970 971 972 973 974 975 976 977 979 992 993 994 995 996 998`)

// zeroCodes are the dialling codes behind which numbers may begin with 0. Elsewhere a leading 0 is dialled only within
// the country.
var zeroCodes = []string{"39", "225", "242", "378"}

// IsDiallingCode reports whether the digits are a dialling code in use.
func IsDiallingCode(digits string) bool { return slices.Contains(diallingCodes, digits) }

// DiallingCode returns the dialling code that the digits of the number begin with, wherever the dash is. It is empty if
// none is in use, and for a number that is none.
func (p Phone) DiallingCode() string {
	digits := strings.TrimPrefix(p.E164(), "+")
	for length := 1; length <= min(3, len(digits)); length++ {
		if IsDiallingCode(digits[:length]) {
			return digits[:length]
		}
	}
	return ""
}

// mainlandMobile matches the mobile numbers of mainland China behind their dialling code, 86.
var mainlandMobile = regexp.MustCompile(`^1[3-9][0-9]{9}$`)

// MessageProblem returns the fault of a number to which no message may be sent, or nil. It judges the digits as a
// provider of SMS reads them, wherever the dash is (AUT-15). Behind 86 only mobile numbers pass: providers may take other
// digits there, such as those of a number abroad, for a number of another country.
func (p Phone) MessageProblem() error {
	code := p.DiallingCode()
	number := strings.TrimPrefix(p.E164(), "+"+code)
	if err := problemOf(code, number); err != nil {
		return err
	}
	if code == "86" && !mainlandMobile.MatchString(number) {
		return ErrNoMobile
	}
	return nil
}
