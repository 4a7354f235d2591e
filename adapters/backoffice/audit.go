package backoffice

import (
	"strconv"

	"plaza/application/backoffice"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/page"
)

// auditPage is a part of what staff have done.
type auditPage struct {
	Acts     []audit.Record
	Next     string // query of the next page; empty: none
	Filter   listForm
	EveryAct []audit.Act
}

// Line returns the line of what the act is on.
func (auditPage) Line(r audit.Record) backoffice.Line {
	id, _ := strconv.ParseInt(r.Object.ID, 10, 64) // others have no number
	return backoffice.Line{Kind: r.Object.Kind, ID: id}
}

// listActs shows what staff have done, the latest first, or the part that the query selects.
func (s *Site) listActs(v *visit) (answer, error) {
	w, r, form, err := v.wanted(backoffice.Newest, "by", "act", "about")
	q, wrong := backoffice.ReadActs(v.r.URL.Query().Get)
	p := &auditPage{Filter: form, EveryAct: audit.Acts()}
	a := answer{template: "audit.html", title: s.texts.Sections["audit"], section: "audit", body: p}
	if err := fault.Merge(err, wrong); err != nil {
		return v.again(a, err)
	}
	q.Span, q.CursorRequest = w.Span, page.Behind(cursorOf(v.r.FormValue("after")), r.Size())
	if w.IsCSV {
		return export("audit", backoffice.Acts, func(r page.CursorRequest) (page.CursorPage[audit.Record], error) {
			q.CursorRequest = r
			return s.Office.Recorded(v.r.Context(), v.actor, q)
		})
	}
	found, err := s.Office.Recorded(v.r.Context(), v.actor, q)
	p.Acts, p.Next = found.Items, v.behind(found.Next)
	return a, err
}
