// Package verification models one-time codes that are sent to a telephone. A person who types the
// code in has the telephone (AUT-15 to AUT-18, USR-07).
//
// A code is six random digits. It is good for one purpose and one number, once, for ten minutes
// and five tries; a newer one ends it. Only a keyed hash of it is stored. Each try is counted and
// stored before the code is compared, so that tries at once cannot exceed a limit. Everything that
// makes a code no good is one fault in the same words.
//
// # Limits
//
// Two mechanisms of the program count, both in the database and so for all servers:
//
//   - Limits of numbers, prefixes and addresses count as access.Throttle counts failed logins: a
//     row for each request and each try, counted within a sliding window, under locks by name. So
//     a limit holds for every window, as it does at providers. Rates of package ratelimit admit
//     twice their count within some windows, and a provider would refuse what the server had
//     admitted. They also belong to accounts, and here no account is known.
//   - Budgets count as the characters of a translator do (localisation.Cache.Spend): a row for
//     each UTC day in all and one for each dialling code, incremented by a conditional write.
//
// Store.Reserve and Store.Try know no accounts. So a number without an account is counted in the limits as any other.
//
// # What a budget tells
//
// Only messages that are sent take of a budget, so a code to reset a password takes nothing if no account has the number.
// Reserve judges the budget of such a request, for each number alike. The message is taken beside the answer, after the
// account was looked up: one for an account and none for any other number, by the same statements, so that the next
// request waits alike. What is left of a budget is never said. Only the request that finds the budget spent tells that
// the last message was taken. A caller who wants to know of one number must spend the whole budget of the day, with
// messages to telephones, while no other person asks for a code.
package verification

import (
	"slices"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// Rules of a code (AUT-15).
const (
	Life     = 10 * time.Minute
	MaxTries = 5
	digits   = 6
)

// Purpose is what a code is good for, or what a message is about. Its value is stored.
type Purpose string

// PhoneChanged is the purpose of a message without a code: it tells the former number of an account that the account has
// another one.
const PhoneChanged Purpose = "phone_changed"

// The purposes of codes (AUT-15).
const (
	SignUp        Purpose = "sign_up"
	ResetPassword Purpose = "reset_password"
	ChangePhone   Purpose = "change_phone"
	Erase         Purpose = "erase"
)

// Purposes returns all purposes of codes.
func Purposes() []Purpose { return []Purpose{SignUp, ResetPassword, ChangePhone, Erase} }

// NeedsKey reports whether only callers with a key may ask for a code for the purpose.
func (p Purpose) NeedsKey() bool { return p == ChangePhone || p == Erase }

// UnmarshalText reads the name of a purpose of codes. The fault of any other text names them.
func (p *Purpose) UnmarshalText(name []byte) error {
	if !slices.Contains(Purposes(), Purpose(name)) {
		return fault.New(fault.Invalid, text.NoChoice(string(name), Purposes()...))
	}
	*p = Purpose(name)
	return nil
}

// ErrWrongCode is the fault of every code that is no good: it is wrong, expired, spent, replaced by a
// newer one or tried too often, or was never sent.
var ErrWrongCode = fault.Field("code", "The code is wrong or has expired.")

// ErrNoCode is the fault of a text that cannot be a code.
var ErrNoCode = fault.Field("code", "Enter the code of six digits.")

// ParseCode reads a code as a person types it: six digits, with white space around them. It
// returns ErrNoCode for anything else.
func ParseCode(typed string) (secret.String, error) {
	typed = text.Trim(typed)
	if len(typed) != digits || strings.Trim(typed, "0123456789") != "" {
		return secret.String{}, ErrNoCode
	}
	return secret.New(typed), nil
}
