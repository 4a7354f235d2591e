package contract

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/access"
	"plaza/domain/user"
)

var staffPeopleRows = []row{
	{"OFF-01 staff find people by phone uid or name, disabled ones too", staffFindPeople, everyStore},
	{"OFF-01 staff see the account and the number of sessions", staffSeePeople, everyStore},
	{"OFF-01 staff disable and enable an account", staffDisable, everyStore},
	{"OFF-01 staff set scopes and give and take the back office", staffSetRights, everyStore},
	{"OFF-03 support changes no account of staff", supportChangesNoStaff, oneStore},
	{"OFF-01 acts need a reason, and nobody takes their own rights", staffReasons, oneStore},
}

const staffPeople = "/api/back-office/v1/people/"

func staffPath(id user.ID, act string) string { return fmt.Sprintf("%s%d/%s", staffPeople, id, act) }

// does does an act to the person's account.
func (c *client) does(t *testing.T, act string, to person, more ...object) answer {
	t.Helper()
	return c.post(t, staffPath(to.id, act), with(object{"reason": "Asked by telephone"}, more...))
}

func (c *client) looksFor(t *testing.T, by, value string, more ...string) answer {
	t.Helper()
	return c.get(t, staffPeople+"?"+by+"="+url.QueryEscape(value)+strings.Join(more, ""))
}

func staffFindPeople(t *testing.T, s *server) {
	staff := s.staff(t)
	li, lin, ada := s.called(t, "西", "林"), s.called(t, "东", "林"), s.called(t, "Ada", "King")
	staff.does(t, "disable/", lin).is(200)
	uids := func(a answer) []any { return append([]any{}, a.is(200).each("data", "user.uid")...) }
	for by, found := range map[string]map[string][]any{
		"phone": {li.phone: {li.id}, lin.phone: {lin.id}, strings.Replace(li.phone, "-", "", 1): {li.id}, "+86-13999999999": {}},
		"uid":   {fmt.Sprint(ada.id): {ada.id}, "99999": {}},
		"name":  {"林": {li.id, lin.id}, "king ada": {ada.id}, "西 林": {li.id}, "adb": {}},
	} {
		for value, want := range found {
			sameJSON(t, want, uids(staff.looksFor(t, by, value)), by)
		}
	}
	sameJSON(t, []any{li.id}, uids(staff.get(t, staffPeople+"?phone="+li.phone)), "+ is a blank in a query")
	first := staff.looksFor(t, "name", "林", "&page_size=1")
	sameJSON(t, []any{li.id}, uids(first))
	sameJSON(t, []any{lin.id}, uids(staff.looksFor(t, "name", "林", "&page_size=1&cursor=", first.text("cursor.next"))))

	staff.looksFor(t, "uid", "1", "&name=ada").invalid("non_field_errors")
	staff.looksFor(t, "q", "1", "&name=ada").invalid("non_field_errors")
	staff.looksFor(t, "q", "a").invalid("q")
	digits := strings.NewReplacer("+", "", "-", "").Replace(li.phone)
	for typed, want := range map[string][]any{li.phone: {li.id}, digits: {li.id}, fmt.Sprint(ada.id): {ada.id}, "林": {li.id, lin.id}} {
		sameJSON(t, want, uids(staff.looksFor(t, "q", typed)), typed)
	}
	sameJSON(t, []any{ada.id, lin.id, li.id, staff.id}, uids(staff.get(t, staffPeople)))
	sameJSON(t, []any{lin.id}, uids(staff.looksFor(t, "name", "林", "&state=disabled")))
	staff.looksFor(t, "name", "a").invalid("name")
	staff.looksFor(t, "phone", "999123456789").invalid("phone")
	staff.looksFor(t, "uid", "x", "&cursor=y").invalid("uid", "cursor")
}

func staffSeePeople(t *testing.T, s *server) {
	staff := s.staff(t)
	s.clock.advance(time.Hour)
	ada := s.member(t)
	s.issue(t, ada, time.Minute)
	s.clock.advance(time.Hour)
	s.anyone().gets(t, ada, "xfile_event")
	staff.get(t, staffPath(ada.id, "")).is(200).shows(object{
		"phone": ada.phone, "scopes": ordinary, "is_staff": false, "is_disabled": false,
		"date_joined": "2026-11-20T13:00:00.000000Z", "sessions": 2,
	})
	s.erases(t, ada)
	staff.get(t, staffPath(ada.id, "")).fails(404, "RESOURCE_NOT_FOUND")
	staff.get(t, staffPath(staff.id, "")).is(200).shows(object{"scopes": append(slices.Clone(ordinary), "back_office"), "is_staff": true})
}

