package backoffice

import (
	"fmt"
	"strings"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/user"
)

// peoplePage is a list of people, or what a search has found.
type peoplePage struct {
	listed
	Query string
	Found []backoffice.Person
}

// findPeople finds people by a telephone, by a uid, or by a name, or lists them.
func (s *Site) findPeople(v *visit) (answer, error) {
	p := &peoplePage{Query: strings.TrimSpace(v.r.FormValue("q"))}
	accounts, wrong := backoffice.ReadAccounts(v.r.URL.Query().Get)
	found := s.Office.People(v.r.Context(), backoffice.PeopleQuery{Typed: p.Query, AccountFilter: accounts})
	a := answer{template: "people.html", Title: s.T("People"), Section: "people", Body: p}
	return read(v, a, &p.listed, &p.Found, found, wrong, v.field("q", "", ""),
		v.field("state", s.T("Account"), "", choices(v, "state", "disabled")...),
		v.field("role", s.T("Roles in the back office"), "", choices(v, "role", backoffice.RoleChoices()...)...))
}

// personPage is a person, and what can be done to their account.
type personPage struct {
	backoffice.Person
	Acts []personAct
	Form actForm
	Self bool // the person is who looks

	Sections []backoffice.Section
	All      string // the list that is shown in place of all sections; empty: none
	Lines    []backoffice.Line
	listed
}

type personList struct {
	name string
	area access.Area
	path string // of the page that has the whole list, before the uid; empty: that of the person
}

// personLists are in the order of the page.
var personLists = []personList{
	{"orders", access.Orders, "money/?list=orders&user="}, {"payments", access.Money, "money/?list=payments&user="},
	{"refunds", access.Money, "money/?list=refunds&user="}, {"events", access.Reports, ""}, {"comments", access.Reports, ""},
	{"images", access.Reports, ""}, {"cases", access.Reports, "reports/?owner="}, {"decided", access.Reports, "reports/?state=decided&owner="},
	{"reports", access.Reports, ""}, {"hidden", access.Reports, ""}, {"sessions", access.People, ""}, {"acts", access.Audit, "audit/?about="},
}

// personListOf returns the list with the name, or the zero one.
func personListOf(name string) (list personList) {
	for _, l := range personLists {
		if l.name == name {
			list = l
		}
	}
	return list
}

// Whole returns the path of the whole list.
func (p personPage) Whole(name string) string {
	if path := personListOf(name).path; path != "" {
		return fmt.Sprint(path, p.ID)
	}
	return fmt.Sprintf("people/%d/?all=%s", p.ID, name)
}

func (s *Site) person(v *visit) (personPage, error) {
	p, err := s.Office.Show(v.r.Context(), user.ID(v.id))
	person := personPage{Person: p, Self: p.ID == v.actor.ID}
	for _, act := range personActs {
		if (act.isFor == nil || act.isFor(s, person)) && v.actor.May(areaOf(act.Name, person)) {
			person.Acts = append(person.Acts, act)
		}
	}
	return person, err
}

func (s *Site) showPerson(v *visit) (answer, error) {
	p, err := s.person(v)
	a := answer{template: "person.html", Title: fmt.Sprintf("%s (%d)", isolate(p.Username), p.ID), Section: "people", Body: &p}
	if p.All = v.r.FormValue("all"); err != nil || p.All == "" {
		var seen []string
		for _, list := range personLists {
			if v.actor.May(list.area) {
				seen = append(seen, list.name)
			}
		}
		if err == nil {
			p.Sections, err = s.Office.Sections(v.r.Context(), v.actor, p.ID, seen...)
		}
		return a, err
	}
	list := personListOf(p.All)
	if list.name == "" || list.path != "" {
		return answer{}, errNoPage
	}
	if err := v.actor.Enter(list.area); err != nil {
		return answer{}, err
	}
	lines := s.Office.Lines(v.r.Context(), p.All, backoffice.ListQuery{User: p.ID})
	return read(v, a, &p.listed, &p.Lines, lines, nil, v.field("all", "", ""))
}
