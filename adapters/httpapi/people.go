package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

type peopleBody struct {
	UID []user.ID `json:"uid" validate:"required"`
}

// lookUpPeople returns simple user info (USR-01).
func (a *api) lookUpPeople(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[peopleBody](c)
	infos, err := a.People.Lookup(c.Context(), body.UID, readErr)
	return transport.Data(mapSlice(infos, renderPerson)), err
}

// searchPeople returns simple user info of people whom the name in the parameter finds (USR-08).
func (a *api) searchPeople(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	name, behind := q.Text("name"), q.SeenCursor()
	found, err := a.People.Search(c.Context(), c.Actor, name, behind, q.Err())
	return transport.Continued(c, mapSlice(found.Items, renderPerson), found.Next), err
}

// readProfile returns the caller's own profile (USR-05).
func (a *api) readProfile(c *transport.Call) (transport.Reply, error) {
	profile, err := a.People.Profile(c.Context(), c.Actor)
	return transport.Data(renderProfile(profile)), err
}

// profileBody changes the caller's profile (USR-06). Null clears a place, an expertise and a bio.
type profileBody struct {
	Firstname *string                    `json:"firstname"`
	Lastname  *string                    `json:"lastname"`
	Timezone  *string                    `json:"timezone"`
	Location  transport.Nullable[string] `json:"location"`
	Expertise transport.Nullable[string] `json:"expertise"`
	Bio       transport.Nullable[string] `json:"bio"`
}

func (a *api) changeProfile(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[profileBody](c)
	profile, err := a.People.ChangeProfile(c.Context(), c.Actor, user.ProfileChange{
		Firstname: body.Firstname, Lastname: body.Lastname, Timezone: body.Timezone,
		Location: body.Location.OrZero(), Expertise: body.Expertise.OrZero(), Bio: body.Bio.OrZero(),
	}, readErr)
	return transport.Data(renderProfile(profile)), err
}

// avatarBody is the caller's new avatar (USR-04).
type avatarBody struct {
	Avatar transport.Upload `json:"avatar" validate:"required"`
}

func (a *api) setAvatar(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.ReadUpload[avatarBody](c)
	info, err := a.People.SetAvatar(c.Context(), c.Actor, body.Avatar, readErr)
	return transport.Data(renderPerson(info)), err
}

func (a *api) removeAvatar(c *transport.Call) (transport.Reply, error) {
	return transport.NoContent(), a.People.RemoveAvatar(c.Context(), c.Actor)
}

// profile is the caller's own profile (USR-05).
type profile struct {
	person
	Phone      string              `json:"phone"`
	Scopes     []access.Scope      `json:"scopes"`
	Roles      []access.Role       `json:"roles"`
	IsStaff    bool                `json:"is_staff"`
	DateJoined transport.Timestamp `json:"date_joined"`
	Unread     int                 `json:"unread_count"`
	Bio        *string             `json:"bio"`
}

func renderProfile(p people.Profile) profile {
	return profile{
		person: renderPerson(p.Info), Phone: p.Phone.String(), Scopes: append([]access.Scope{}, p.Scopes...),
		Roles: listed(p.Roles), IsStaff: len(p.Roles) > 0, DateJoined: transport.Timestamp(p.Joined), Unread: p.Unread,
		Bio: transport.Optional(p.Bio, p.Bio != ""),
	}
}

// publicProfile is a user as others see them (USR-09).
type publicProfile struct {
	person
	Bio      *string       `json:"bio"`
	Joined   string        `json:"joined"`
	Counts   profileCounts `json:"counts"`
	Relation *relationship `json:"relation"`
}

type profileCounts struct {
	Events    int `json:"events"`
	Followers int `json:"followers"`
	Followed  int `json:"followed"`
}

// relationship is what stands between the caller and a user (USR-10).
type relationship struct {
	UID           user.ID          `json:"uid"`
	IsFollowed    bool             `json:"is_followed"`
	FollowsCaller bool             `json:"follows_caller"`
	IsContact     bool             `json:"is_contact"`
	IsBlocked     bool             `json:"is_blocked"`
	Subscription  *subscription.ID `json:"subscription"`
}

func renderRelationship(r user.Relationship) relationship {
	return relationship{
		UID: r.User, IsFollowed: r.IsFollowed(), FollowsCaller: r.FollowsViewer, IsContact: r.IsContact(), IsBlocked: r.IsBlocked,
		Subscription: transport.Optional(subscription.ID(r.Subscription), r.IsFollowed()),
	}
}

// readPublicProfile returns the user of the path, with the relation of the caller, if there is one. The caller is online, as in usersOf.
func (a *api) readPublicProfile(c *transport.Call) (transport.Reply, error) {
	p, err := a.People.PublicProfile(c.Context(), c.Actor, user.ID(c.ID))
	p.Info.IsOnline = p.Info.IsOnline || p.Info.ID == c.Actor.ID
	return transport.Data(publicProfile{
		person: renderPerson(p.Info), Bio: transport.Optional(p.Bio, p.Bio != ""), Joined: calendar.DateOf(p.Joined.UTC()).String(),
		Counts:   profileCounts{Events: p.Events, Followers: p.Followers, Followed: p.Followed},
		Relation: transport.Optional(renderRelationship(p.Relation), c.Actor.ID != 0),
	}), err
}

// listRelationships returns what stands between the caller and the users.
func (a *api) listRelationships(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	asked := mapSlice(q.PositiveInts("uid", people.MaxRelationships), func(id int64) user.ID { return user.ID(id) })
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	found, err := a.People.Relationships(c.Context(), c.Actor, asked)
	return transport.Data(mapSlice(found, renderRelationship)), err
}
