package backoffice

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/application/backoffice"
	"plaza/application/moderating"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
)

// reportsPage is a part of what people reported, open or decided.
type reportsPage struct {
	Cards     []reportCard
	IsDecided bool
	Kind      moderation.Kind
	Reason    moderation.Reason
	OlderThan string // hours
	Kinds     []moderation.Kind
	Reasons   []moderation.Reason
	Ages      []string
	Query     string // of this part
	Next      string // query of the next part; empty: none
	Filter    listForm

	Hideable []moderation.Kind
	Own      ownForm
}

// ownForm is the form that hides a thing without a report, as it was entered.
type ownForm struct {
	Kind           moderation.Kind
	Object, Reason string
	Wrong          []string // about the reason
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
	Typed     string            // the reason as it was entered
	Wrong     []string          // about the reason
}

// shownThing is a thing at one time.
type shownThing struct {
	moderation.Snapshot
	Label string
	Since time.Time // zero: now
}

// Line returns the line of the thing.
func (c reportCard) Line() backoffice.Line {
	return backoffice.Line{Kind: audit.Kind(c.Kind), ID: c.Thing.ID}
}

// Name returns the name of the person; empty: they are erased.
func (c reportCard) Name(id user.ID) string {
	if m := c.Members[id]; m != nil {
		return m.FullName()
	}
	return ""
}

// cardOf returns the card of the case.
func (s *Site) cardOf(c moderation.Case, found moderating.Cases) reportCard {
	card := reportCard{Case: c, Now: found.Now[c.Thing], Members: found.Members, IsBlurred: c.People[moderation.Illegal] > 0}
	add := func(label string, since time.Time, shown moderation.Snapshot) {
		card.Shown = append(card.Shown, shownThing{shown, label, since})
	}
	t := s.texts.Reports
	var why []string
	for _, reason := range moderation.Reasons() {
		if n := c.People[reason]; n == 1 {
			why = append(why, t.Reasons[reason])
		} else if n > 1 {
			why = append(why, fmt.Sprintf(t.Times, t.Reasons[reason], n))
		}
	}
	card.Why = strings.Join(why, ", ")
	isChanged := c.Changed(card.Now)
	for i, v := range c.Versions {
		switch {
		case i > 0:
			add(t.ReportedLater, v.Since, v.Snapshot)
		case isChanged:
			add(t.AsReported, v.Since, v.Snapshot)
		default:
			add(t.Unchanged, v.Since, v.Snapshot)
		}
	}
	if card.Now != nil && (isChanged || len(c.Versions) == 0) {
		add(t.AsNow, time.Time{}, card.Now.Snapshot)
	}
	if card.Now != nil && c.Kind != moderation.Person {
		card.Buttons = append(card.Buttons, map[bool]string{false: "hide", true: "restore"}[card.Now.IsHidden])
	}
	if !c.IsDecided() {
		card.Buttons = append(card.Buttons, "dismiss")
	}
	return card
}

func (s *Site) listReports(v *visit) (answer, error) {
	a, p, err := s.reports(v)
	if typed := v.typed(); typed != nil {
		p.fill(typed, nil)
	}
	return a, err
}

