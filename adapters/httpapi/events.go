package httpapi

import (
	"context"
	"fmt"
	"strings"

	"plaza/adapters/httpapi/fields"
	"plaza/adapters/httpapi/transport"
	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/user"
)

func (a *api) writeEvent(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[eventBody](c)
	key, readErr := c.BodyKey("event", &body, readErr)
	written, err := a.Diary.Write(c.Context(), c.Actor, body.change(), key, readErr)
	if err != nil {
		return transport.Reply{}, err
	}
	view, err := a.showEvent(c, written, nil)
	return transport.CreatedAt(fmt.Sprintf("/api/xfile/event/%d/", written.ID()), view), err
}

func (a *api) editEvent(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[eventBody](c)
	edited, err := a.Diary.Edit(c.Context(), c.Actor, event.ID(c.ID), body.change(), readErr)
	view, err := a.showEvent(c, edited, err)
	return transport.Data(view), err
}

func (a *api) deleteEvent(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Diary.Delete)
}

func (a *api) readEvent(c *transport.Call) (transport.Reply, error) {
	shown, err := a.Diary.Read(c.Context(), c.Actor, event.ID(c.ID), partsIn(c.Part))
	view, err := a.showEvent(c, shown, err)
	return transport.Data(view), err
}

func (a *api) listOwnEvents(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	wanted := eventsIn(q)
	wanted.From, wanted.To = dayIn(q, "from"), dayIn(q, "to")
	if q.Text("status") != "" {
		wanted.Status = new(transport.Choose(q, "status", event.Draft, event.Normal))
	}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	return a.pageOfEvents(c, wanted, a.Diary.Own)
}

func (a *api) listEventsOf(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	wanted := eventsIn(q)
	wanted.Author = user.ID(c.ID)
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	return a.pageOfEvents(c, wanted, a.Diary.Of)
}

// eventsIn reads the page of events that is asked for, and its order.
func eventsIn(q *transport.Query) event.Query {
	wanted := event.Query{Order: orderingIn(q), Page: q.Page()}
	q.NeedUsualOrder(wanted.Page, wanted.Order.IsDefault())
	return wanted
}

// dayIn reads a day; the zero Date is absent.
func dayIn(q *transport.Query, name string) (d calendar.Date) {
	if sent := q.Text(name); sent != "" {
		q.Wrong.Merge(fault.FieldsOf(fault.OnField(name, d.UnmarshalText([]byte(sent)))))
	}
	return d
}

// partsIn returns the related data of events that the client asks for.
func partsIn(part fields.Tree) diary.Parts {
	return diary.Parts{Moment: part.Has("the_moment"), News: part.Has("place_around"), Comments: part.Has("comments")}
}

// listTimeline returns events of those whom the caller follows (EVT-23).
func (a *api) listTimeline(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := q.Cursor()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	if err := c.Enter(a.limits, request.Size()); err != nil {
		return transport.Reply{}, err
	}
	p, err := a.Diary.Timeline(c.Context(), c.Actor, request, partsIn(c.Part))
	views, err := a.showEvents(c, p.Items, err)
	return c.Stream(transport.StreamedList{Items: transport.ItemsOf(views), Cursor: c.CursorOf(p.Next)}), err
}

func (a *api) listRecentlyCommented(c *transport.Call) (transport.Reply, error) {
	if err := c.Enter(a.limits, diary.MaxRecentlyCommented); err != nil {
		return transport.Reply{}, err
	}
	shown, err := a.Diary.RecentlyCommented(c.Context(), c.Actor, partsIn(c.Part))
	views, err := a.showEvents(c, shown, err)
	return c.Stream(transport.StreamedList{Items: transport.ItemsOf(views)}), err
}

// pageOfEvents reads a page as soon as memory for it is free.
func (a *api) pageOfEvents(
	c *transport.Call, wanted event.Query,
	read func(context.Context, access.Actor, event.Query, diary.Parts) (page.Page[diary.View], error),
) (transport.Reply, error) {
	if err := c.Enter(a.limits, wanted.Page.Limit()); err != nil {
		return transport.Reply{}, err
	}
	p, err := read(c.Context(), c.Actor, wanted, partsIn(c.Part))
	views, err := a.showEvents(c, p.Items, err)
	return c.Stream(transport.ListOf(c, page.With(p, views))), err
}

// showEvent renders the event, unless reading it has failed.
func (a *api) showEvent(c *transport.Call, shown diary.View, err error) (eventView, error) {
	views, err := a.showEvents(c, []diary.View{shown}, err)
	if err != nil {
		return eventView{}, err
	}
	return views[0], nil
}

// showEvents renders the events of a list, unless reading them has failed.
func (a *api) showEvents(c *transport.Call, shown []diary.View, err error) ([]eventView, error) {
	if err != nil || len(shown) == 0 {
		return nil, err
	}
	people, err := a.describe(c, shown[0].People, diary.PeopleIn(shown...), nil)
	if err != nil {
		return nil, err
	}
	return mapSlice(shown, func(s diary.View) eventView { return a.renderEvent(people, s) }), nil
}

// orderingIn reads the order of events (EVT-13); a leading minus sign means descending.
func orderingIn(q *transport.Query) event.Ordering {
	var terms []event.Term
	for _, part := range q.List("ordering") {
		name, descending := strings.CutPrefix(part, "-")
		terms = append(terms, event.Term{Key: event.Key(name), Descending: descending})
	}
	order, err := event.NewOrdering(terms...)
	q.Wrong.Merge(fault.FieldsOf(fault.OnField("ordering", err)))
	return order
}

// plateBody is a new picture of an event (PLA-02).
type plateBody struct {
	Event *event.ID        `json:"event" validate:"required"`
	Photo transport.Upload `json:"photo" validate:"required"`
}

func (a *api) attachPlate(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.ReadUpload[plateBody](c)
	key, readErr := c.BodyKey("plate", &body, readErr)
	plate, err := a.Diary.Attach(c.Context(), c.Actor, deref(body.Event), body.Photo, key, readErr)
	people, err := a.loadUsers(c, []user.ID{c.Actor.ID}, err)
	return transport.Created(a.renderPlate(people[c.Actor.ID], plate)), err
}

func (a *api) detachPlate(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Diary.Detach)
}
