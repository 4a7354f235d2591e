package backoffice

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/fault"
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

// actForm is the form of an act.
type actForm struct {
	Act, Reason string
	Rights      backoffice.Rights
	Scopes      []access.Scope // that can be chosen
	Roles       []access.Role  // that can be chosen
}

// Has reports whether the scope is chosen.
func (f actForm) Has(scope access.Scope) bool { return slices.Contains(f.Rights.Scopes, string(scope)) }

// HasRole reports whether the role is chosen.
func (f actForm) HasRole(role access.Role) bool { return slices.Contains(f.Rights.Roles, string(role)) }

// areaOf returns the area of an act.
func areaOf(act string) access.Area {
	if act == "rights" {
		return access.Rights
	}
	return access.People
}

func (s *Site) person(v *visit) (personPage, error) {
	id, err := v.id()
	if err != nil {
		return personPage{}, err
	}
	p, err := s.Office.Show(v.r.Context(), user.ID(id))
	acts := []string{"disable", "rights", "sessions"}
	if p.Disabled {
		acts[0] = "enable"
	}
	acts = slices.DeleteFunc(acts, func(act string) bool { return !v.actor.May(areaOf(act)) })
	return personPage{Person: p, Acts: acts, Self: p.ID == v.actor.ID}, err
}

func (s *Site) showPerson(v *visit) (answer, error) {
	p, err := s.person(v)
	return answer{template: "person.html", title: personTitle(p), section: "people", body: p}, err
}

func personTitle(p personPage) string { return fmt.Sprintf("%s (%d)", isolate(p.Username), p.ID) }

// acts are what staff do to accounts, by the last words of their paths.
var acts = map[string]func(*Site, *visit, backoffice.Act, backoffice.Rights) error{
	"disable": func(s *Site, v *visit, a backoffice.Act, _ backoffice.Rights) error {
		_, err := s.Office.Disable(v.r.Context(), a, nil)
		return err
	},
	"enable": func(s *Site, v *visit, a backoffice.Act, _ backoffice.Rights) error {
		_, err := s.Office.Enable(v.r.Context(), a, nil)
		return err
	},
	"sessions": func(s *Site, v *visit, a backoffice.Act, _ backoffice.Rights) error {
		_, err := s.Office.EndSessions(v.r.Context(), a, nil)
		return err
	},
	"rights": func(s *Site, v *visit, a backoffice.Act, r backoffice.Rights) error {
		_, err := s.Office.SetRights(v.r.Context(), a, r, nil)
		return err
	},
}

// actPage returns the person and the page that asks for the reason of the act.
func (s *Site) actPage(v *visit) (personPage, answer, error) {
	p, err := s.person(v)
	if err != nil {
		return p, answer{}, err
	}
	p.Form = actForm{Act: v.r.PathValue("act"), Scopes: access.DefaultScopes(), Roles: access.Roles()}
	if acts[p.Form.Act] == nil {
		return p, answer{}, errNoPage
	}
	if err := v.actor.Enter(areaOf(p.Form.Act)); err != nil {
		return p, answer{}, err
	}
	for _, role := range p.Roles {
		p.Form.Rights.Roles = append(p.Form.Rights.Roles, string(role))
	}
	for _, scope := range p.Scopes {
		p.Form.Rights.Scopes = append(p.Form.Rights.Scopes, string(scope))
	}
	return p, answer{template: "act.html", title: s.texts.People.Acts[p.Form.Act].Title, section: "people"}, nil
}

func (s *Site) showAct(v *visit) (answer, error) {
	p, a, err := s.actPage(v)
	if typed := v.typed(); typed != nil {
		p.Form.fill(typed)
	}
	a.body = p
	return a, err
}

// fill takes over what was entered.
func (f *actForm) fill(form url.Values) {
	f.Reason, f.Rights = form.Get("reason"), backoffice.Rights{Scopes: form["scopes"], Roles: form["roles"]}
}

// act does something to an account.
func (s *Site) act(v *visit) (answer, error) {
	p, a, err := s.actPage(v)
	if err != nil {
		return a, err
	}
	p.Form.fill(v.r.PostForm)
	a.body = p
	if err := acts[p.Form.Act](s, v, backoffice.Act{Actor: v.actor, User: p.ID, Reason: p.Form.Reason}, p.Form.Rights); err != nil {
		v.audited = []any{"refused", fault.KindOf(err).Code()}
		return v.again(a, err)
	}
	return answer{to: fmt.Sprintf("people/%d/?%s", p.ID, url.Values{"done": {p.Form.Act}}.Encode())}, nil
}
