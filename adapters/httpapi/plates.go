package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/event"
	"plaza/domain/idempotency"
)

// plateBody is a new picture of an event (PLA-02).
type plateBody struct {
	Event *event.ID        `json:"event" validate:"required"`
	Photo transport.Upload `json:"photo" validate:"required"`
}

func (b *plateBody) content() idempotency.Request {
	var sent transport.SentFields
	transport.Number(&sent, "event", b.Event)
	return idempotency.Request{Operation: "plate", Fields: sent, File: b.Photo.Reader()}
}

func (a *api) attachPlate(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.ReadUpload[plateBody](c)
	key, readErr := c.IdempotencyKey(body.content, readErr)
	plate, err := a.Diary.Attach(c.Context(), c.Actor, deref(body.Event), body.Photo, key, readErr)
	if err != nil {
		return transport.Reply{}, err
	}
	people, err := a.loadUsers(c.Context(), c.Actor.ID)
	return transport.Created(a.renderPlate(people[c.Actor.ID], plate)), err
}

func (a *api) detachPlate(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Diary.Detach)
}
