package access

import (
	"fmt"
	"slices"
	"strings"

	"plaza/domain/audit"
	"plaza/domain/fault"
)

// Role is what a member of staff works as (OFF-03). It is stored.
type Role string

// The roles. An admin may do what all others may.
const (
	Moderator Role = "moderator"
	Cashier   Role = "cashier"
	Support   Role = "support"
	Admin     Role = "admin"
)

// Roles returns every role, in listing order.
func Roles() []Role { return []Role{Moderator, Cashier, Support, Admin} }

// Area is a part of the back office that some roles may enter.
type Area string

// The areas. The words of a path or an act tell which one it belongs to.
const (
	Overview Area = "overview" // each role sees its parts
	Audit    Area = "audit"    // each role sees the acts in its areas
	Imports  Area = "imports"
	Reports  Area = "reports"  // and what is hidden
	Money    Area = "money"    // payments, refunds and findings
	Orders   Area = "orders"   // as they are listed
	Ordering Area = "ordering" // making and closing orders
	People   Area = "people"   // their accounts and sessions, exports and erasures
	Rights   Area = "rights"   // scopes and roles of accounts, and the installation itself
)

// areas has the roles that may enter an area besides Admin.
var areas = map[Area][]Role{
	Overview: {Moderator, Cashier, Support}, Audit: {Moderator, Cashier, Support}, Imports: {Moderator, Cashier, Support},
	Reports: {Moderator}, Money: {Cashier}, Orders: {Cashier, Support}, Ordering: {Support}, People: {Support}, Rights: nil,
}

// acts has the acts that the roles of an area see in the audit. Admins see all others, too.
var acts = map[Area][]audit.Act{
	Imports: {audit.Imported}, Reports: {audit.Hidden, audit.Restored, audit.ReportDecided},
	Money: {audit.RefundOrdered, audit.BillReconciled, audit.FindingSettled}, Orders: {audit.OrderCreated, audit.OrderClosed},
	People: {audit.AccountCreated, audit.AccountDisabled, audit.AccountEnabled, audit.AccountErased, audit.AccountExported,
		audit.PasswordSet, audit.PasswordCodeSent, audit.PhoneSet, audit.TokenIssued, audit.TokenRevoked, audit.SessionsEnded,
		audit.SecondFactorEnrolled, audit.RecoveryCodeUsed, audit.SecondFactorReset},
}

// Roles returns the roles that may enter the area.
func (a Area) Roles() []Role { return append(slices.Clone(areas[a]), Admin) }

// May reports whether the actor may enter the area.
func (a Actor) May(area Area) bool {
	return a.Has(BackOffice) && slices.ContainsFunc(a.Roles, func(r Role) bool { return slices.Contains(area.Roles(), r) })
}

// Enter returns nil if the actor may enter the area. Otherwise it returns ErrNeedsFactor, ErrNotStaff, or
// a fault that names the roles that may.
func (a Actor) Enter(area Area) error {
	switch {
	case a.LacksFactor:
		return ErrNeedsFactor
	case !a.Has(BackOffice):
		return ErrNotStaff
	case a.May(area):
		return nil
	}
	needed := area.Roles()
	if len(needed) > 1 { // an admin may enter every area
		needed = needed[:len(needed)-1]
	}
	return fault.Newf(fault.Denied, "This needs the role %s.", strings.ReplaceAll(strings.Trim(fmt.Sprint(needed), "[]"), " ", "/"))
}

// Acts returns the acts that the actor sees in the audit: those in the areas that the actor may enter. Admins see all: nil.
func (a Actor) Acts() []audit.Act {
	if a.May(Rights) {
		return nil
	}
	seen := []audit.Act{}
	for area, some := range acts {
		if a.May(area) {
			seen = append(seen, some...)
		}
	}
	return seen
}

// ParseRoles parses the names of roles. Repeated names count once. An unknown name is a fault on the field roles.
func ParseRoles(names []string) ([]Role, error) {
	return parseNames(names, Roles(), "roles", "Unknown role %s.")
}
