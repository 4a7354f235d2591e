package backoffice

import (
	"fmt"
	"slices"
	"strings"

	"plaza/application/backoffice"
	"plaza/domain/page"
	"plaza/domain/user"
)

// peoplePage is what a search has found.
type peoplePage struct {
	Query  string
	Found  []backoffice.Person
	Next   string // query of the next page; empty: none
	IsDone bool   // a search was made
}

// findPeople finds people by a telephone, by a uid, or by a name.
func (s *Site) findPeople(v *visit) (answer, error) {
	text := strings.TrimSpace(v.r.FormValue("q"))
	p := peoplePage{Query: text, IsDone: text != ""}
	a := answer{template: "people.html", title: s.texts.People.Title, section: "people", body: p}
	if text == "" {
		return a, nil
	}
	found, err := s.Office.FindTyped(v.r.Context(), text, page.Behind(cursorOf(v.r.FormValue("after")), page.DefaultSize))
	if err != nil {
		return v.again(a, err)
	}
	p.Found, p.Next = found.Items, v.behind(found.Next)
	a.body = p
	return a, nil
}

// personPage is a person, and what can be done to their account.
type personPage struct {
	backoffice.Person
	Acts []string
	Form actForm
	Self bool // the person is who looks

	Sections []backoffice.Section
	All      string // the list that is shown in place of all sections; empty: none
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
	return s.list(v, a, p.All, backoffice.ListQuery{User: p.ID}, &p.listed, "all")
}

func personTitle(p personPage) string { return fmt.Sprintf("%s (%d)", isolate(p.Username), p.ID) }
