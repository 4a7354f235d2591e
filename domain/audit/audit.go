// Package audit records the acts of staff: who did what, on what, and when (MOD-04).
//
// A record has ids and codes alone, and is never changed or deleted. Its reason, a free text, and the names of those whom it
// is by and about are stored apart: an erasure of one of them blanks them.
package audit

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// ID numbers records. Of two records the later one has the greater ID.
type ID int64

// Act is the code of an act. It is stored.
type Act string

const (
	AccountCreated       Act = "account_created"
	AccountDisabled      Act = "account_disabled"
	AccountEnabled       Act = "account_enabled"
	AccountErased        Act = "account_erased"
	AccountExported      Act = "account_exported"
	PasswordSet          Act = "password_set"
	PhoneSet             Act = "phone_set"
	ScopesSet            Act = "scopes_set"
	StaffGranted         Act = "staff_granted"
	StaffRevoked         Act = "staff_revoked"
	TokenIssued          Act = "token_issued"
	TokenRevoked         Act = "token_revoked"
	SessionsEnded        Act = "sessions_ended"
	PasswordCodeSent     Act = "password_code_sent"
	SecondFactorEnrolled Act = "second_factor_enrolled"
	RecoveryCodeUsed     Act = "recovery_code_used"
	SecondFactorReset    Act = "second_factor_reset"
	OrderCreated         Act = "order_created"
	OrderClosed          Act = "order_closed"
	RefundOrdered        Act = "refund_ordered"
	FindingSettled       Act = "finding_settled"
	BillReconciled       Act = "bill_reconciled"
	Imported             Act = "imported"
	DemoLoaded           Act = "demo_loaded"
	DemoRemoved          Act = "demo_removed"
	Repaired             Act = "repaired"
	SchemaMigrated       Act = "schema_migrated"
	BackedUp             Act = "backed_up"
	PicturesAdopted      Act = "pictures_adopted"
	Hidden               Act = "hidden"
	Restored             Act = "restored"
	ReportDecided        Act = "report_decided"
)

// Acts returns every act.
func Acts() []Act {
	return []Act{
		AccountCreated, AccountDisabled, AccountEnabled, AccountErased, AccountExported, PasswordSet, PhoneSet, ScopesSet,
		StaffGranted, StaffRevoked, TokenIssued, TokenRevoked, SessionsEnded, OrderCreated, RefundOrdered, BillReconciled,
		Imported, DemoLoaded, DemoRemoved, Repaired, SchemaMigrated, BackedUp, PicturesAdopted, Hidden, Restored,
		ReportDecided, PasswordCodeSent, OrderClosed, FindingSettled, SecondFactorEnrolled, RecoveryCodeUsed, SecondFactorReset,
	}
}

// Kind is a kind of objects. It is stored.
type Kind string

// The kinds of objects.
const (
	Account     Kind = "account"
	Token       Kind = "token"
	Order       Kind = "order"
	Payment     Kind = "payment"
	Refund      Kind = "refund"
	Report      Kind = "report"
	Event       Kind = "event"
	Comment     Kind = "comment"
	Image       Kind = "image"
	Plate       Kind = "plate"
	Profile     Kind = "profile" // its ID is the uid
	Publication Kind = "publication"
	Node        Kind = "node"
	Demand      Kind = "demand"
	Finding     Kind = "finding"
	Bill        Kind = "bill"     // of the wallet; its ID is the day
	File        Kind = "file"     // its ID is the name
	Database    Kind = "database" // the whole of it; without an ID
)

// Actor is the person who acts: a staff account, or a person at the command line.
type Actor struct {
	Staff  user.ID // zero: a person at the command line
	Person string  // the name of that person
}

// Name returns the uid of the staff account, or the name of the person at the command line.
func (a Actor) Name() any {
	if a.Staff != 0 {
		return a.Staff
	}
	return a.Person
}

// nameLimit bounds the name of a person at the command line.
var nameLimit = text.Limit{Chars: 100}

// ErrName reports a name that is none of a person.
var ErrName = errors.New("the name of the person who acts must be one line of 1 to 100 characters with a letter, and not name an " +
	"account by its number")

// accountName matches names that lists show of staff accounts.
var accountName = regexp.MustCompile(`(?i)^\PL*(account|staff|user|uid)\PL*$`)

// Person returns the actor with the name, or ErrName. No name is like that of an account in lists.
func Person(name string) (Actor, error) {
	if nameLimit.RequiredLine(&name) != "" || !strings.ContainsFunc(name, unicode.IsLetter) ||
		accountName.MatchString(name) && strings.ContainsFunc(name, unicode.IsNumber) {
		return Actor{}, ErrName
	}
	return Actor{Person: name}, nil
}

// Object is the thing that an act is on.
type Object struct {
	Kind Kind
	ID   string // empty: the act makes it, or it has none
}

// Numbered returns the object with the number.
func Numbered[ID ~int64](k Kind, id ID) Object { return Object{k, strconv.FormatInt(int64(id), 10)} }

// Record tells of one act.
type Record struct {
	ID     ID
	At     time.Time
	By     Actor
	Act    Act
	Object Object
	About  user.ID // the person whom the act concerns; zero: none
	Reason string  // empty: none was given, or it was erased
	// ByName and AboutName are what the member of staff and the person whom the act concerns were called then, which the
	// store knows; empty: there was no such account, or it was erased.
	ByName, AboutName string
}

// OnAccount returns the record of an act on the account. With lacks who does it, and when.
func OnAccount(act Act, id user.ID) Record {
	return Record{Act: act, Object: Numbered(Account, id), About: id}
}

// Cursor returns where a list continues behind the record.
func (r Record) Cursor() page.Cursor { return page.At(r.At, r.ID) }

// Query selects records.
type Query struct {
	By        Actor   // zero: anyone
	Acts      []Act   // nil: any
	About     user.ID // the person whom the acts concern; zero: anyone, or no one
	page.Span         // of when it was done
	page.CursorRequest
}

// Admits reports whether the query selects the record, wherever it continues.
func (q Query) Admits(r Record) bool {
	return (q.By == Actor{} || r.By == q.By) && (q.Acts == nil || slices.Contains(q.Acts, r.Act)) &&
		(q.About == 0 || r.About == q.About) && q.Has(r.At)
}

// Log stores the records. The store of which it is a port writes the record that a context carries (see With) in the
// transaction of the first change that it makes under the context, whichever port makes it, and never twice. A change that
// fails, or is rolled back, writes none. Under a context of Reading the store refuses each change with ErrReading.
// Every implementation passes test/ports.Audit.
type Log interface {
	// Append stores the record of an act that changed no stored data, and returns it with its ID.
	Append(ctx context.Context, r Record) (Record, error)
	// List returns the records behind the cursor that the query admits, the latest first, ties by descending id, or in the order
	// of its span.
	List(ctx context.Context, q Query) (page.CursorPage[Record], error)
}
