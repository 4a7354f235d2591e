package backoffice

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"time"

	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
	"plaza/domain/page"
)

// reportsPage is a part of the reports, open or decided.
type reportsPage struct {
	Cards     []reportCard
	IsDecided bool
	Query     string // of this part
	Next      string // query of the next part; empty: none
}

// reportCard is a report with its form.
type reportCard struct {
	moderation.Reported
	ByName, OwnerName string // empty: the person is erased
	Buttons           []string
	Following         moderation.ReportID // the report after it; zero: it is the first, or the last
	Reason            string              // as it was entered
	Wrong             []string            // about the reason
}

// buttonsOf returns the acts that can be done with the report.
func buttonsOf(r moderation.Reported) (acts []string) {
	if r.Subject != nil && r.Kind != moderation.Person {
		acts = append(acts, map[bool]string{false: "hide", true: "restore"}[r.Subject.IsHidden])
	}
	if !r.IsDecided() {
		acts = append(acts, "dismiss")
	}
	return acts
}

func (s *Site) listReports(v *visit) (answer, error) {
	a, p, err := s.reports(v)
	if typed := v.typed(); typed != nil {
		p.fill(typed, nil)
	}
	return a, err
}

// reports returns the part of the reports that the query names. Behind the last one it is the beginning.
func (s *Site) reports(v *visit) (answer, *reportsPage, error) {
	query := v.r.URL.Query()
	q := moderation.Query{IsDecided: query.Get("state") == "decided", CursorRequest: page.Behind(cursorOf(query.Get("after")),
		page.DefaultSize)}
	p := &reportsPage{IsDecided: q.IsDecided}
	a := answer{template: "reports.html", title: s.texts.Sections["reports"], section: "reports", body: p}
	found, err := s.Moderating.Reports(v.r.Context(), q)
	if err == nil && len(found.Items) == 0 && q.After != (page.Cursor{}) {
		q.CursorRequest = page.Behind(page.Cursor{}, page.DefaultSize)
		found, err = s.Moderating.Reports(v.r.Context(), q)
	}
	if err != nil {
		return a, p, err
	}
	p.Query, p.Next = p.query(q.After), ""
	if found.Next != (page.Cursor{}) {
		p.Next = p.query(found.Next)
	}
	for i, r := range found.Items {
		card := reportCard{Reported: r, Buttons: buttonsOf(r)}
		if m := found.Members[r.By]; m != nil {
			card.ByName = m.FullName()
		}
		if m := found.Members[r.Owner]; m != nil {
			card.OwnerName = m.FullName()
		}
		if i > 0 && i+1 < len(found.Items) {
			card.Following = found.Items[i+1].ID
		}
		p.Cards = append(p.Cards, card)
	}
	return a, p, nil
}

// query returns the query of the part behind the cursor.
func (p *reportsPage) query(after page.Cursor) string {
	query := url.Values{"state": {map[bool]string{false: "open", true: "decided"}[p.IsDecided]}}
	if after != (page.Cursor{}) {
		query.Set("after", cursorText(after))
	}
	return "?" + query.Encode()
}

// fill puts the reason that was entered into the form of its report, with what is wrong about it.
func (p *reportsPage) fill(form url.Values, wrong []string) {
	for i := range p.Cards {
		if c := &p.Cards[i]; fmt.Sprint(c.ID) == form.Get("report") {
			c.Reason, c.Wrong = form.Get("reason"), wrong
		}
	}
}

// reportActs are what staff do with reports, and what the audit calls it.
var reportActs = map[string]struct {
	act audit.Act
	do  func(s *Site, v *visit, id moderation.ReportID, of moderation.Thing, reason string) error
}{
	"hide": {audit.Hidden, func(s *Site, v *visit, _ moderation.ReportID, of moderation.Thing, reason string) error {
		_, err := s.Moderating.Hide(v.r.Context(), of, reason, nil)
		return err
	}},
	"restore": {audit.Restored, func(s *Site, v *visit, _ moderation.ReportID, of moderation.Thing, reason string) error {
		_, err := s.Moderating.Restore(v.r.Context(), of, reason, nil)
		return err
	}},
	"dismiss": {audit.ReportDecided, func(s *Site, v *visit, id moderation.ReportID, _ moderation.Thing, reason string) error {
		_, err := s.Moderating.Dismiss(v.r.Context(), id, reason, nil)
		return err
	}},
}

// decideReport hides, restores or dismisses, and continues with the report after it.
func (s *Site) decideReport(v *visit) (answer, error) {
	form, act := v.r.PostForm, v.r.PostForm.Get("act")
	id, wrong := strconv.ParseInt(form.Get("report"), 10, 64)
	number, wrongNumber := strconv.ParseInt(form.Get("object"), 10, 64)
	if does := reportActs[act]; wrong != nil || wrongNumber != nil || does.do == nil {
		return answer{}, errNoPage
	}
	of := moderation.Thing{Kind: moderation.Kind(form.Get("kind")), ID: number}
	object := audit.Kind(of.Kind)
	if act == "dismiss" {
		object = audit.Report
	}
	v.audited = []any{"report", id, "does", act, "kind", string(of.Kind), "object", number}
	v.r = v.r.WithContext(audit.With(v.r.Context(), audit.Record{
		At: time.Now(), By: audit.Actor{Staff: v.actor.ID}, Act: reportActs[act].act, Object: audit.Object{Kind: object},
	}))
	err := reportActs[act].do(s, v, moderation.ReportID(id), of, form.Get("reason"))
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
