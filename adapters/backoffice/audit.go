package backoffice

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/page"
	"plaza/domain/user"
)

// auditPage is a part of what staff have done.
type auditPage struct {
	Acts    []recordedAct
	Next    string // query of the next page; empty: none
	IsAbout bool   // one person
}

// recordedAct is an act as the page shows it.
type recordedAct struct {
	backoffice.RecordedAct
	What, On string
	Path     string // of the object's page; empty: it has none
}

// objectPaths are the pages of objects by their kinds, before the numbers.
var objectPaths = map[audit.Kind]string{audit.Account: "people/", audit.Order: "money/order/", audit.Payment: "money/payment/"}

// objectAreas are the areas of these pages.
var objectAreas = map[audit.Kind]access.Area{audit.Account: access.People, audit.Order: access.Orders, audit.Payment: access.Money}

func (s *Site) recordedAct(v *visit, a backoffice.RecordedAct) recordedAct {
	of := a.Object
	r := recordedAct{a, cmp.Or(s.texts.Audit.Acts[a.Act], string(a.Act)), cmp.Or(s.texts.Audit.Objects[of.Kind], string(of.Kind)) + " " +
		of.ID, ""}
	if path, exists := objectPaths[of.Kind]; exists && of.ID != "" && v.actor.May(objectAreas[of.Kind]) {
		r.Path = path + of.ID + "/"
	}
	return r
}

// listActs shows what staff have done, the newest first, or what they have done about one person.
func (s *Site) listActs(v *visit) (answer, error) {
	q, query := audit.Query{CursorRequest: page.Behind(cursorOf(v.r.FormValue("after")), page.DefaultSize)}, url.Values{}
	title := s.texts.Sections["audit"]
	if about, err := strconv.ParseInt(v.r.FormValue("about"), 10, 64); err == nil {
		q.About = user.ID(about)
		query.Set("about", fmt.Sprint(about))
		names, err := s.Office.Names(v.r.Context(), q.About)
		if err != nil {
			return answer{}, err
		}
		title = fmt.Sprintf(s.texts.Audit.About, fmt.Sprintf("%s (%d)", isolate(names[q.About]), about))
	}
	found, err := s.Office.Acts(v.r.Context(), v.actor, q)
	p := auditPage{IsAbout: q.About != 0}
	for _, a := range found.Items {
		p.Acts = append(p.Acts, s.recordedAct(v, a))
	}
	if found.Next != (page.Cursor{}) {
		query.Set("after", cursorText(found.Next))
		p.Next = "?" + query.Encode()
	}
	return answer{template: "audit.html", title: title, section: "audit", body: p}, err
}
