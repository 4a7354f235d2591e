package backoffice

import (
	"plaza/application/backoffice"
	"plaza/domain/audit"
)

// auditPage is a part of what staff have done.
type auditPage struct {
	listed
	Acts []audit.Record
}

// listActs shows what staff have done, the latest first, or the part that the query selects.
func (s *Site) listActs(v *visit) (answer, error) {
	p := &auditPage{}
	q, wrong := backoffice.ReadActs(v.r.URL.Query().Get)
	a := answer{template: "audit.html", Title: s.T("Audit"), Section: "audit", Body: p}
	return read(v, a, &p.listed, &p.Acts, s.Office.Recorded(v.r.Context(), v.actor, q), wrong,
		v.field("by", s.T("By"), s.T("uid, or the name at the command line")),
		v.field("act", s.T("Act"), "", choices(v, "act", audit.Acts()...)...), v.field("about", s.T("About (uid)"), ""))
}
