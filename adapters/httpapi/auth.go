package httpapi

import (
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// loginBody is the body of a login. A password is never trimmed, so a password of spaces is
// valid.
type loginBody struct {
	Username *string        `json:"username" validate:"required,visible"`
	Password *secret.String `json:"password" validate:"required,min=1"`
	Scope    []string       `json:"scope" validate:"max=50"`
}

func (b *loginBody) check() fault.Fields {
	var wrong fault.Fields
	_, err := access.ParseScopes(b.Scope)
	wrong.Merge(fault.FieldsOf(err))
	if b.Username != nil {
		_, err := user.ParsePhone(*b.Username)
		wrong.Merge(fault.FieldsOf(err))
	}
	return wrong
}

type keyView struct {
	Key string `json:"key"`
}

// login returns a new key (AUT-01).
func (a *api) login(c *call) (reply, error) {
	body, err := read[loginBody](c)
	if err != nil {
		return reply{}, err
	}
	key, err := a.Signin.Login(c.ctx(), signin.Login{
		Username: *body.Username, Password: *body.Password, Scopes: body.Scope, From: c.address(),
	})
	if err != nil {
		return reply{}, err
	}
	return data(keyView{key.Reveal()}), nil
}

// logout revokes the key that the request presents (AUT-10).
func (a *api) logout(c *call) (reply, error) {
	return noContent(), a.Signin.Logout(c.ctx(), c.key)
}
