package httpapi

import (
	"context"
	"fmt"

	"plaza/domain/user"
)

// peopleBody names people by their uids.
type peopleBody struct {
	UID []user.ID `json:"uid" validate:"required"`
}

// lookUpPeople returns the simple user info of the people asked for (USR-01).
func (a *api) lookUpPeople(c *call) (reply, error) {
	body, err := read[peopleBody](c)
	if err != nil {
		return reply{}, err
	}
	infos, err := a.People.Lookup(c.ctx(), body.UID)
	if err != nil {
		return reply{}, err
	}
	return data(each(infos, renderPerson)), nil
}

// readProfile returns what the caller sees of themselves (USR-05).
func (a *api) readProfile(c *call) (reply, error) {
	profile, err := a.People.Profile(c.ctx(), c.actor)
	if err != nil {
		return reply{}, err
	}
	return data(renderProfile(profile)), nil
}

// avatarBody is a picture of the caller (USR-04).
type avatarBody struct {
	Avatar upload `json:"avatar" validate:"required"`
}

func (a *api) setAvatar(c *call) (reply, error) {
	body, err := readUpload[avatarBody](c)
	if err != nil {
		return reply{}, err
	}
	info, err := a.People.SetAvatar(c.ctx(), c.actor, body.Avatar)
	return data(renderPerson(info)), err
}

// users is everybody who appears in a response.
type users map[user.ID]user.Info

// castOf looks everybody up at once. Whoever appears somewhere exists, so a
// missing one is our own mistake.
func (a *api) castOf(ctx context.Context, ids ...user.ID) (users, error) {
	infos, err := a.People.Infos(ctx, ids)
	if err != nil {
		return nil, err
	}
	people := make(users, len(infos))
	for _, info := range infos {
		people[info.ID] = info
	}
	for _, id := range ids {
		if _, known := people[id]; !known {
			return nil, fmt.Errorf("user %d is referred to and does not exist", id)
		}
	}
	return people, nil
}
