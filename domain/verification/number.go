package verification

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"

	"plaza/domain/user"
)

// Number is a telephone's number: all its digits, from the dialling code on. Login names of one
// telephone have the same Number, wherever their dash is. It prints as ***, so that no log has it.
// The zero Number is none.
type Number struct{ digits string }

// NumberOf returns the number of the login name, or zero for that of an erased account.
func NumberOf(p user.Phone) Number {
	if p.IsErased() {
		return Number{}
	}
	return Number{digits: strings.TrimPrefix(p.E164(), "+")}
}

// numberForm matches the digits of numbers that user.ParsePhone takes.
var numberForm = regexp.MustCompile(`^[1-9][0-9]{4,14}$`)

// StoredNumber returns the number of Digits.
func StoredNumber(digits string) (Number, error) {
	if !numberForm.MatchString(digits) {
		return Number{}, errors.New("a stored text is not a telephone number")
	}
	return Number{digits: digits}, nil
}

// IsZero reports whether the number is none.
func (n Number) IsZero() bool { return n.digits == "" }

// Digits returns the digits, for stores.
func (n Number) Digits() string { return n.digits }

// E164 returns the number as senders write it: +8613800000001.
func (n Number) E164() string { return "+" + n.digits }

// prefixLess is how many digits at the end a prefix leaves out.
const prefixLess = 4

// Prefix returns the number without its last four digits. Fraud that sends messages to numbers of one
// operator, for a share of their price, uses numbers with few prefixes.
func (n Number) Prefix() string { return n.digits[:max(0, len(n.digits)-prefixLess)] }

const mask = "***"

// Format prints the mask for every verb.
func (n Number) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

func (n Number) LogValue() slog.Value         { return slog.StringValue(mask) }
func (n Number) MarshalText() ([]byte, error) { return []byte(mask), nil }
