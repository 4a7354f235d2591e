package httpapi

import (
	"plaza/application/signin"
	"plaza/domain/secret"
)

// loginBody is the body of a login. A password is never trimmed, so a password of spaces is
// valid.
type loginBody struct {
	Username *string        `json:"username" validate:"required,visible"`
	Password *secret.String `json:"password" validate:"required,min=1"`
	Scope    []string       `json:"scope" validate:"max=50"`
}

type keyView struct {
	Key string `json:"key"`
}

// login returns a new key (AUT-01).
func (a *api) login(c *call) (reply, error) {
	limited := a.addresses.charge(c.gin.Request, c.address())
	body, readErr := read[loginBody](c)
	key, err := a.Signin.Login(c.ctx(), signin.Login{
		Username: orZero(body.Username), Password: orZero(body.Password), Scopes: body.Scope, From: c.address(), Limited: limited,
	}, readErr)
	if err != nil {
		return reply{}, err
	}
	return data(keyView{key.Reveal()}), nil
}

// logout revokes the key that the request presents (AUT-10).
func (a *api) logout(c *call) (reply, error) {
	return noContent(), a.Signin.Logout(c.ctx(), c.key)
}
