package httpapi

import (
	"strings"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
)

// Policy says who may call a route. The zero Policy is none at all.
type Policy struct {
	rule  string
	scope access.Scope
}

// The policies that name no scope.
var (
	NoAuth        = Policy{rule: "noAuth"}        // anyone; the token is not even looked at
	OptionalAuth  = Policy{rule: "optionalAuth"}  // anyone, but not with a bad token (AUT-05)
	Authenticated = Policy{rule: "authenticated"} // whoever has a token
	Staff         = Policy{rule: "staff"}         // tokens of staff that are good for the back office (AUT-14)
)

// Scope admits tokens that are good for the scope.
func Scope(s access.Scope) Policy { return Policy{rule: "scope", scope: s} }

// String is the policy's name: "optionalAuth", "scope xfile_event".
func (p Policy) String() string { return strings.TrimSpace(p.rule + " " + string(p.scope)) }

// admit is nil when the actor may call the route.
func (p Policy) admit(actor access.Actor) error {
	switch {
	case p == NoAuth || p == OptionalAuth:
		return nil
	case actor.IsAnonymous():
		return access.ErrNoToken
	case p == Staff && !actor.Has(access.BackOffice):
		return access.ErrNotStaff
	case p.scope != "" && !actor.Has(p.scope):
		return fault.Newf(fault.Denied, "This needs the scope %s.", p.scope)
	}
	return nil
}

// identify finds out who calls, as far as the policy wants to know.
func (a *api) identify(p Policy, c *call) error {
	if p == NoAuth {
		return nil
	}
	key, err := presentedKey(c.gin.GetHeader("Authorization"))
	if err != nil || key.IsZero() {
		return err
	}
	c.key = key
	c.actor, err = a.Signin.Authenticate(c.ctx(), key)
	return err
}

// presentedKey reads the header Authorization (AUT-05). Whatever is not of the
// scheme Token counts as nothing.
func presentedKey(header string) (secret.String, error) {
	parts := strings.FieldsFunc(header, func(r rune) bool { return r == ' ' || r == '\t' })
	switch {
	case len(parts) == 0 || !strings.EqualFold(parts[0], "Token"):
		return secret.String{}, nil
	case len(parts) != 2:
		return secret.String{}, access.ErrBadKey
	}
	return secret.New(parts[1]), nil
}
