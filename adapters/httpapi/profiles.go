package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/application/people"
	"plaza/domain/calendar"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

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
