package contract

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi"
	"plaza/domain/access"
)

// TestMatrix_AUT06_AUT07_EVT07_IMG02 shows for every route and everybody who is refused at the door, and who by what the route is
// about (AUT-05, EVT-08, EVT-19, SUB-04), and that both come before the body. A route that has no trial fails.
func TestMatrix_AUT06_AUT07_EVT07_IMG02(t *testing.T) {
	t.Parallel()
	all := plainTrials(t)
	maps.Copy(all, trials)
	maps.Copy(all, contentTrials)
	routes := httpapi.Routes()
	isRouted := map[string]bool{}
	for _, r := range routes {
		isRouted[r.Method+" "+r.Path] = true
	}
	for at := range all {
		require.True(t, isRouted[at], "the table has a route that is gone: %s", at)
	}
	onEach(t, oneStore, func(t *testing.T, on store) {
		c := newCast(t, on)
		for _, r := range routes {
			t.Run(r.Method+" "+r.Path, func(t *testing.T) {
				tried, isKnown := all[r.Method+" "+r.Path]
				if !isKnown {
					tried, isKnown = plainTrial(t, r.Method, r.Path)
				}
				require.True(t, isKnown, "nobody has said who may call this")
				assert.Equal(t, tried.needs, r.Policy.String())
				for _, who := range callers {
					for _, a := range tried.aims(t, c) {
						c.tries(t, r, tried.needs, who, a)
					}
				}
			})
		}
	})
}

// caller is a user who calls, and their relation to the owner of the data.
type caller struct {
	name string
	role string // stranger: the routes that admit them know no more of them
}

var callers = []caller{
	{"anonymous", "stranger"}, {"a bad key", "stranger"}, {"an expired key", "stranger"}, {"a revoked key", "stranger"},
	{"a disabled account", "stranger"}, {"without the scope", "stranger"}, {"the owner", "owner"}, {"a contact", "contact"},
	{"a stranger", "stranger"}, {"staff", "staff"}, {"staff with a narrowed key", "staff"}, {"moderator", "staff"}, {"cashier", "staff"},
	{"support", "staff"}, {"one whom the owner blocks", "blocked"}, {"one who blocks the owner", "blocked"},
}

// officeRoles are the callers who may enter each area of the back office (OFF-03); "staff" is an admin.
var officeRoles = map[string][]string{
	"office overview": everyRole, "office audit": everyRole, "office imports": everyRole,
	"office reports": {"moderator", "staff"}, "office money": {"cashier", "staff"}, "office orders": {"cashier", "support", "staff"},
	"office ordering": {"support", "staff"}, "office people": {"support", "staff"}, "office rights": {"staff"},
}

var everyRole = []string{"moderator", "cashier", "support", "staff"}

func isForStaff(needs string) bool { return strings.HasPrefix(needs, "office ") }

// refusal is the response that refuses a caller; the zero refusal does not refuse.
type refusal struct {
	status int
	code   string
}

// refused returns how the needs of a route refuse the caller.
func refused(needs string, who caller) refusal {
	isBad := slices.Contains([]string{"a bad key", "an expired key", "a revoked key", "a disabled account"}, who.name)
	switch {
	case needs == "noAuth":
		return refusal{}
	case isBad:
		return refusal{401, "AUTHENTICATION_FAILED"}
	case needs == "optionalAuth":
		return refusal{}
	case who.name == "anonymous":
		return refusal{401, "NOT_AUTHENTICATED"}
	case needs == "unnarrowed" && (who.name == "without the scope" || who.name == "staff with a narrowed key"):
		return refusal{403, "PERMISSION_DENIED"}
	case isForStaff(needs) && !slices.Contains(officeRoles[needs], who.name):
		return refusal{403, "PERMISSION_DENIED"}
	case strings.HasPrefix(needs, "scope ") && who.name == "without the scope":
		return refusal{403, "PERMISSION_DENIED"}
	}
	return refusal{}
}

type aim struct {
	name, path string
	body       any
	want       map[string]int // the status for each role that is admitted; the blocked are as strangers unless they are named
	kept       string         // what a refusal leaves as it is, as its owner sees it
}

