package backoffice

import (
	"fmt"
	"slices"
	"strings"

	"plaza/application/backoffice"
	"plaza/domain/user"
)

// peoplePage is a list of people, or what a search has found.
type peoplePage struct {
	listed
	Query string
	Found []backoffice.Person
}

// findPeople finds people by a telephone, by a uid, or by a name, or lists them.
func (s *Site) findPeople(v *visit) (_ answer, err error) {
	p, t := &peoplePage{Query: strings.TrimSpace(v.r.FormValue("q"))}, s.texts.People
	a := answer{template: "people.html", title: t.Title, section: "people", body: p}
	accounts, wrong := backoffice.ReadAccounts(v.r.URL.Query().Get)
	found := s.Office.People(v.r.Context(), backoffice.PeopleQuery{Typed: p.Query, AccountFilter: accounts})
	p.Found, a, err = read(v, a, &p.listed, found, wrong,
		v.field("q", "", ""), v.field("state", t.State, "", choices(v, []string{"disabled"}, map[string]string{"disabled": t.Disabled})...),
		v.field("role", t.Roles, "", choices(v, backoffice.RoleChoices(), t.RoleNames)...))
	return a, err
}

// personPage is a person, and what can be done to their account.
type personPage struct {
	backoffice.Person
	Acts []string
	Form actForm
	Self bool // the person is who looks

	Sections []backoffice.Section
	All      string // the list that is shown in place of all sections; empty: none
	Lines    []backoffice.Line
	listed
}

// personSections are the lists of a person, in the order of the page.
var personSections = []string{
	"orders", "payments", "refunds", "events", "comments", "images", "cases", "decided", "reports", "hidden", "sessions", "acts",
}

// elsewhere are the paths of the lists of persons that have pages of their own, before the uid.
var elsewhere = map[string]string{
	"orders": "money/?list=orders&user=", "payments": "money/?list=payments&user=", "refunds": "money/?list=refunds&user=",
	"cases": "reports/?owner=", "decided": "reports/?state=decided&owner=", "acts": "audit/?about=",
}

// Whole returns the path of the whole list.
func (p personPage) Whole(list string) string {
	if path := elsewhere[list]; path != "" {
		return fmt.Sprint(path, p.ID)
	}
	return fmt.Sprintf("people/%d/?all=%s", p.ID, list)
}

func (s *Site) person(v *visit) (personPage, error) {
	id, err := v.id()
	if err != nil {
		return personPage{}, err
	}
	p, err := s.Office.Show(v.r.Context(), user.ID(id))
	person := personPage{Person: p, Self: p.ID == v.actor.ID}
	for _, act := range actOrder {
		if allowed := acts[act].isFor; (allowed == nil || allowed(s, person)) && v.actor.May(areaOf(act, person)) {
			person.Acts = append(person.Acts, act)
		}
	}
	return person, err
}

func (s *Site) showPerson(v *visit) (answer, error) {
	p, err := s.person(v)
	a := answer{template: "person.html", title: personTitle(p), section: "people", body: &p}
	if p.All = v.r.FormValue("all"); err != nil || p.All == "" {
		if err == nil {
			seen := slices.DeleteFunc(slices.Clone(personSections), func(list string) bool { return !v.actor.May(areaOfList(list)) })
			p.Sections, err = s.Office.Sections(v.r.Context(), v.actor, p.ID, seen...)
		}
		return a, err
	}
	if !slices.Contains(personSections, p.All) || elsewhere[p.All] != "" {
		return answer{}, errNoPage
	}
	if err := v.actor.Enter(areaOfList(p.All)); err != nil {
		return answer{}, err
	}
	list := s.Office.Lines(v.r.Context(), p.All, backoffice.ListQuery{User: p.ID})
	p.Lines, a, err = read(v, a, &p.listed, list, nil, v.field("all", "", ""))
	return a, err
}

func personTitle(p personPage) string { return fmt.Sprintf("%s (%d)", isolate(p.Username), p.ID) }
