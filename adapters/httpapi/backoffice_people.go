package httpapi

import (
	"context"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/user"
)

// staffList names the list of people whom staff find, in its cursors.
const staffList = 's'

// staffPerson is a person for staff (OFF-01).
type staffPerson struct {
	User       person               `json:"user"`
	Phone      string               `json:"phone"`
	Scopes     []access.Scope       `json:"scopes"`
	IsStaff    bool                 `json:"is_staff"`
	IsDisabled bool                 `json:"is_disabled"`
	Joined     transport.Timestamp  `json:"date_joined"`
	Seen       *transport.Timestamp `json:"last_seen_at"`
	Sessions   int                  `json:"sessions"`
}

func renderStaffPerson(p backoffice.Person) staffPerson {
	return staffPerson{
		User: renderPerson(p.Info), Phone: p.Phone.String(), Scopes: listed(p.Scopes), IsStaff: p.Staff, IsDisabled: p.Disabled,
		Joined: transport.Timestamp(p.Joined), Seen: view.OrNever(p.Seen), Sessions: p.Sessions,
	}
}

func (a *api) findPeople(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	query := backoffice.PeopleQuery{Phone: q.Text("phone"), UID: user.ID(q.PositiveInt("uid", 0)), Name: q.Text("name")}
	query.CursorRequest = q.Cursor(staffList)
	c.Audited = []any{"uid", int64(query.UID), "by_phone", query.Phone != "", "by_name", query.Name != ""}
	found, err := a.BackOffice.Find(c.Context(), query, q.Err())
	return transport.Continued(staffList, mapSlice(found.Items, renderStaffPerson), found.Next), err
}

func (a *api) showPerson(c *transport.Call) (transport.Reply, error) {
	id, err := transport.PathID[user.ID](c)
	if err != nil {
		return transport.Reply{}, err
	}
	found, err := a.BackOffice.Show(c.Context(), id)
	return transport.Data(renderStaffPerson(found)), err
}

// actBody is why staff do something to an account.
type actBody struct {
	Reason *string `json:"reason" validate:"required"`
}

func (a *api) disableAccount(c *transport.Call) (transport.Reply, error) {
	return act(c, a.BackOffice.Disable)
}

func (a *api) enableAccount(c *transport.Call) (transport.Reply, error) {
	return act(c, a.BackOffice.Enable)
}

func (a *api) endSessionsOf(c *transport.Call) (transport.Reply, error) {
	return act(c, a.BackOffice.EndSessions)
}

// act does the act to the account in the path.
func act(
	c *transport.Call, do func(context.Context, backoffice.Act, error) (backoffice.Person, error),
) (transport.Reply, error) {
	id, err := transport.PathID[user.ID](c)
	if err != nil {
		return transport.Reply{}, err
	}
	body, readErr := transport.Read[actBody](c)
	found, err := do(c.Context(), backoffice.Act{Actor: c.Actor, User: id, Reason: deref(body.Reason)}, readErr)
	return transport.Data(renderStaffPerson(found)), err
}

// rightsBody are the new rights of an account.
type rightsBody struct {
	Scopes *[]string `json:"scopes" validate:"required,max=50"`
	Staff  *bool     `json:"staff" validate:"required"`
	Reason *string   `json:"reason" validate:"required"`
}

func (a *api) setRights(c *transport.Call) (transport.Reply, error) {
	id, err := transport.PathID[user.ID](c)
	if err != nil {
		return transport.Reply{}, err
	}
	body, readErr := transport.Read[rightsBody](c)
	rights := backoffice.Rights{Scopes: deref(body.Scopes), Staff: deref(body.Staff)}
	c.Audited = []any{"scopes", rights.Scopes, "staff", rights.Staff}
	found, err := a.BackOffice.SetRights(
		c.Context(), backoffice.Act{Actor: c.Actor, User: id, Reason: deref(body.Reason)}, rights, readErr)
	return transport.Data(renderStaffPerson(found)), err
}