func (c *cast) tries(t *testing.T, r httpapi.Route, needs string, who caller, a aim) {
	t.Helper()
	about := fmt.Sprintf("%s, %s", who.name, a.name)
	var before []byte
	if a.kept != "" {
		before = c.owner.get(t, a.kept).is(200).body
	}
	client := c.as(t, who, needs, a.path == logout || strings.HasPrefix(a.path, sessions))
	got := client.send(t, r.Method, a.path, a.body)
	want, isNamed := a.want[who.role]
	if !isNamed {
		want = a.want["stranger"]
	}
	no := refused(needs, who)
	if no.status != 0 {
		said := got.fails(no.status, no.code).text("data.detail")
		if scope, isScope := strings.CutPrefix(needs, "scope "); isScope && no.status == 403 {
			assert.Contains(t, said, scope, about)
		}
		if slices.Contains(everyRole, who.name) && isForStaff(needs) {
			roles := strings.Join(slices.DeleteFunc(slices.Clone(officeRoles[needs]), func(role string) bool { return role == "staff" }), "/")
			assert.Equal(t, "This needs the role "+cmp.Or(roles, "admin")+".", said, about)
		}
		want = no.status
	}
	isBefore := no.status != 0 || strings.Contains(r.Path, "{") && (got.status == 403 || got.status == 404)
	if a.body != nil && isBefore {
		assert.Equal(t, want, client.send(t, r.Method, a.path, "{").status, "before the body: %s", about)
	}
	assert.Equal(t, want, got.status, "%s: %s", about, got.body)
	if a.kept != "" && got.status >= 400 {
		assert.JSONEq(t, string(before), string(c.owner.get(t, a.kept).is(200).body), about)
	}
	if r.Method == "GET" {
		assert.Equal(t, want, client.send(t, "HEAD", a.path, a.body).status, "HEAD: %s", about)
	}
}

type cast struct {
	*server
	owner, contact, stranger, staff person
	people                          map[string]person // by the names of callers
	bad                             map[string]string // keys that open nothing
	keys                            map[string]string // narrowed ones, by account and scopes
	days                            int               // on which something happened
}

// happens writes an event of the owner's on a day of its own, so that none is in another's moment.
func (c *cast) happens(t *testing.T, body object) int {
	t.Helper()
	c.days++
	return c.owner.writes(t, with(body, object{"event_time": epoch.AddDate(0, 0, -c.days).Format(time.DateOnly)})).int("data.id")
}

func newCast(t *testing.T, on store) *cast {
	t.Helper()
	s := on.start(t)
	c := &cast{server: s, keys: map[string]string{}, owner: s.member(t), contact: s.member(t), stranger: s.member(t)}
	c.staff = s.staff(t)
	befriend(t, c.owner, c.contact)
	c.stranger.follows(t, c.owner) // who is not followed back
	blocked, blocking, shut := s.member(t), s.member(t), s.member(t)
	c.owner.blocks(t, blocked)
	blocking.blocks(t, c.owner)
	c.people = map[string]person{
		"the owner": c.owner, "a contact": c.contact, "a stranger": c.stranger, "staff": c.staff,
		"moderator": s.staff(t, access.Moderator), "cashier": s.staff(t, access.Cashier), "support": s.staff(t, access.Support),
		"one whom the owner blocks": blocked, "one who blocks the owner": blocking,
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, true))
	c.bad = map[string]string{
		"anonymous": "", "a bad key": "plz_x", "a disabled account": shut.key,
		"an expired key": s.issue(t, c.owner, time.Hour), "a revoked key": s.issue(t, c.owner, 0),
	}
	s.with(c.bad["a revoked key"]).post(t, logout, nil).is(204)
	s.clock.advance(time.Hour)
	return c
}

// as is the caller with a key of their own, with a new one if the request may end it, or with none.
func (c *cast) as(t *testing.T, who caller, needs string, endsKeys bool) *client {
	t.Helper()
	if key, isBad := c.bad[who.name]; isBad {
		return c.with(key)
	}
	if who.name == "without the scope" {
		return c.with(c.narrowed(t, c.stranger, otherThan(needs), endsKeys))
	}
	if who.name == "staff with a narrowed key" {
		return c.with(c.narrowed(t, c.staff, ordinary, endsKeys))
	}
	p := c.people[who.name]
	if endsKeys {
		return c.with(c.issue(t, p, 0))
	}
	return p.client
}

