package httpapi

import (
	"context"
	"strings"
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/secret"
)

// Policy decides which callers may use a route. The zero Policy is invalid.
type Policy struct {
	rule  string
	scope access.Scope
	area  access.Area
}

// Policies without a scope.
var (
	NoAuth        = Policy{rule: "noAuth"}        // any caller; the token is not read
	OptionalAuth  = Policy{rule: "optionalAuth"}  // any caller without a token or with a valid one (AUT-05)
	Authenticated = Policy{rule: "authenticated"} // any caller with a valid token
	Unnarrowed    = Policy{rule: "unnarrowed"}    // any caller with a valid token that was not narrowed (AUT-13)
)

func Scope(s access.Scope) Policy { return Policy{rule: "scope", scope: s} }

// Office admits staff who may enter the area, with tokens that have the back office's scope (AUT-14, OFF-03).
func Office(area access.Area) Policy { return Policy{rule: "office", area: area} }

// isForStaff reports whether the policy admits staff alone.
func (p Policy) isForStaff() bool { return p.area != "" }

// errNoToken tells how to send a token, because a key without the word counts as none (AUT-05).
var errNoToken = fault.New(fault.Unauthenticated, "Authentication credentials were not provided. Send the header Authorization: Token KEY.")

// String returns the policy's name, like "optionalAuth", "scope xfile_event" or "office money".
func (p Policy) String() string {
	return strings.TrimSpace(p.rule + " " + string(p.scope) + string(p.area))
}

// admit returns nil if the actor may use the route.
func (p Policy) admit(actor access.Actor) error {
	switch {
	case p == NoAuth || p == OptionalAuth:
		return nil
	case actor.IsAnonymous():
		return errNoToken
	case p.isForStaff():
		return actor.Enter(p.area)
	case p == Unnarrowed && actor.Narrowed:
		return access.ErrNarrowed
	case p.scope != "" && !actor.Has(p.scope):
		return fault.Newf(fault.Denied, "The token lacks the scope %s.", p.scope)
	}
	return nil
}

// identify authenticates the caller as the route's policy requires. A request without a
// valid token counts for its address (GEN-14). One with a token is authenticated first, even
// if its address is at the limit, because others at that address must not stop it; if the
// token is invalid, the request counts like one without.
func (a *api) identify(r route, c *transport.Call) error {
	if r.isUnlimited {
		return nil
	}
	err := a.authenticate(r.Policy, c)
	if !c.Actor.IsAnonymous() || err != nil && !fault.Is(err, fault.BadCredentials) {
		return err
	}
	if refused := a.addresses.Charge(c.Context()); refused != nil {
		return refused
	}
	return err
}

// authenticate sets the actor of the call if the request presents a token and the policy
// reads it.
func (a *api) authenticate(p Policy, c *transport.Call) error {
	if p == NoAuth {
		return nil
	}
	key, err := presentedKey(c.Gin.Request.Header.Get("Authorization"))
	if err != nil || key.IsZero() {
		return err
	}
	c.Key = key
	c.Actor, err = a.Signin.Authenticate(c.Context(), key)
	return err
}

// presentedKey reads the Authorization header (AUT-05). Bearer is understood like Token;
// another scheme counts as no key.
func presentedKey(header string) (secret.String, error) {
	parts := strings.FieldsFunc(header, func(r rune) bool { return r == ' ' || r == '\t' })
	switch {
	case len(parts) == 0 || !strings.EqualFold(parts[0], "Token") && !strings.EqualFold(parts[0], "Bearer"):
		return secret.String{}, nil
	case len(parts) != 2:
		return secret.String{}, access.ErrBadKey
	}
	return secret.New(parts[1]), nil
}

// carrying returns the context of a call by staff: it carries the record of the act, or, if the route has none, lets
// stores refuse changes.
func (r route) carrying(c *transport.Call) context.Context {
	if r.act.Act == "" {
		return audit.Reading(c.Context())
	}
	record := r.act
	record.At, record.By.Staff = time.Now(), c.Actor.ID
	return audit.With(c.Context(), record)
}

// logAct logs a call of the back office in a line of its own: the account, its operation, and
// what that was about. Calls that fail are logged with the code of the error.
func logAct(c *transport.Call, r route, err error) {
	line := []any{"by", "account", "user", int64(c.Actor.ID), "client", c.Address().String(), "act", r.Method + " " + r.Path}
	if name := c.Name(); name != "" {
		line = append(line, "id", name)
	}
	line = append(line, c.Audited...)
	if err != nil {
		line = append(line, "code", fault.KindOf(err).Code())
	}
	transport.Logger(c.Context()).InfoContext(c.Context(), "audit", line...)
}
