package httpapi

import (
	"plaza/domain/event"
	"plaza/domain/idempotency"
)

// plateBody is a new picture of an event (PLA-02).
type plateBody struct {
	Event *event.ID `json:"event" validate:"required"`
	Photo upload    `json:"photo" validate:"required"`
}

func (b *plateBody) content() idempotency.Request {
	var sent sentFields
	number(&sent, "event", b.Event)
	return idempotency.Request{Operation: "plate", Fields: sent, File: b.Photo.reader()}
}

func (a *api) attachPlate(c *call) (reply, error) {
	body, readErr := readUpload[plateBody](c)
	key, readErr := c.idempotencyKey(body.content, readErr)
	plate, err := a.Diary.Attach(c.ctx(), c.actor, orZero(body.Event), body.Photo, key, readErr)
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