// narrowed is a key with those scopes, which other requests use as well unless the request may end it: an account
// has at most a hundred keys.
func (c *cast) narrowed(t *testing.T, of person, scopes []string, endsKeys bool) string {
	t.Helper()
	if endsKeys {
		return c.issue(t, of, 0, scopes...)
	}
	name := fmt.Sprint(of.id, scopes)
	if c.keys[name] == "" {
		c.keys[name] = c.issue(t, of, 0, scopes...)
	}
	return c.keys[name]
}

// ordinary are the scopes of a new account.
var ordinary = []string{"xfile_event", "writing_bundle", "pay_trade_order"}

// otherThan are the scopes that are of no use where one is needed.
func otherThan(needs string) []string {
	return slices.DeleteFunc(slices.Clone(ordinary), func(scope string) bool {
		return needs == "scope "+scope
	})
}

// trial is what a route needs by the contract, and what it is tried on.
type trial struct {
	needs string
	aims  func(t *testing.T, c *cast) []aim
}

const scoped = "scope xfile_event"

var trials = map[string]trial{
	"POST /api/auth/login/": {"noAuth", func(_ *testing.T, c *cast) []aim {
		return []aim{{path: login, body: object{"username": c.owner.phone, "password": password}, want: everybody(200)}}
	}},
	"POST /api/auth/code/": {"noAuth", func(_ *testing.T, c *cast) []aim { // other purposes: AUT-15
		return []aim{{path: codePath, body: object{"username": newcomer(int(c.members.Add(1))), "purpose": "sign_up"}, want: everybody(202)}}
	}},
	"POST /api/auth/reset-password/": {"noAuth", func(_ *testing.T, c *cast) []aim {
		body := object{"username": c.owner.phone, "code": "no", "password": newPassword}
		return []aim{{path: resetPath, body: body, want: everybody(400), kept: profile}}
	}},
	"GET /api/user/profile/{uid}/": {"optionalAuth", func(_ *testing.T, c *cast) []aim {
		want := everybody(200)
		want["blocked"] = 404
		return []aim{
			{name: "the owner's profile", path: profileOf(c.owner), want: want},
			{name: "nobody's profile", path: profile + "4711/", want: everybody(404)},
		}
	}},

	"DELETE /api/user/session/{id}/": {"unnarrowed", func(t *testing.T, c *cast) []aim {
		c.issue(t, c.owner, 0)
		id := c.owner.get(t, sessions).is(200).int("data.0.id")
		return []aim{{path: sessionPath(id), want: map[string]int{"owner": 204, "contact": 404, "stranger": 404, "staff": 404}, kept: profile}}
	}},

	"GET /api/xfile/event/{uid}/view-list/": {scoped, func(_ *testing.T, c *cast) []aim {
		return []aim{
			{name: "the owner's list", path: eventsOf(c.owner), want: everybody(200)},
			{name: "nobody's list", path: events + "4711/view-list/", want: everybody(404)},
		}
	}},
	"GET /api/xfile/event/{id}/":    {scoped, aboutEvents(200, 200, 404, ask{path: events + "ID/"})},
	"PATCH /api/xfile/event/{id}/":  {scoped, aboutEvents(200, 403, 404, ask{path: events + "ID/", body: `{"title": "mine"}`})},
	"DELETE /api/xfile/event/{id}/": {scoped, aboutEvents(204, 403, 404, ask{path: events + "ID/"})},
	// what is seen: EVT-24
	"GET /api/activity/like/":               {scoped, aboutEvents(200, 200, 200, ask{path: "/api/activity/like/?event=ID"})},
	"GET /api/activity/like/{event_id}/":    {scoped, aboutEvents(200, 200, 404, ask{path: "/api/activity/like/ID/"})},
	"PUT /api/activity/like/{event_id}/":    {scoped, aboutEvents(204, 204, 404, ask{path: "/api/activity/like/ID/"})},
	"DELETE /api/activity/like/{event_id}/": {scoped, aboutEvents(204, 204, 404, ask{path: "/api/activity/like/ID/"})},
	"GET /api/activity/comment/":            {scoped, aboutEvents(200, 200, 404, ask{path: comments + "?event=ID"})},
	"POST /api/activity/comment/":           {scoped, aboutEvents(201, 201, 400, ask{path: comments, body: `{"event": ID, "content": "Oh"}`})},
	"PATCH /api/activity/comment/{id}/":     {scoped, commentsToEdit},
	"DELETE /api/activity/comment/{id}/":    {scoped, commentsToDelete},

	"POST /api/subscription/user-subscription/": {"authenticated", func(t *testing.T, c *cast) []aim {
		return []aim{{path: subscriptions, body: object{"followed_user": c.member(t).id}, want: everybody(201)}}
	}},
	"DELETE /api/subscription/user-subscription/{id}/": {"authenticated", func(t *testing.T, c *cast) []aim {
		path := subscriptionPath(c.owner.follows(t, c.member(t)))
		return []aim{{path: path, want: map[string]int{"owner": 204, "contact": 404, "stranger": 404, "staff": 404}, kept: subscriptions}}
	}},

	"PUT /api/user/block/{uid}/": {"authenticated", func(t *testing.T, c *cast) []aim {
		return []aim{
			{name: "a member", path: blockPath(c.member(t)), want: everybody(204)},
			{name: "no one", path: blocks + "4711/", want: everybody(404)},
		}
	}},
	"DELETE /api/user/block/{uid}/": {"authenticated", func(t *testing.T, c *cast) []aim {
		path := blockPath(c.member(t))
		c.owner.put(t, path).is(204)
		return []aim{{path: path, want: everybody(204)}}
	}},

	"GET /media/portrait/{name}": {"noAuth", plainly("/media/portrait/1-sm.png", nil, 200)},
}

