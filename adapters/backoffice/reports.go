package backoffice

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plaza/application/backoffice"
	"plaza/application/moderating"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
)

// reportsPage is a part of what people reported, open or decided.
type reportsPage struct {
	listed
	Cards     []reportCard
	IsDecided bool
	Query     string // of this part

	Hideable []moderation.Kind
}

// reportCard is what people report of a thing, with its form.
type reportCard struct {
	moderation.Case
	Now       *moderation.Subject // nil: deleted
	Members   map[user.ID]*user.Member
	Shown     []shownThing
	IsBlurred bool   // pictures are shown clearly when they are asked for
	Why       string // the reasons, and how many people have each
	Buttons   []string
	Following moderation.CaseID // the case after it; zero: it is the first, or the last
}

// shownThing is a thing at one time.
type shownThing struct {
	moderation.Snapshot
	Label string
	Since time.Time // zero: now
}

// Name returns the name of the person; empty: they are erased.
func (c reportCard) Name(id user.ID) string {
	if m := c.Members[id]; m != nil {
		return m.FullName()
	}
	return ""
}

func (s *Site) cardOf(c moderation.Case, found moderating.Cases) reportCard {
	card := reportCard{Case: c, Now: found.Now[c.Thing], Members: found.Members, IsBlurred: c.People[moderation.Illegal] > 0}
	var why []string
	for _, reason := range moderation.Reasons() {
		if n := c.People[reason]; n == 1 {
			why = append(why, s.Word("reason", reason))
		} else if n > 1 {
			why = append(why, s.T("%s × %d", s.Word("reason", reason), n))
		}
	}
	card.Why = strings.Join(why, ", ")
	isChanged := c.Changed(card.Now)
	for i, v := range c.Versions {
		label := s.T("As it was reported, and still is")
		if i > 0 {
			label = s.T("Reported once more, changed")
		} else if isChanged {
			label = s.T("As it was reported")
		}
		card.Shown = append(card.Shown, shownThing{v.Snapshot, label, v.Since})
	}
	if card.Now != nil && (isChanged || len(c.Versions) == 0) {
		card.Shown = append(card.Shown, shownThing{card.Now.Snapshot, s.T("As it is now"), time.Time{}})
	}
	if card.Now != nil && c.Kind != moderation.Person {
		card.Buttons = append(card.Buttons, map[bool]string{false: "hide", true: "restore"}[card.Now.IsHidden])
	}
	if !c.IsDecided() {
		card.Buttons = append(card.Buttons, "dismiss")
	}
	return card
}

// listReports shows the part of the cases that the query names. Behind the last one it is the beginning.
func (s *Site) listReports(v *visit) (answer, error) {
	query := v.r.URL.Query()
	p := &reportsPage{IsDecided: query.Get("state") == "decided", Query: v.here("", ""), Hideable: moderation.Hideable()}
	hours, _ := strconv.ParseInt(query.Get("older_than"), 10, 64) // any other text does not filter
	owner, _ := strconv.ParseInt(query.Get("owner"), 10, 64)      // likewise
	kind := v.field("kind", s.T("What"), "", choices(v, "object", moderation.Kinds()...)...)
	reason := v.field("reason", s.T("Why"), "", choices(v, "reason", moderation.Reasons()...)...)
	q := moderation.Query{
		IsDecided: p.IsDecided, Owner: user.ID(owner), Kind: moderation.Kind(kind.Value), Reason: moderation.Reason(reason.Value),
	}
	var found moderating.Cases
	list := backoffice.Cases(q, func(q moderation.Query) (_ page.CursorPage[moderation.Case], err error) {
		found, err = s.Moderating.Cases(v.r.Context(), q, hours)
		if len(found.Items) == 0 && q.After != (page.Cursor{}) && err == nil && query.Get("format") == "" {
			q.CursorRequest = page.Behind(page.Cursor{}, q.Size())
			found, err = s.Moderating.Cases(v.r.Context(), q, hours)
		}
		return found.CursorPage, err
	})
	a := answer{template: "reports.html", Title: s.T("Reports"), Section: "reports", Body: p}
	var cases []moderation.Case // as they are in found
	a, err := read(v, a, &p.listed, &cases, list, nil, v.field("state", "", ""), v.field("owner", "", ""), kind, reason,
		v.field("older_than", s.T("First reported"), "", choices(v, "age", "24", "72", "168")...))
	for i, c := range found.Items {
		card := s.cardOf(c, found)
		if i > 0 && i+1 < len(found.Items) {
			card.Following = found.Items[i+1].ID
		}
		p.Cards = append(p.Cards, card)
	}
	return a, err
}

