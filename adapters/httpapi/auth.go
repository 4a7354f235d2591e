package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/secret"
)

// loginBody is the body of a login. A password is never trimmed, so a password of spaces is
// valid.
type loginBody struct {
	Username *string        `json:"username" validate:"required,visible"`
	Password *secret.String `json:"password" validate:"required,min=1"`
	Scope    []string       `json:"scope" validate:"max=50"`
	OTP      secret.String  `json:"otp"`
}

type keyView struct {
	Key string `json:"key"`
}

// login returns a new key (AUT-01).
func (a *api) login(c *transport.Call) (transport.Reply, error) {
	limited := a.addresses.Charge(c.Context())
	body, readErr := transport.Read[loginBody](c)
	key, err := a.Signin.Login(c.Context(), signin.Login{
		Username: deref(body.Username), Password: deref(body.Password), Scopes: body.Scope, OTP: body.OTP.Reveal(), From: c.Address(),
		Limited: limited,
	}, readErr)
	return transport.Data(keyView{key.Reveal()}), err
}

// logout revokes the key that the request presents (AUT-10).
func (a *api) logout(c *transport.Call) (transport.Reply, error) {
	return transport.NoContent(), a.Signin.Logout(c.Context(), c.Key)
}

// passwordBody is a change of the caller's password (AUT-13). Passwords are never trimmed.
type passwordBody struct {
	Old *secret.String `json:"old_password" validate:"required,min=1"`
	New *secret.String `json:"new_password" validate:"required,min=1"`
}

func (a *api) changePassword(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[passwordBody](c)
	return transport.NoContent(), a.Signin.ChangePassword(c.Context(), c.Actor, signin.PasswordChange{
		Old: deref(body.Old), New: deref(body.New), From: c.Address(),
	}, readErr)
}

// sessionView is a token of the caller, without its key.
type sessionView struct {
	ID       access.TokenID      `json:"id"`
	Scopes   []access.Scope      `json:"scopes"`
	Created  transport.Timestamp `json:"created_at"`
	LastUsed transport.Timestamp `json:"last_used_at"`
	Current  bool                `json:"current"` // the token of this request
}

func (a *api) listSessions(c *transport.Call) (transport.Reply, error) {
	return pageOf(c, c.Query(), c.Actor, a.Signin.Sessions, func(t access.Token) sessionView {
		return sessionView{t.ID, listed(t.Scopes), transport.Timestamp(t.Created), transport.Timestamp(t.Used), t.ID == c.Actor.Token}
	})
}

func (a *api) endSession(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Signin.EndSession)
}
