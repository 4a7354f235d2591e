package httpapi

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"plaza/domain/user"
)

// peopleBody lists the uids of users.
type peopleBody struct {
	UID []user.ID `json:"uid" validate:"required"`
}

// lookUpPeople returns simple user info (USR-01).
func (a *api) lookUpPeople(c *call) (reply, error) {
	body, readErr := read[peopleBody](c)
	infos, err := a.People.Lookup(c.ctx(), body.UID, readErr)
	if err != nil {
		return reply{}, err
	}
	return data(each(infos, renderPerson)), nil
}

// readProfile returns the caller's own profile (USR-05).
func (a *api) readProfile(c *call) (reply, error) {
	profile, err := a.People.Profile(c.ctx(), c.actor)
	if err != nil {
		return reply{}, err
	}
	return data(renderProfile(profile)), nil
}

// avatarBody is the caller's new avatar (USR-04).
type avatarBody struct {
	Avatar upload `json:"avatar" validate:"required"`
}

func (a *api) setAvatar(c *call) (reply, error) {
	body, readErr := readUpload[avatarBody](c)
	info, err := a.People.SetAvatar(c.ctx(), c.actor, body.Avatar, readErr)
	return data(renderPerson(info)), err
}

// users holds the users of a response.
type users map[user.ID]user.Info

// loadUsers loads all the users at once.
func (a *api) loadUsers(ctx context.Context, ids ...user.ID) (users, error) {
	infos, err := a.People.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	return usersOf(infos, ids)
}

// describe returns the users of the ids, who are among the members that were read with what
// shows them.
func (a *api) describe(members map[user.ID]*user.Member, ids []user.ID) (users, error) {
	all := slices.AppendSeq(make([]*user.Member, 0, len(members)), maps.Values(members))
	return usersOf(a.People.Describe(all), ids)
}

// usersOf returns the users of the ids. Every uid in a response exists, so a missing user is an
// internal error.
func usersOf(infos []user.Info, ids []user.ID) (users, error) {
	people := make(users, len(infos))
	for _, info := range infos {
		people[info.ID] = info
	}
	for _, id := range ids {
		if _, known := people[id]; !known {
			return nil, fmt.Errorf("user %d is referenced but does not exist", id)
		}
	}
	return people, nil
}
