package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/application/moderating"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
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

// reportView is a report to its author (MOD-07).
type reportView struct {
	ID        moderation.ReportID `json:"id"`
	Kind      moderation.Kind     `json:"kind"`
	Object    int64               `json:"object"`
	Reason    moderation.Reason   `json:"reason"`
	Text      string              `json:"text"`
	CreatedAt transport.Timestamp `json:"created_at"`
	State     moderation.State    `json:"state"`
}

func renderReport(r moderation.Report) reportView {
	return reportView{r.ID, r.Kind, r.Thing.ID, r.Reason, r.Text, transport.Timestamp(r.Created), r.State()}
}

func (a *api) listOwnReports(c *transport.Call) (transport.Reply, error) {
	return pageOf(c, c.Query(), c.Actor, a.Moderating.Reported, renderReport)
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

// caseView is all that people report of a thing, for staff (MOD-05).
type caseView struct {
	view.Case
	Owner       *person         `json:"owner"` // null: erased
	Texts       []noteView      `json:"texts"`
	SubjectThen *view.Snapshot  `json:"subject_then"` // null: it is not kept any more, or was gone before
	Later       []view.Snapshot `json:"later"`
	SubjectNow  *subjectView    `json:"subject_now"` // null: it was deleted
}

// noteView is what a person adds to a report.
type noteView struct {
	By        *person             `json:"by"` // null: erased
	Reason    moderation.Reason   `json:"reason"`
	Text      string              `json:"text"`
	CreatedAt transport.Timestamp `json:"created_at"`
}

// subjectView is a thing as it is.
type subjectView struct {
	view.Subject
	Before []remarkView `json:"comments_before"`
}

type remarkView struct {
	Author    *person             `json:"author"` // null: erased
	Content   string              `json:"content"`
	CreatedAt transport.Timestamp `json:"created_at"`
}

// personOr returns the person, or nil if they are erased.
func (people users) personOr(id user.ID) *person {
	info, is := people[id]
	return transport.Optional(renderPerson(info), is)
}

func (people users) renderCase(c moderation.Case, now *moderation.Subject) caseView {
	shown := caseView{
		Case: view.OfCase(c, now), Owner: people.personOr(c.Owner), Later: []view.Snapshot{},
		Texts: mapSlice(c.Notes, func(n moderation.Report) noteView {
			return noteView{people.personOr(n.By), n.Reason, n.Text, transport.Timestamp(n.Created)}
		}),
	}
	if kept := mapSlice(c.Versions, func(v moderation.Version) view.Snapshot { return view.OfSnapshot(v.Snapshot) }); len(kept) > 0 {
		shown.SubjectThen, shown.Later = &kept[0], kept[1:]
	}
	if now != nil {
		shown.SubjectNow = &subjectView{view.OfSubject(c.Kind, *now), mapSlice(now.Before, func(r moderation.Remark) remarkView {
			return remarkView{people.personOr(r.By), r.Content, transport.Timestamp(r.At)}
		})}
	}
	return shown
}

func (a *api) listReports(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	r := q.Cursor().Paged()
	request := moderation.Query{
		IsDecided: transport.Choose(q, "state", "open", "decided") == "decided",
		Kind:      transport.Choose(q, "kind", moderation.Kinds()...), Reason: transport.Choose(q, "reason", moderation.Reasons()...),
	}
	request.Owner = user.ID(q.PositiveInt("owner", 0))
	hours := q.PositiveInt("older_than", 0)
	var cases moderating.Cases
	list := backoffice.Cases(request, func(request moderation.Query) (_ page.CursorPage[moderation.Case], err error) {
		cases, err = a.Moderating.Cases(c.Context(), request, hours)
		return cases.CursorPage, err
	})
	return exported(c, q, list, r, func(s page.Span, r page.Request) (transport.Reply, error) {
		_, err := list.Read(s, r)
		people, err := a.describe(c, cases.Members, nil, err)
		return transport.Continued(c, mapSlice(cases.Items, func(one moderation.Case) caseView {
			return people.renderCase(one, cases.Now[one.Thing])
		}), cases.Next), err
	})
}

// decisionBody is a case that staff decide without hiding what it is about, and why.
type decisionBody struct {
	Report *moderation.CaseID `json:"report" validate:"required"`
	Reason *string            `json:"reason" validate:"required"`
}

// hidingBody is what staff hide or restore, by its number or by the address of its picture, and why.
type hidingBody struct {
	thingBody
	Address *string `json:"address"`
	Reason  *string `json:"reason" validate:"required"`
}

func (a *api) hide(c *transport.Call) (transport.Reply, error) { return a.turn(c, true) }

func (a *api) restore(c *transport.Call) (transport.Reply, error) { return a.turn(c, false) }

// byAddress stands for the kind of a thing that is named by the address of its picture, beside which there is no other.
const byAddress moderation.Kind = "address"

// turn hides or restores the thing that the body names.
func (a *api) turn(c *transport.Call, isHidden bool) (transport.Reply, error) {
	body, readErr := transport.Read[hidingBody](c)
	named, at := body.named(nil), moderation.Thing{}
	if body.Address != nil {
		var err error
		at, err = a.Moderating.At(c.Context(), *body.Address)
		readErr = fault.Merge(readErr, err)
		named[byAddress] = &at.ID
	}
	of, readErr := named.only(readErr)
	if of.Kind == byAddress {
		of = at
	}
	err := a.Moderating.Turn(c.Context(), audit.Actor{Staff: c.Actor.ID}, of, isHidden, deref(body.Reason), readErr)
	return recorded(c), err
}

// recorded returns the audit record of the call (MOD-04).
func recorded(c *transport.Call) transport.Reply {
	return transport.Created(view.OfAct(audit.Carried(c.Context())))
}

func (a *api) decideReport(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[decisionBody](c)
	_, err := a.Moderating.Dismiss(c.Context(), audit.Actor{Staff: c.Actor.ID}, deref(body.Report), deref(body.Reason), readErr)
	return recorded(c), err
}
