package httpapi

import (
	"context"
	"fmt"

	"plaza/application/diary"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

func (a *api) writeEvent(c *call) (reply, error) {
	body, readErr := read[eventBody](c)
	key, readErr := c.idempotencyKey(body.content, readErr)
	written, err := a.Diary.Write(c.ctx(), c.actor, body.change(), key, readErr)
	if err != nil {
		return reply{}, err
	}
	view, err := a.showEvent(written)
	return createdAt(fmt.Sprintf("/api/xfile/event/%d/", written.ID()), view), err
}

func (a *api) editEvent(c *call) (reply, error) {
	id, err := pathID[event.ID](c)
	if err != nil {
		return reply{}, err
	}
	body, readErr := read[eventBody](c)
	edited, err := a.Diary.Edit(c.ctx(), c.actor, id, body.change(), readErr)
	if err != nil {
		return reply{}, err
	}
	view, err := a.showEvent(edited)
	return data(view), err
}

func (a *api) deleteEvent(c *call) (reply, error) {
	id, err := pathID[event.ID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Diary.Delete(c.ctx(), c.actor, id)
}

func (a *api) readEvent(c *call) (reply, error) {
	id, err := pathID[event.ID](c)
	if err != nil {
		return reply{}, err
	}
	shown, err := a.Diary.Read(c.ctx(), c.actor, id)
	if err != nil {
		return reply{}, err
	}
	view, err := a.showEvent(shown)
	return data(view), err
}

func (a *api) listOwnEvents(c *call) (reply, error) {
	q := c.query()
	ordering, request := q.ordering(), q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	return a.pageOfEvents(c, request, func(ctx context.Context) (page.Page[diary.View], error) {
		return a.Diary.Own(ctx, c.actor, ordering, request)
	})
}

func (a *api) listEventsOf(c *call) (reply, error) {
	author, err := pathID[user.ID](c)
	if err != nil {
		return reply{}, err
	}
	q := c.query()
	ordering, request := q.ordering(), q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	return a.pageOfEvents(c, request, func(ctx context.Context) (page.Page[diary.View], error) {
		return a.Diary.Of(ctx, c.actor, author, ordering, request)
	})
}

func (a *api) listRecentlyCommented(c *call) (reply, error) {
	if err := c.enter(a.limits, diary.MaxRecentlyCommented); err != nil {
		return reply{}, err
	}
	shown, err := a.Diary.RecentlyCommented(c.ctx(), c.actor)
	if err != nil {
		return reply{}, err
	}
	views, err := a.showEvents(shown)
	return bare(streamedList{items: itemsOf(views), limits: a.limits, onEncoded: c.leave}), err
}

// pageOfEvents reads a page as soon as memory for it is free.
func (a *api) pageOfEvents(
	c *call, request page.Request, read func(context.Context) (page.Page[diary.View], error),
) (reply, error) {
	if err := c.enter(a.limits, request.Size()); err != nil {
		return reply{}, err
	}
	p, err := read(c.ctx())
	if err != nil {
		return reply{}, err
	}
	views, err := a.showEvents(p.Items)
	return bare(streamedList{items: itemsOf(views), pagination: new(paginationOf(p.Request, p.Total)), limits: a.limits, onEncoded: c.leave}), err
}

func (a *api) showEvent(shown diary.View) (eventView, error) {
	people, err := a.describe(shown.People, diary.PeopleIn(shown))
	if err != nil {
		return eventView{}, err
	}
	return a.renderEvent(people, shown), nil
}

// showEvents renders the events of a list.
func (a *api) showEvents(shown []diary.View) ([]eventView, error) {
	if len(shown) == 0 {
		return nil, nil
	}
	people, err := a.describe(shown[0].People, diary.PeopleIn(shown...))
	if err != nil {
		return nil, err
	}
	return each(shown, func(s diary.View) eventView { return a.renderEvent(people, s) }), nil
}
