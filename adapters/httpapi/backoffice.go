package httpapi

import (
	"context"
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/application/telemetry"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// staffPerson is a person for staff (OFF-01).
type staffPerson struct {
	User       person               `json:"user"`
	Phone      string               `json:"phone"`
	Scopes     []access.Scope       `json:"scopes"`
	Roles      []access.Role        `json:"roles"`
	IsStaff    bool                 `json:"is_staff"`
	IsDisabled bool                 `json:"is_disabled"`
	Joined     transport.Timestamp  `json:"date_joined"`
	Seen       *transport.Timestamp `json:"last_seen_at"`
	Sessions   int                  `json:"sessions"`
}

func renderStaffPerson(p backoffice.Person) staffPerson {
	return staffPerson{
		User: renderPerson(p.Info), Phone: p.Phone.String(), Scopes: listed(p.Scopes), Roles: listed(p.Roles), IsStaff: len(p.Roles) > 0,
		IsDisabled: p.Disabled,
		Joined:     transport.Timestamp(p.Joined), Seen: view.OrNever(p.Seen), Sessions: p.Sessions,
	}
}

func (a *api) findPeople(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	query := backoffice.PeopleQuery{
		Typed: q.Text("q"), Phone: q.Text("phone"), UID: user.ID(q.PositiveInt("uid", 0)), Name: q.Text("name"),
	}
	var err error
	query.AccountFilter, err = backoffice.ReadAccounts(q.Text)
	q.Wrong.Merge(fault.FieldsOf(err))
	c.Audited = []any{"uid", int64(query.UID), "by_phone", query.Phone != "", "by_name", query.Name+query.Typed != ""}
	return listing(c, q, a.BackOffice.People(c.Context(), query), q.Cursor().Paged(), renderStaffPerson)
}

func (a *api) showPerson(c *transport.Call) (transport.Reply, error) {
	found, err := a.BackOffice.Show(c.Context(), user.ID(c.ID))
	return transport.Data(renderStaffPerson(found)), err
}

// actBody is why staff do something to an account.
type actBody struct {
	Reason *string `json:"reason" validate:"required"`
}

func (a *api) disableAccount(c *transport.Call) (transport.Reply, error) {
	return act(c, a.BackOffice.Disable)
}

func (a *api) enableAccount(c *transport.Call) (transport.Reply, error) {
	return act(c, a.BackOffice.Enable)
}

func (a *api) endSessionsOf(c *transport.Call) (transport.Reply, error) {
	return act(c, a.BackOffice.EndSessions)
}

// act does the act to the account in the path.
func act(
	c *transport.Call, do func(context.Context, backoffice.Act, error) (backoffice.Person, error),
) (transport.Reply, error) {
	body, readErr := transport.Read[actBody](c)
	found, err := do(c.Context(), backoffice.Act{Actor: c.Actor, User: user.ID(c.ID), Reason: deref(body.Reason)}, readErr)
	return transport.Data(renderStaffPerson(found)), err
}

// rightsBody are the new rights of an account.
type rightsBody struct {
	Scopes *[]string `json:"scopes" validate:"required,max=50"`
	Roles  *[]string `json:"roles" validate:"required,max=50"`
	Reason *string   `json:"reason" validate:"required"`
}

func (a *api) setRights(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[rightsBody](c)
	rights := backoffice.Rights{Scopes: deref(body.Scopes), Roles: deref(body.Roles)}
	c.Audited = []any{"scopes", rights.Scopes, "roles", rights.Roles}
	found, err := a.BackOffice.SetRights(
		c.Context(), backoffice.Act{Actor: c.Actor, User: user.ID(c.ID), Reason: deref(body.Reason)}, rights, readErr)
	return transport.Data(renderStaffPerson(found)), err
}

// overviewView is what waits, and what came in (OFF-01). Counts that are not for the caller's roles are null.
type overviewView struct {
	At       transport.Timestamp `json:"at"`
	MaxCount int                 `json:"max_count"` // where counts end
	Money    *moneyView          `json:"money"`
	Reports  *int                `json:"open_reports"`
	Rejects  *int                `json:"rejecting_imports"`

	Translator *budgetView `json:"translator"` // null: without a budget
	Messages   *budgetView `json:"messages"`

	Jobs []failingJobView `json:"failing_jobs"`
	Days []dayView        `json:"days"`
}

type moneyView struct {
	OpenOrders      *int `json:"open_orders"`
	InDoubt         *int `json:"in_doubt"`
	RefundDue       *int `json:"refund_due"`
	Disputed        *int `json:"disputed"`
	Refunds         *int `json:"refunds_processing"`
	AbnormalRefunds *int `json:"refunds_abnormal"`
	OpenFindings    *int `json:"open_findings"`
}

type budgetView struct {
	Name  *string `json:"name"`
	Limit int64   `json:"limit"`
	Spent int64   `json:"spent"`
	Left  int64   `json:"left"`
}

type failingJobView struct {
	Name     string              `json:"name"`
	Failures int                 `json:"failures"`
	Since    transport.Timestamp `json:"since"`
}

type dayView struct {
	Day      string `json:"day"`
	Joined   int    `json:"joined"`
	Events   int    `json:"events"`
	Comments int    `json:"comments"`
}

func renderBudget(b backoffice.Budget) *budgetView {
	return transport.Optional(budgetView{view.OrNull(b.Name), b.Limit, b.Spent, b.Left()}, b.Limit > 0)
}

func (a *api) showOverview(c *transport.Call) (transport.Reply, error) {
	o, err := a.BackOffice.Overview(c.Context(), c.Actor)
	count := map[string]*int{}
	for _, w := range o.Waiting {
		count[w.Key] = &w.Count
	}
	money := moneyView{
		count["open"], count["unknown"], count["due"], count["disputed"], count["processing"], count["abnormal"], count["findings"],
	}
	return transport.Data(overviewView{
		At: transport.Timestamp(o.At), MaxCount: telemetry.MaxCount, Money: transport.Optional(money, money != moneyView{}),
		Reports: count["reports"], Rejects: count["rejects"],
		Translator: renderBudget(o.Translator), Messages: renderBudget(o.Messages),
		Jobs: mapSlice(o.Jobs, func(j backoffice.FailingJob) failingJobView {
			return failingJobView{j.Name, j.Failures, transport.Timestamp(j.Since)}
		}),
		Days: mapSlice(o.Days, func(d telemetry.Day) dayView {
			return dayView{d.Day.Format(time.DateOnly), d.Joined, d.Events, d.Comments}
		}),
	}), err
}

// runView is a run of an import (OFF-01).
type runView struct {
	ID       imported.RunID       `json:"id"`
	Files    []string             `json:"files"`
	State    imported.RunState    `json:"state"`
	Began    transport.Timestamp  `json:"began_at"`
	Ended    *transport.Timestamp `json:"ended_at"`
	Lines    int64                `json:"lines"`
	New      int64                `json:"new"`
	Changed  int64                `json:"changed"`
	Same     int64                `json:"unchanged"`
	Replaced int64                `json:"replaced"`
	Rejected int64                `json:"rejected"`
}

func renderRun(r imported.Run) runView {
	return runView{
		ID: r.ID, Files: listed(r.Files), State: r.State, Began: transport.Timestamp(r.Began), Ended: view.OrNever(r.Ended),
		Lines: r.Lines, New: r.New, Changed: r.Changed, Same: r.Same, Replaced: r.Replaced, Rejected: r.Rejected,
	}
}

// rejectView is why a line was rejected.
type rejectView struct {
	File   string       `json:"file"`
	Line   int64        `json:"line"`
	Reason *string      `json:"reason"`
	Fields fault.Fields `json:"fields"`
}

func renderReject(r imported.RejectedLine) rejectView {
	fields := r.Fields
	if fields == nil {
		fields = fault.Fields{}
	}
	return rejectView{File: r.File, Line: r.Line, Reason: view.OrNull(r.Reason), Fields: fields}
}

func (a *api) listImports(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	filter := imported.RunFilter{
		State: transport.Choose(q, "state", imported.RunStates()...), IsRejecting: transport.Choose(q, "rejected", true),
	}
	return listing(c, q, a.BackOffice.Imports(c.Context(), filter), q.Page(), renderRun)
}

func (a *api) listRejects(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	return listing(c, q, a.BackOffice.Rejects(c.Context(), imported.RunID(c.ID)), q.Page(), renderReject)
}

// howToView is an imported how-to of a category (ADM-01).
type howToView struct {
	Category  string                 `json:"category"`
	Username  string                 `json:"username"`
	User      user.ID                `json:"user"`
	BundleIDs []publication.BundleID `json:"bundle_ids"`
	CreatedAt transport.Timestamp    `json:"created_at"`
	UpdatedAt transport.Timestamp    `json:"updated_at"`
}

func (people users) renderHowTo(h publication.HowTo) howToView {
	return howToView{
		Category: h.Category, Username: people[h.Robot].Username, User: h.Robot,
		BundleIDs: listed(h.Bundles), CreatedAt: transport.Timestamp(h.Created), UpdatedAt: transport.Timestamp(h.Updated),
	}
}

// listHowTos returns imported how-tos, of some categories or of all.
func (a *api) listHowTos(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	categories, request := q.Texts("category", "category[]"), q.Page()
	list := a.BackOffice.HowTos(c.Context(), categories)
	c.Audited = []any{"categories", categories, "page", request.Number()}
	return exported(c, q, list, request, func(s page.Span, r page.Request) (transport.Reply, error) {
		howTos, err := list.Read(s, r)
		people, err := a.loadUsers(c, mapSlice(howTos.Items, func(h publication.HowTo) user.ID { return h.Robot }), err)
		return transport.Paged(c, page.Map(howTos, people.renderHowTo)), err
	})
}

// listActs returns the acts of staff, the newest first (OFF-01).
func (a *api) listActs(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request, err := backoffice.ReadActs(q.Text)
	q.Wrong.Merge(fault.FieldsOf(err))
	return listing(c, q, a.BackOffice.Recorded(c.Context(), c.Actor, request), q.Cursor().Paged(), view.OfAct)
}
