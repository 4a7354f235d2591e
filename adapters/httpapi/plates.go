package httpapi

import "plaza/domain/event"

// plateBody is a new picture of an event (PLA-02).
type plateBody struct {
	Event *event.ID `json:"event" validate:"required"`
	Photo upload    `json:"photo" validate:"required"`
}

func (a *api) attachPlate(c *call) (reply, error) {
	body, err := readUpload[plateBody](c)
	if err != nil {
		return reply{}, mergeFaults(err, a.notAttachable(c, body.Event))
	}
	plate, err := a.Diary.Attach(c.ctx(), c.actor, *body.Event, body.Photo)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), c.actor.ID)
	if err != nil {
		return reply{}, err
	}
	return created(a.renderPlate(people[c.actor.ID], plate)), nil
}

// notAttachable returns the fault for an event that the caller may not attach pictures to.
// Without an event it returns nil.
func (a *api) notAttachable(c *call, on *event.ID) error {
	if on == nil {
		return nil
	}
	return a.Diary.MayAttach(c.ctx(), c.actor, *on)
}

func (a *api) detachPlate(c *call) (reply, error) {
	id, err := pathID[event.PlateID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Diary.Detach(c.ctx(), c.actor, id)
}
