package backoffice

import (
	"fmt"
	"net/url"
	"strconv"
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

// findPeople finds people by a telephone, by a uid, or by a name. Digits that are no uid are a telephone without its plus.
func (s *Site) findPeople(v *visit) (answer, error) {
	text := strings.TrimSpace(v.r.FormValue("q"))
	p := peoplePage{Query: text, IsDone: text != ""}
	a := answer{template: "people.html", title: s.texts.People.Title, section: "people", body: p}
	if text == "" {
		return a, nil
	}
	q := backoffice.PeopleQuery{CursorRequest: page.Behind(cursorOf(v.r.FormValue("after")), page.DefaultSize)}
	uid, notUID := strconv.ParseInt(text, 10, 64)
	_, notPhone := user.ParseTypedPhone(text)
	switch {
	case strings.HasPrefix(text, "+") || notUID != nil && notPhone == nil:
		q.Phone = text
	case notUID == nil:
		q.UID = user.ID(uid)
	default:
		q.Name = text
	}
	found, err := s.Office.Find(v.r.Context(), q, nil)
	if err == nil && q.UID != 0 && len(found.Items) == 0 && notPhone == nil {
		found, err = s.Office.Find(v.r.Context(), backoffice.PeopleQuery{Phone: text}, nil)
	}
	if err != nil {
		return v.again(a, err)
	}
	p.Found = found.Items
	if next := found.Next; next != (page.Cursor{}) {
		p.Next = "?" + url.Values{"q": {text}, "after": {cursorText(next)}}.Encode()
	}
	a.body = p
	return a, nil
}

// personPage is a person, and what can be done to their account.
type personPage struct {
	backoffice.Person
	Acts []string
	Form actForm
	Self bool // the person is who looks
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
	return answer{template: "person.html", title: personTitle(p), section: "people", body: p}, err
}

func personTitle(p personPage) string { return fmt.Sprintf("%s (%d)", isolate(p.Username), p.ID) }
