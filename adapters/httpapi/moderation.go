package httpapi

import (
	"context"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
)

// reportBody is a report to staff (MOD-01).
type reportBody struct {
	thingBody
	User   *int64             `json:"user"`
	Reason *moderation.Reason `json:"reason" validate:"required"`
	Text   *string            `json:"text"`
}

// thingBody names what staff can hide by the field of its kind.
type thingBody struct {
	Event       *int64 `json:"event"`
	Comment     *int64 `json:"comment"`
	Image       *int64 `json:"image"`
	Plate       *int64 `json:"plate"`
	Profile     *int64 `json:"profile"`
	Publication *int64 `json:"publication"`
	Node        *int64 `json:"node"`
	Demand      *int64 `json:"demand"`
}

// named returns the things that the body names, with a person.
func (b thingBody) named(person *int64) things {
	return things{
		moderation.Event: b.Event, moderation.Comment: b.Comment, moderation.Image: b.Image, moderation.Person: person,
		moderation.Plate: b.Plate, moderation.Profile: b.Profile,
		moderation.Publication: b.Publication, moderation.Node: b.Node, moderation.Demand: b.Demand,
	}
}

// things are the things that a body names by the fields of their kinds.
type things map[moderation.Kind]*int64

// only returns the one thing that is named.
func (t things) only(readErr error) (moderation.Thing, error) {
	var named []moderation.Thing
	for kind, id := range t {
		if id != nil {
			named = append(named, moderation.Thing{Kind: kind, ID: *id})
		}
	}
	if len(named) != 1 {
		return moderation.Thing{}, fault.Merge(readErr, fault.Field(string(moderation.Event), "Name exactly one thing."))
	}
	return named[0], readErr
}

// reportView is a report to its author.
type reportView struct {
	ID        moderation.ReportID `json:"id"`
	Kind      moderation.Kind     `json:"kind"`
	Object    int64               `json:"object"`
	Reason    moderation.Reason   `json:"reason"`
	Text      string              `json:"text"`
	CreatedAt transport.Timestamp `json:"created_at"`
}

func renderReport(r moderation.Report) reportView {
	return reportView{r.ID, r.Kind, r.Thing.ID, r.Reason, r.Text, transport.Timestamp(r.Created)}
}

func (a *api) report(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[reportBody](c)
	of, readErr := body.named(body.User).only(readErr)
	r, isNew, err := a.Moderating.Report(c.Context(), c.Actor, of, deref(body.Reason), deref(body.Text), readErr)
	if isNew {
		return transport.Created(renderReport(r)), err
	}
	return transport.Data(renderReport(r)), err
}

// hiddenView is a thing of the caller that staff have hidden (MOD-03).
type hiddenView struct {
	Kind     moderation.Kind     `json:"kind"`
	ID       int64               `json:"id"`
	Reason   string              `json:"reason"`
	HiddenAt transport.Timestamp `json:"hidden_at"`
}

func renderHidden(h moderation.Hiding) hiddenView {
	return hiddenView{h.Kind, h.ID, h.Reason, transport.Timestamp(h.At)}
}

func (a *api) listHidden(c *transport.Call) (transport.Reply, error) {
	return pageOf(c, c.Query(), c.Actor, a.Moderating.Hidden, renderHidden)
}

// staffReportView is a report to staff, with what it is about, or null if that was deleted.
type staffReportView struct {
	reportView
	By        int64                `json:"by"`
	Owner     int64                `json:"owner"`
	DecidedAt *transport.Timestamp `json:"decided_at"`
	Subject   *subjectView         `json:"subject"`
}

// subjectView is what a report is about. All but one of the fields of kinds are null.
type subjectView struct {
	Event       *reportedEvent   `json:"event"`
	Comment     *reportedComment `json:"comment"`
	Image       *reportedImage   `json:"image"`
	User        *person          `json:"user"`
	Publication *reportedItem    `json:"publication"`
	Node        *reportedItem    `json:"node"`
	Demand      *reportedItem    `json:"demand"`
	IsHidden    bool             `json:"is_hidden"`
}

type reportedEvent struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	Author person `json:"author"`
}

type reportedComment struct {
	ID      int64  `json:"id"`
	Content string `json:"content"`
	Event   int64  `json:"event"`
	Author  person `json:"author"`
}

type reportedImage struct {
	ID    int64  `json:"id"`
	URL   string `json:"url"`
	Owner person `json:"owner"`
}

// reportedItem is a publication, a node or a demand.
type reportedItem struct {
	ID      int64  `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Author  person `json:"author"`
}

func (people users) renderStaffReport(r moderation.Reported) staffReportView {
	return staffReportView{
		renderReport(r.Report), int64(r.By), int64(r.Owner), transport.Optional(transport.Timestamp(r.Decided), r.IsDecided()),
		people.renderSubject(r),
	}
}

func (people users) renderSubject(r moderation.Reported) *subjectView {
	if r.Subject == nil {
		return nil
	}
	about, owner := subjectView{IsHidden: r.Subject.IsHidden}, renderPerson(people[r.Owner])
	item := &reportedItem{r.Thing.ID, r.Subject.Title, r.Subject.Content, owner}
	switch r.Kind {
	case moderation.Event:
		about.Event = &reportedEvent{r.Thing.ID, r.Subject.Title, owner}
	case moderation.Comment:
		about.Comment = &reportedComment{r.Thing.ID, r.Subject.Content, r.Subject.Event, owner}
	case moderation.Image:
		about.Image = &reportedImage{r.Thing.ID, r.Subject.URL, owner}
	case moderation.Person:
		about.User = &owner
	case moderation.Publication:
		about.Publication = item
	case moderation.Node:
		about.Node = item
	case moderation.Demand:
		about.Demand = item
	}
	return &about
}

func (a *api) listReports(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := moderation.Query{CursorRequest: q.Cursor(), IsDecided: transport.Choose(q, "state", "open", "decided") == "decided"}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	reports, err := a.Moderating.Reports(c.Context(), request)
	people, err := a.describe(c, reports.Members, nil, err)
	return transport.Continued(c, mapSlice(reports.Items, people.renderStaffReport), reports.Next), err
}

// decisionBody is a report that staff decide without hiding what it is about, and why.
type decisionBody struct {
	Report *moderation.ReportID `json:"report" validate:"required"`
	Reason *string              `json:"reason" validate:"required"`
}

// hidingBody is what staff hide or restore, and why.
type hidingBody struct {
	thingBody
	Reason *string `json:"reason" validate:"required"`
}

func (a *api) hide(c *transport.Call) (transport.Reply, error) { return change(c, a.Moderating.Hide) }

func (a *api) restore(c *transport.Call) (transport.Reply, error) {
	return change(c, a.Moderating.Restore)
}

// change hides or restores the thing that the body names.
func change(
	c *transport.Call, do func(context.Context, moderation.Thing, string, error) (moderation.Hiding, error),
) (transport.Reply, error) {
	body, readErr := transport.Read[hidingBody](c)
	of, readErr := body.named(nil).only(readErr)
	_, err := do(c.Context(), of, deref(body.Reason), readErr)
	return recorded(c), err
}

// recorded returns the audit record of the call (MOD-04).
func recorded(c *transport.Call) transport.Reply {
	r, _ := audit.Written(c.Context())
	return transport.Created(view.OfAct(r))
}

func (a *api) decideReport(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[decisionBody](c)
	_, err := a.Moderating.Dismiss(c.Context(), deref(body.Report), deref(body.Reason), readErr)
	return recorded(c), err
}