func staffDisable(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	for range 2 { // the second time changes nothing
		staff.does(t, "disable/", ada).is(200).shows(object{"is_disabled": true, "sessions": 0})
		ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	}
	s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
	staff.does(t, "enable/", ada).is(200).shows(object{"is_disabled": false, "sessions": 1})
	ada.get(t, profile).is(200)
	s.erases(t, ada)
	staff.does(t, "enable/", ada).fails(404, "RESOURCE_NOT_FOUND")
}

func staffSetRights(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	usesBackOffice(t, ada.client, false)
	staff.does(t, "scopes/", ada, object{"scopes": []any{"xfile_event", "pay_trade_order"}, "roles": []any{"admin"}}).is(200).
		shows(object{"scopes": []any{"xfile_event", "pay_trade_order", "back_office"}, "roles": []any{"admin"}, "is_staff": true})
	usesBackOffice(t, ada.client, true)
	staff.does(t, "scopes/", ada, object{"scopes": []any{}, "roles": []any{}}).is(200).shows(object{"scopes": []any{}, "is_staff": false})
	usesBackOffice(t, ada.client, false)
	ada.get(t, events).fails(403, "PERMISSION_DENIED")
	staff.does(t, "scopes/", ada, object{"scopes": []any{"xfile_event", "back_office"}, "roles": []any{"cashier"}}).is(200)
	staff.does(t, "scopes/", ada, object{"scopes": []any{"x"}, "roles": []any{"x"}}).invalid("scopes", "roles")
	staff.does(t, "scopes/", ada, object{"scopes": []any{"back_office"}, "roles": []any{}}).invalid("roles")
	staff.get(t, staffPath(ada.id, "")).is(200).shows(object{"scopes": []any{"xfile_event", "back_office"}})
}

func supportChangesNoStaff(t *testing.T, s *server) {
	support, admin, shut, ada := s.staff(t, access.Support), s.staff(t), s.staff(t), s.member(t)
	admin.does(t, "disable/", shut).is(200)
	for act, of := range map[string]person{"disable/": admin, "end-sessions/": admin, "enable/": shut} {
		assert.Equal(t, "This needs the role admin.", support.does(t, act, of).fails(403, "PERMISSION_DENIED").text("data.detail"), act)
		support.does(t, act, ada).is(200)
	}
	admin.get(t, profile).is(200)
	shut.get(t, profile).is(401)
	admin.does(t, "enable/", shut).is(200)
}

func staffReasons(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	rights := object{"scopes": ordinary, "roles": []any{"support"}}
	for _, act := range []string{"disable/", "enable/", "scopes/", "end-sessions/"} {
		for _, reason := range []any{nil, " \u3000", strings.Repeat("x", 501)} {
			staff.does(t, act, ada, rights, object{"reason": reason}).invalid("reason")
		}
		staff.does(t, act, ada, rights, object{"reason": strings.Repeat("林", 500)}).is(200)
	}
	staff.does(t, "disable/", staff).fails(409, "CONFLICT")
	staff.does(t, "scopes/", staff, rights).fails(409, "CONFLICT")
	staff.does(t, "scopes/", staff, object{"scopes": []any{}, "roles": []any{"admin", "cashier"}}).is(200)
	staff.does(t, "end-sessions/", staff).is(200).shows(object{"sessions": 0})
	staff.get(t, staffPath(ada.id, "")).fails(401, "AUTHENTICATION_FAILED")
}

// aboutPeople acts on a person, and on a uid without an account.
func aboutPeople(act string, body any) func(*testing.T, *cast) []aim {
	return func(t *testing.T, c *cast) []aim {
		return []aim{
			{name: "a member", path: staffPath(c.member(t).id, act), body: body, want: everybody(200)},
			{name: "nobody", path: staffPath(99999, act), body: body, want: everybody(404)},
		}
	}
}
