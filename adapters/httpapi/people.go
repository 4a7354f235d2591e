package httpapi

import (
	"fmt"
	"maps"
	"slices"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/people"
	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/user"
)

// peopleBody lists the uids of users.
type peopleBody struct {
	UID []user.ID `json:"uid" validate:"required"`
}

// lookUpPeople returns simple user info (USR-01).
func (a *api) lookUpPeople(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[peopleBody](c)
	infos, err := a.People.Lookup(c.Context(), body.UID, readErr)
	return transport.Data(mapSlice(infos, renderPerson)), err
}

// searchList names the list of people whom a search finds, in its cursors.
const searchList = 'p'

// searchPeople returns simple user info of people whom the name in the parameter finds (USR-08).
func (a *api) searchPeople(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	name, behind := q.Text("name"), q.SeenCursor(searchList)
	found, err := a.People.Search(c.Context(), c.Actor, name, behind, q.Err())
	return transport.Continued(searchList, mapSlice(found.Items, renderPerson), found.Next), err
}

// readProfile returns the caller's own profile (USR-05).
func (a *api) readProfile(c *transport.Call) (transport.Reply, error) {
	profile, err := a.People.Profile(c.Context(), c.Actor)
	return transport.Data(renderProfile(profile)), err
}

// profileBody changes the caller's profile (USR-06). Null clears a place and an expertise.
type profileBody struct {
	Firstname *string                    `json:"firstname"`
	Lastname  *string                    `json:"lastname"`
	Timezone  *string                    `json:"timezone"`
	Location  transport.Nullable[string] `json:"location"`
	Expertise transport.Nullable[string] `json:"expertise"`
}

func (a *api) changeProfile(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[profileBody](c)
	change := user.ProfileChange{Firstname: body.Firstname, Lastname: body.Lastname, Timezone: body.Timezone}
	if body.Location.Sent {
		change.Location = &body.Location.Value
	}
	if body.Expertise.Sent {
		change.Expertise = &body.Expertise.Value
	}
	profile, err := a.People.ChangeProfile(c.Context(), c.Actor, change, readErr)
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

// users holds the users of a response.
type users map[user.ID]user.Info

// loadUsers loads all the users at once, unless reading what shows them has failed.
func (a *api) loadUsers(c *transport.Call, ids []user.ID, err error) (users, error) {
	if err != nil {
		return nil, err
	}
	infos, err := a.People.Infos(c.Context(), ids)
	if err != nil {
		return nil, err
	}
	return usersOf(c, infos, ids)
}

// describe returns the users of the ids, who are among the members that were read with what
// shows them, unless that has failed.
func (a *api) describe(c *transport.Call, members map[user.ID]*user.Member, ids []user.ID, err error) (users, error) {
	if err != nil {
		return nil, err
	}
	all := slices.AppendSeq(make([]*user.Member, 0, len(members)), maps.Values(members))
	return usersOf(c, a.People.Describe(all), ids)
}

// usersOf returns the users of the ids. Every uid in a response exists, so a missing user is an
// internal error. The caller is online, also while the presence of the request is not stored yet (USR-03).
func usersOf(c *transport.Call, infos []user.Info, ids []user.ID) (users, error) {
	people := make(users, len(infos))
	for _, info := range infos {
		info.IsOnline = info.IsOnline || info.ID == c.Actor.ID
		people[info.ID] = info
	}
	for _, id := range ids {
		if _, known := people[id]; !known {
			return nil, fmt.Errorf("user %d is referenced but does not exist", id)
		}
	}
	return people, nil
}

// person is simple user info (USR-01). It embeds nothing, because fields of an embedded struct take longer to encode.
type person struct {
	UID       user.ID `json:"uid"`
	Avatar    string  `json:"avatar"`
	Expertise *string `json:"expertise"`
	Firstname string  `json:"firstname"`
	Lastname  string  `json:"lastname"`
	Username  string  `json:"username"`
	Timezone  string  `json:"timezone"`
	UTCOffset string  `json:"timezone_utc_offset"`
	Location  string  `json:"location"`
	Avatars   picture `json:"avatars"`
	IsOnline  bool    `json:"is_online"`
}

// author is simple user info within events, which name the flag differently (EVT-01).
type author struct {
	person
	Renamed *bool `json:"is_online,omitempty"` // nil; it hides the flag of person
	Online  bool  `json:"online"`
}

// profile is the caller's own profile (USR-05).
type profile struct {
	person
	Phone      string              `json:"phone"`
	Scopes     []access.Scope      `json:"scopes"`
	IsStaff    bool                `json:"is_staff"`
	DateJoined transport.Timestamp `json:"date_joined"`
	Unread     int                 `json:"unread_count"`
}

type picture struct {
	Path  string `json:"path"`
	Sizes sizes  `json:"sizes"`
}

// sizes has a field for every size. Each picture has some of them.
type sizes struct {
	CoverSM       size `json:"cover_sm,omitzero"`
	DemandCoverMD size `json:"demand_cover_md,omitzero"`
	LG            size `json:"lg,omitzero"`
	MD            size `json:"md,omitzero"`
	SM            size `json:"sm,omitzero"`
}

type size struct {
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Path   string `json:"path"`
}

func renderPerson(u user.Info) person {
	return person{
		UID: u.ID, Avatar: u.Avatar.Path, Expertise: view.OrNull(u.Expertise),
		Firstname: u.Firstname, Lastname: u.Lastname, Username: u.Username,
		Timezone: u.Timezone, UTCOffset: u.UTCOffset, Location: u.Location,
		Avatars: renderPicture(u.Avatar), IsOnline: u.IsOnline,
	}
}

func renderAuthor(u user.Info) author { return author{person: renderPerson(u), Online: u.IsOnline} }

func renderProfile(p people.Profile) profile {
	return profile{
		person: renderPerson(p.Info), Phone: p.Phone.String(), Scopes: append([]access.Scope{}, p.Scopes...),
		IsStaff: p.Staff, DateJoined: transport.Timestamp(p.Joined), Unread: p.Unread,
	}
}

func renderPicture(p media.Picture) picture {
	view := picture{Path: p.Path}
	for _, s := range p.Sizes {
		rendered := size{s.Width, s.Height, s.Path}
		switch s.Name {
		case "cover_sm":
			view.Sizes.CoverSM = rendered
		case "demand_cover_md":
			view.Sizes.DemandCoverMD = rendered
		case "lg":
			view.Sizes.LG = rendered
		case "md":
			view.Sizes.MD = rendered
		case "sm":
			view.Sizes.SM = rendered
		}
	}
	return view
}

// mapSlice renders a list. An empty list is written as [], never as null.
func mapSlice[T, U any](items []T, render func(T) U) []U {
	rendered := make([]U, len(items))
	for i, item := range items {
		rendered[i] = render(item)
	}
	return rendered
}
