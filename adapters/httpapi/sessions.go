package httpapi

import (
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/page"
	"plaza/domain/secret"
)

// passwordBody is a change of the caller's password (AUT-13). Passwords are never trimmed.
type passwordBody struct {
	Old *secret.String `json:"old_password" validate:"required,min=1"`
	New *secret.String `json:"new_password" validate:"required,min=1"`
}

func (a *api) changePassword(c *call) (reply, error) {
	body, readErr := read[passwordBody](c)
	return noContent(), a.Signin.ChangePassword(c.ctx(), c.actor, signin.PasswordChange{
		Old: orZero(body.Old), New: orZero(body.New), From: c.address(),
	}, readErr)
}

// sessionView is a token of the caller, without its key.
type sessionView struct {
	ID       access.TokenID `json:"id"`
	Scopes   []access.Scope `json:"scopes"`
	Created  timestamp      `json:"created_at"`
	LastUsed timestamp      `json:"last_used_at"`
	Current  bool           `json:"current"` // the token of this request
}

func (a *api) listSessions(c *call) (reply, error) {
	q := c.query()
	request := q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	sessions, err := a.Signin.Sessions(c.ctx(), c.actor, request)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(sessions, func(t access.Token) sessionView {
		return sessionView{t.ID, listed(t.Scopes), timestamp(t.Created), timestamp(t.Used), t.ID == c.actor.Token}
	})), nil
}

func (a *api) endSession(c *call) (reply, error) {
	id, err := pathID[access.TokenID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Signin.EndSession(c.ctx(), c.actor, id)
}