// unreported is the number of the form for a thing without a report, in place of that of a case.
const unreported = "0"

// reportActs are what the audit calls what staff do with reports.
var reportActs = map[string]audit.Act{"hide": audit.Hidden, "restore": audit.Restored, "dismiss": audit.ReportDecided}

// decideReport hides, restores or dismisses, and continues with the report after it.
func (s *Site) decideReport(v *visit) (answer, error) {
	form, act := v.r.PostForm, v.r.PostForm.Get("act")
	id, wrong := strconv.ParseInt(form.Get("report"), 10, 64)
	number, wrongNumber := strconv.ParseInt(form.Get("object"), 10, 64)
	of, err := moderation.Thing{Kind: moderation.Kind(form.Get("kind")), ID: number}, error(nil)
	if wrongNumber != nil && form.Get("report") == unreported {
		of, err = s.Moderating.At(v.r.Context(), form.Get("object"))
		wrongNumber = nil
	}
	if wrong != nil || wrongNumber != nil || reportActs[act] == "" {
		return answer{}, errNoPage
	}
	object := audit.Kind(of.Kind)
	if act == "dismiss" {
		object = audit.Report
	}
	v.audited = []any{"report", id, "does", act, "kind", string(of.Kind), "object", of.ID}
	by := audit.Actor{Staff: v.actor.ID}
	ctx := audit.With(v.r.Context(), v.record(reportActs[act], audit.Object{Kind: object}, 0))
	if reason := form.Get("reason"); err == nil {
		if act == "dismiss" {
			_, err = s.Moderating.Dismiss(ctx, by, moderation.CaseID(id), reason, nil)
		} else {
			err = s.Moderating.Turn(ctx, by, of, act == "hide", reason, nil)
		}
	}
	if err == nil {
		query := v.r.URL.Query()
		query.Set("done", act)
		to := "reports/?" + query.Encode()
		if form.Get("following") != "" {
			to += "#report-" + url.PathEscape(form.Get("following"))
		}
		return answer{to: to}, nil
	}
	v.audited = append(v.audited, "refused", fault.KindOf(err).Code())
	a, listErr := s.listReports(v)
	if listErr != nil {
		return answer{}, listErr
	}
	if a, err = v.again(a, err); err != nil {
		return a, err
	}
	for name, field := range map[string]string{"reason": fmt.Sprintf("reason-%d", id), "address": "own-object"} { // of its form
		if about, is := a.Problems[name]; is {
			delete(a.Problems, name)
			a.Problems[field] = about
		}
	}
	return a, nil
}

// eventPage is an event with its plates and a part of its comments.
type eventPage struct {
	backoffice.Event
	Exposed string
	Pager   Pager
}

func (s *Site) showEvent(v *visit) (answer, error) {
	e, err := s.Office.Event(v.r.Context(), event.ID(v.id), v.paged())
	return answer{
		template: "event.html", Title: s.T("Event %d", v.id), Section: "reports",
		Body: eventPage{e, backoffice.Exposed(e.State), pagerOf(v, e.Comments)},
	}, err
}

// showComment leads to the event that the comment is on.
func (s *Site) showComment(v *visit) (answer, error) {
	c, err := s.Office.Comment(v.r.Context(), event.CommentID(v.id))
	return answer{to: fmt.Sprintf("events/%d/#comment-%d", c.Event, v.id)}, err
}
