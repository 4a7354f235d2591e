package httpapi

import "plaza/domain/event"

// plateBody is a new picture of an event (PLA-02).
type plateBody struct {
	Event *event.ID `json:"event" validate:"required"`
	Photo upload    `json:"photo" validate:"required"`
}

func (a *api) attachPlate(c *call) (reply, error) {
	body, readErr := readUpload[plateBody](c)
	plate, err := a.Diary.Attach(c.ctx(), c.actor, orZero(body.Event), body.Photo, readErr)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), c.actor.ID)
	if err != nil {
		return reply{}, err
	}
	return created(a.renderPlate(people[c.actor.ID], plate)), nil
}

func (a *api) detachPlate(c *call) (reply, error) {
	id, err := pathID[event.PlateID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Diary.Detach(c.ctx(), c.actor, id)
}
