package backoffice

import (
	"strconv"

	"plaza/application/backoffice"
	"plaza/domain/audit"
)

// auditPage is a part of what staff have done.
type auditPage struct {
	listed
	Acts []audit.Record
}

// Line returns the line of what the act is on.
func (auditPage) Line(r audit.Record) backoffice.Line {
	id, _ := strconv.ParseInt(r.Object.ID, 10, 64) // others have no number
	return backoffice.Line{Kind: r.Object.Kind, ID: id}
}

// listActs shows what staff have done, the latest first, or the part that the query selects.
func (s *Site) listActs(v *visit) (_ answer, err error) {
	t, p := s.texts.Audit, &auditPage{}
	a := answer{template: "audit.html", title: s.texts.Sections["audit"], section: "audit", body: p}
	q, wrong := backoffice.ReadActs(v.r.URL.Query().Get)
	p.Acts, a, err = read(v, a, &p.listed, s.Office.Recorded(v.r.Context(), v.actor, q), wrong, v.field("by", t.By, t.ByHint),
		v.field("act", t.What, "", choices(v, audit.Acts(), t.Acts)...), v.field("about", t.About, ""))
	return a, err
}