func everybody(status int) map[string]int {
	return map[string]int{"owner": status, "contact": status, "stranger": status, "staff": status}
}

// plainly is one request that goes alike for everybody who is admitted.
func plainly(path string, body any, status int) func(*testing.T, *cast) []aim {
	return func(*testing.T, *cast) []aim { return []aim{{path: path, body: body, want: everybody(status)}} }
}

// plainTrials are those of trials.json: one request at the path of the route, with its query and its body. There is no wallet.
func plainTrials(t *testing.T) map[string]trial {
	all := map[string]trial{}
	for route, of := range testdata[map[string]struct {
		Needs, Query string
		Body         any
		Status       int
	}](t, "trials.json") {
		_, path, _ := strings.Cut(route, " ")
		all[route] = trial{of.Needs, plainly(path+of.Query, of.Body, of.Status)}
	}
	return all
}

// plainTrial is the trial of a route that reads, and whose path names no object: everybody whom the document admits gets a response.
// Routes for staff, and for tokens that were not narrowed, have their trials in the table.
func plainTrial(t *testing.T, method, path string) (trial, bool) {
	t.Helper()
	doc, err := theDocument()
	require.NoError(t, err)
	if method != "GET" || strings.Contains(path, "{") {
		return trial{}, false
	}
	operation := doc.Paths.Value(path).Get
	needs := "authenticated"
	if scope, isScoped := operation.Extensions["x-scope"].(string); isScoped {
		needs = "scope " + scope
	} else if operation.Security != nil {
		needs = "optionalAuth"
	}
	return trial{needs, plainly(path, nil, 200)}, true
}

// showings are the ways in which an event can stand, and who sees it besides its author (EVT-08).
var showings = []struct {
	name    string
	body    object
	viewers []string
}{
	{"a draft", object{"title": "x"}, nil},
	{"a public event", object{"title": "x", "publish": true}, []string{"contact", "stranger", "staff"}},
	{"an event for contacts", object{"title": "x", "publish": true, "view_permission": 100}, []string{"contact"}},
	{"a private event", object{"title": "x", "publish": true, "view_permission": 200}, nil},
	{"a private draft", object{"title": "x", "view_permission": 200}, nil},
}

// aboutEvents is a request about an event in every showing: the status for its author, for those who see it, and for everybody else.
func aboutEvents(author, viewer, other int, asked ask) func(*testing.T, *cast) []aim {
	return func(t *testing.T, c *cast) []aim {
		var all []aim
		for _, s := range showings {
			id := c.happens(t, s.body)
			want := everybody(other)
			want["owner"], want["blocked"] = author, other
			for _, role := range s.viewers {
				want[role] = viewer
			}
			path, body := asked.about(id)
			all = append(all, aim{s.name, path, body, want, eventPath(id)})
		}
		return all
	}
}