// reports returns the part of the cases that the query names. Behind the last one it is the beginning.
func (s *Site) reports(v *visit) (answer, *reportsPage, error) {
	query := v.r.URL.Query()
	p := &reportsPage{
		IsDecided: query.Get("state") == "decided", Kinds: moderation.Kinds(), Reasons: moderation.Reasons(), Ages: []string{"24", "72", "168"},
		Hideable: moderation.Hideable(),
		Kind:     moderation.Kind(query.Get("kind")), Reason: moderation.Reason(query.Get("reason")), OlderThan: query.Get("older_than"),
	}
	hours, _ := strconv.ParseInt(p.OlderThan, 10, 64) // any other text does not filter
	usual := map[bool]string{false: backoffice.Oldest, true: backoffice.Newest}[p.IsDecided]
	w, r, form, err := v.wanted(usual, "state", "kind", "reason", "older_than", "owner")
	owner, _ := strconv.ParseInt(query.Get("owner"), 10, 64) // any other text does not filter
	q := moderation.Query{
		IsDecided: p.IsDecided, Owner: user.ID(owner), Span: w.Span, IsTurned: w.IsOldestFirst == p.IsDecided,
		CursorRequest: page.Behind(cursorOf(query.Get("after")), r.Size()),
	}
	p.Filter = form
	if slices.Contains(p.Kinds, p.Kind) {
		q.Kind = p.Kind
	}
	if slices.Contains(p.Reasons, p.Reason) {
		q.Reason = p.Reason
	}
	a := answer{template: "reports.html", title: s.texts.Sections["reports"], section: "reports", body: p}
	if err != nil {
		a, err = v.again(a, err)
		return a, p, err
	}
	if w.IsCSV {
		a, err = export("reports", backoffice.Cases, func(r page.CursorRequest) (page.CursorPage[moderation.Case], error) {
			q.CursorRequest = r
			found, err := s.Moderating.Cases(v.r.Context(), q, hours)
			return found.CursorPage, err
		})
		return a, p, err
	}
	found, err := s.Moderating.Cases(v.r.Context(), q, hours)
	if err == nil && len(found.Items) == 0 && q.After != (page.Cursor{}) {
		q.CursorRequest = page.Behind(page.Cursor{}, page.DefaultSize)
		found, err = s.Moderating.Cases(v.r.Context(), q, hours)
	}
	if err != nil {
		return a, p, err
	}
	p.Query, p.Next = v.here("after", cursorText(q.After)), v.behind(found.Next)
	for i, c := range found.Items {
		card := s.cardOf(c, found)
		if i > 0 && i+1 < len(found.Items) {
			card.Following = found.Items[i+1].ID
		}
		p.Cards = append(p.Cards, card)
	}
	return a, p, nil
}

// unreported is the number of the form for a thing without a report, in place of that of a case.
const unreported = "0"

// fill puts the reason that was entered into the form of its report, with what is wrong about it.
func (p *reportsPage) fill(form url.Values, wrong []string) {
	if form.Get("report") == unreported {
		p.Own = ownForm{moderation.Kind(form.Get("kind")), form.Get("object"), form.Get("reason"), wrong}
	}
	for i := range p.Cards {
		if c := &p.Cards[i]; fmt.Sprint(c.ID) == form.Get("report") {
			c.Typed, c.Wrong = form.Get("reason"), wrong
		}
	}
}

// reportActs are what staff do with reports, and what the audit calls it.
var reportActs = map[string]struct {
	act audit.Act
	do  func(s *Site, v *visit, by audit.Actor, id moderation.CaseID, of moderation.Thing, reason string) error
}{
	"hide": {audit.Hidden, func(s *Site, v *visit, by audit.Actor, _ moderation.CaseID, of moderation.Thing, reason string) error {
		_, err := s.Moderating.Hide(v.r.Context(), by, of, reason, nil)
		return err
	}},
	"restore": {audit.Restored, func(s *Site, v *visit, by audit.Actor, _ moderation.CaseID, of moderation.Thing, reason string) error {
		_, err := s.Moderating.Restore(v.r.Context(), by, of, reason, nil)
		return err
	}},
	"dismiss": {audit.ReportDecided, func(s *Site, v *visit, by audit.Actor, id moderation.CaseID, _ moderation.Thing, reason string) error {
		_, err := s.Moderating.Dismiss(v.r.Context(), by, id, reason, nil)
		return err
	}},
}

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
	if does := reportActs[act]; wrong != nil || wrongNumber != nil || does.do == nil {
		return answer{}, errNoPage
	}
	object := audit.Kind(of.Kind)
	if act == "dismiss" {
		object = audit.Report
	}
	v.audited = []any{"report", id, "does", act, "kind", string(of.Kind), "object", of.ID}
	by := audit.Actor{Staff: v.actor.ID}
	v.r = v.r.WithContext(audit.With(v.r.Context(), audit.Record{
		At: time.Now(), By: by, Act: reportActs[act].act, Object: audit.Object{Kind: object},
	}))
	if err == nil {
		err = reportActs[act].do(s, v, by, moderation.CaseID(id), of, form.Get("reason"))
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
	a, p, listErr := s.reports(v)
	if listErr != nil {
		return answer{}, listErr
	}
	if a, err = v.again(a, err); err != nil {
		return a, err
	}
	p.fill(form, a.problems["reason"])
	a.problems = maps.Clone(a.problems)
	if about, is := a.problems["reason"]; is { // each form has its own field
		delete(a.problems, "reason")
		a.problems[fmt.Sprintf("reason-%d", id)] = about
	}
	return a, nil
}
