package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"

	"plaza/domain/access"
)

var conventionRows = slices.Concat([]row{
	{"GEN-01 answers are JSON with the payload in data", answersAreJSON, oneStore},
	{"GEN-02 datetimes are UTC and always have six digits of a fraction", datetimes, everyStore},
	{"GEN-03 pagination says where one is", paginationValues, everyStore},
	{"GEN-04 pages are of twenty and of a hundred at most", pageSizes, oneStore},
	{"GEN-04 what is no positive integer is refused by name", badPages, oneStore},
	{"GEN-04 a query value that is no text is refused by name", queryValuesThatAreNoText, oneStore},
	{"GEN-04 a page past the last is 404", pastTheLast, everyStore},
	{"GEN-04 a blank parameter counts as absent", blankParameters, oneStore},
	{"GEN-04 a blank optional parameter of any operation counts as absent", blankEverywhere, oneStore},
	{"GEN-05 every paged list takes page and page_size", everyListIsPaged, everyStore},
	{"GEN-06 every error has the one envelope", oneEnvelope, oneStore},
	{"GEN-07 codes statuses and headers belong together", codesAndStatuses, oneStore},
	{"GEN-07 a 500 says nothing of its cause and the log does", ownMistake, oneStore},
	{"GEN-12 what somebody with a token is told nobody keeps", notKept, oneStore},
}, languageRows, bodyRows, addressRows, tracingRows, sizeRows)

// Paths that the rows of more than one file ask for.
const (
	login      = "/api/auth/login/"
	logout     = "/api/auth/logout/"
	simpleInfo = "/api/user/user-simple-info/"
	search     = "/api/user/search/"
	profile    = "/api/user/profile/"
	commented  = events + "new-comment-event/"
	reference  = "/api/openapi.json"
)

// sameJSON asserts that the value found is what the wanted one is in JSON.
func sameJSON(t *testing.T, want, got any, about ...any) {
	t.Helper()
	wanted, err := json.Marshal(want)
	require.NoError(t, err)
	found, err := json.Marshal(got)
	require.NoError(t, err)
	assert.JSONEq(t, string(wanted), string(found), about...)
}

// names is the fields of the whole answer.
func (a answer) names() []string {
	a.t.Helper()
	whole, isObject := a.json().(object)
	require.True(a.t, isObject, "%s", a.body)
	return slices.Sorted(maps.Keys(whole))
}

func answersAreJSON(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "A walk")
	said := ada.post(t, comments, object{"event": id, "content": "Oh"}).is(201)
	followed := ada.post(t, subscriptions, object{"followed_user": s.member(t).id}).is(201)
	for _, single := range []answer{
		said, followed, ada.writes(t, object{}), ada.reads(t, id), ada.patch(t, eventPath(id), object{}).is(200),
		ada.get(t, profile).is(200), ada.get(t, commented).is(200), ada.post(t, simpleInfo, object{"uid": []int{1}}).is(200),
		ada.post(t, login, object{"username": ada.phone, "password": password}).is(200),
	} {
		assert.Equal(t, []string{"data"}, single.names())
		assert.Equal(t, "application/json", single.header.Get("Content-Type"))
	}
	for _, path := range pagedLists(ada, id) {
		list := ada.get(t, path).is(200)
		assert.Equal(t, []string{"data", "pagination"}, list.names(), path)
		assert.Equal(t, "application/json", list.header.Get("Content-Type"))
	}
	gone := ada.delete(t, eventPath(id)).is(204)
	assert.Empty(t, gone.body)
	assert.Empty(t, gone.header.Get("Content-Type"))
}

func datetimes(t *testing.T, s *server) {
	for _, c := range []struct {
		later time.Duration
		now   string
	}{
		{0, "2026-11-20T12:00:00.000000Z"},
		{120 * time.Millisecond, "2026-11-20T12:00:00.120000Z"},
		{7*time.Microsecond + 999, "2026-11-20T12:00:00.120007Z"}, // never rounded up
		{880*time.Millisecond - 7*time.Microsecond - 999, "2026-11-20T12:00:01.000000Z"},
		{12 * time.Hour, "2026-11-21T00:00:01.000000Z"},
	} {
		s.clock.advance(c.later)
		ada := s.member(t)
		assert.Equal(t, c.now, ada.get(t, profile).is(200).text("data.date_joined"))
		written := ada.writes(t, object{"title": "x", "publish": true})
		written.shows(object{"create_time": c.now, "last_modified": c.now})
		id := written.int("data.id")
		ada.reads(t, id).shows(object{"create_time": c.now, "last_modified": c.now})
		ada.comments(t, id, "Oh")
		assert.Equal(t, c.now, ada.reads(t, id).text("data.comments.0.create_time"))
		ada.follows(t, s.member(t))
		followed := ada.get(t, subscriptions).is(200)
		assert.Equal(t, []any{c.now}, followed.each("data", "created_at"))
		assert.Equal(t, []any{c.now}, followed.each("data", "updated_at"))
	}
	ada := s.member(t)
	ada.writes(t, object{"event_time": "2024-02-29"}).shows(object{"event_time": "2024-02-29"})
}

// pagination is the object that stands beside the data of a page.
func pagination(size, count, pages, current int, next, previous any) object {
	return object{
		"page_size": size, "total_count": count, "total_pages": pages,
		"current_page": current, "next": next, "previous": previous,
	}
}

func paginationValues(t *testing.T, s *server) {
	ada := s.member(t)
	shows := func(query string, items int, want object) {
		t.Helper()
		a := ada.get(t, events+query).is(200)
		sameJSON(t, want, a.at("pagination"), query)
		assert.Len(t, a.list("data"), items, query)
	}
	shows("", 0, pagination(20, 0, 1, 1, nil, nil))
	shows("?page=1&page_size=3", 0, pagination(3, 0, 1, 1, nil, nil))
	for range 4 {
		ada.writes(t, object{})
	}
	shows("", 4, pagination(20, 4, 1, 1, nil, nil))
	shows("?page_size=2", 2, pagination(2, 4, 2, 1, 2, nil))
	shows("?page_size=2&page=2", 2, pagination(2, 4, 2, 2, nil, 1))
	ada.writes(t, object{})
	shows("?page_size=2&page=2", 2, pagination(2, 5, 3, 2, 3, 1))
	shows("?page_size=2&page=3", 1, pagination(2, 5, 3, 3, nil, 2))
	shows("?page_size=5", 5, pagination(5, 5, 1, 1, nil, nil))
}

func pageSizes(t *testing.T, s *server) {
	ada := s.member(t)
	for range 101 {
		ada.writes(t, object{})
	}
	for query, want := range map[string]object{
		"":                                pagination(20, 101, 6, 1, 2, nil),
		"?page_size=100":                  pagination(100, 101, 2, 1, 2, nil),
		"?page_size=101":                  pagination(100, 101, 2, 1, 2, nil),
		"?page_size=1000000&page=2":       pagination(100, 101, 2, 2, nil, 1),
		"?page_size=99999999999999999999": pagination(100, 101, 2, 1, 2, nil),
	} {
		a := ada.get(t, events+query).is(200)
		sameJSON(t, want, a.at("pagination"), query)
		left := 101 - a.int("pagination.page_size")*(a.int("pagination.current_page")-1)
		assert.Len(t, a.list("data"), min(left, a.int("pagination.page_size")), query)
	}
}

func badPages(t *testing.T, s *server) {
	ada := s.member(t)
	for _, bad := range []string{"0", "-1", "abc"} {
		for _, path := range pagedLists(ada, ada.publishes(t, "x")) {
			ada.get(t, query(path, "page="+bad)).invalid("page")
			ada.get(t, query(path, "page_size="+bad)).invalid("page_size")
		}
		ada.get(t, events+"?ordering=size&page="+bad+"&page_size="+bad).invalid("page", "page_size", "ordering")
	}
}

func queryValuesThatAreNoText(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, bad := range []string{"%00", "a%00b", "%FF", "%ED%A0%80"} {
		ada.get(t, importedHowTos+"?category="+bad).invalid("category")
		ada.get(t, importedHowTos+"?category[]="+bad).invalid("category[]")
		ada.get(t, importedHowTos+"?category=tea&category="+bad).invalid("category")
		ada.get(t, imagesOf(ada)+"&tags__contains="+bad+"&tags__overlap=a,"+bad).invalid("tags__contains", "tags__overlap")
		ada.get(t, events+"?ordering="+bad).invalid("ordering")
		s.anyone().get(t, categories+"?type="+bad).invalid("type")
		s.anyone().get(t, categories+"?unknown="+bad).invalid("unknown")
	}
}

func pastTheLast(t *testing.T, s *server) {
	ada := s.member(t)
	for _, path := range pagedLists(ada, ada.publishes(t, "x")) {
		for _, page := range []string{"2", "9223372036854775807", "9223372036854775808"} {
			ada.get(t, query(path, "page="+page)).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
}

func blankParameters(t *testing.T, s *server) {
	ada := s.member(t)
	ada.follows(t, s.member(t))
	for _, blank := range []string{"", "%20", "%09%20", "+"} {
		all := "?page=" + blank + "&page_size=" + blank
		sameJSON(t, pagination(20, 0, 1, 1, nil, nil), ada.get(t, events+all+"&ordering="+blank).is(200).at("pagination"))
		sameJSON(t, pagination(20, 0, 1, 1, nil, nil), ada.get(t, eventsOf(ada)+all+"&ordering="+blank).is(200).at("pagination"))
		followed := ada.get(t, subscriptions+all+"&entity_type="+blank+"&subscription_type="+blank+"&uid_only="+blank).is(200)
		followed.hasFields("data.0.user", infoFields)
		ada.get(t, comments+all+"&event="+blank).invalid("event")
	}
}

func blankEverywhere(t *testing.T, s *server) {
	ada := s.staff(t)
	id := ada.publishes(t, "x")
	for _, o := range operations(t) {
		if o.method != "GET" {
			continue
		}
		path, optional := concrete(o.template, fmt.Sprint(id)), []string{}
		if path == staffPeople { // which needs one of them
			path = query(path, fmt.Sprint("uid=", ada.id))
		}
		for _, parameter := range o.Parameters {
			switch p := parameter.Value; {
			case p.In == openapi3.ParameterInQuery && p.Required:
				value, known := map[string]string{"event": fmt.Sprint(id), "uid": fmt.Sprint(ada.id), "name": "ada", "expires": "1",
					"signature": "x"}[p.Name]
				require.True(t, known, "%s needs %s: give it here", path, p.Name)
				path = query(path, p.Name+"="+value)
			case p.In == openapi3.ParameterInQuery:
				optional = append(optional, p.Name)
			}
		}
		without := ada.get(t, path)
		if !strings.Contains(o.template, "{") {
			without.is(200)
		}
		for _, name := range optional {
			with := ada.get(t, query(path, name+"=%20"))
			assert.Equal(t, without.status, with.status, "%s with a blank %s", path, name)
			assert.Equal(t, string(without.body), string(with.body), "%s with a blank %s", path, name)
		}
	}
}

// query is the path with one more parameter.
func query(path, parameter string) string {
	if strings.Contains(path, "?") {
		return path + "&" + parameter
	}
	return path + "?" + parameter
}

// pagedLists is every paged list that the person may see, of an event of theirs.
func pagedLists(p person, event int) []string {
	return []string{events, eventsOf(p), fmt.Sprintf("%s?event=%d", comments, event), subscriptions, followers}
}

// contentLists are the paged lists of content outside diaries; the back office sees
// all of them.
func contentLists(p person) []string {
	return []string{
		itemsOf("uncategory"), "/api/writing/bundle-data/get-publication-feed-items/",
		fmt.Sprintf("/api/user/user-image/?uid=%d", p.id), "/api/writing-admin/v1/imported-howto/", ownOrders, payments,
	}
}

func everyListIsPaged(t *testing.T, s *server) {
	ada := s.member(t, func(r *signin.Registration) { r.Staff = true })
	id := ada.publishes(t, "x")
	s.brings(t, "x")
	lists := append(pagedLists(ada, id), contentLists(ada)...)
	lists = append(lists, sessions, refunds, findings, newOrder, hiddenPath, blocks, importRuns, rejectsOf(1))
	for _, path := range lists {
		assert.Equal(t, 7, ada.get(t, query(path, "page=1&page_size=7")).is(200).int("pagination.page_size"), path)
		ada.get(t, query(path, "page=0&page_size=0")).invalid("page", "page_size")
	}

	doc, err := theDocument()
	require.NoError(t, err)
	described := 0
	for path, item := range doc.Paths.Map() {
		if item.Get == nil {
			continue
		}
		content := item.Get.Responses.Status(http.StatusOK).Value.Content.Get("application/json")
		isPaged := content != nil && content.Schema != nil && paginates(content.Schema.Value)
		takes := func(parameter string) bool { return item.Get.Parameters.GetByInAndName("query", parameter) != nil }
		assert.Equal(t, isPaged, takes("page"), path)
		assert.Equal(t, isPaged || takes("cursor"), takes("page_size"), path)
		if isPaged {
			described++
		}
	}
	assert.Equal(t, len(lists), described, "a paged list that is not tried here")
}

// paginates says whether the response has a pagination object, or may have one.
func paginates(schema *openapi3.Schema) bool {
	return schema.Properties["pagination"] != nil || slices.ContainsFunc(schema.AnyOf, func(one *openapi3.SchemaRef) bool {
		return paginates(one.Value)
	})
}

func oneEnvelope(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	for _, of := range []struct {
		a      answer
		fields []string
	}{
		{ada.patch(t, eventPath(id), object{"title": 5, "publish": nil}), []string{"title", "publish"}},
		{ada.get(t, events+"?page=x"), []string{"page"}},
		{ada.post(t, login, "{"), []string{"non_field_errors"}},
		{ada.post(t, login, object{"username": ada.phone, "password": "not-this-one"}), []string{"non_field_errors"}},
	} {
		of.a.invalid(of.fields...)
	}
	for _, a := range []answer{
		s.anyone().get(t, profile), s.with("x").get(t, profile), bob.patch(t, eventPath(id), object{}),
		ada.get(t, eventPath(99)), ada.get(t, "/nowhere/"), ada.get(t, "/"), ada.put(t, profile),
		ada.saying("Content-Type", "text/plain").post(t, login, "{}"), ada.post(t, login, strings.Repeat(" ", 1<<20+1)),
	} {
		a.fails(a.status, a.text("code"))
		assert.GreaterOrEqual(t, a.status, 401)
		assert.Equal(t, "application/json", a.header.Get("Content-Type"))
	}
}

func codesAndStatuses(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	wrong := object{"username": ada.phone, "password": "not-this-one"}
	for range 5 {
		ada.post(t, login, wrong).invalid("non_field_errors")
	}
	for code, a := range map[string]answer{
		"VALIDATION_EXCEPTION 400":   ada.post(t, simpleInfo, object{}),
		"NOT_AUTHENTICATED 401":      s.anyone().get(t, profile),
		"AUTHENTICATION_FAILED 401":  s.with("x").get(t, profile),
		"PERMISSION_DENIED 403":      bob.delete(t, eventPath(id)),
		"RESOURCE_NOT_FOUND 404":     ada.get(t, "/api/nothing/"),
		"METHOD_NOT_ALLOWED 405":     ada.put(t, events),
		"PAYLOAD_TOO_LARGE 413":      ada.post(t, simpleInfo, strings.Repeat(" ", 1<<20+1)),
		"UNSUPPORTED_MEDIA_TYPE 415": ada.saying("Content-Type", "text/html").post(t, simpleInfo, "{}"),
		"THROTTLED 429":              ada.post(t, login, wrong),
	} {
		assert.Equal(t, code, fmt.Sprint(a.text("code"), " ", a.status))
		headers := map[string]bool{"WWW-Authenticate": a.status == 401, "Allow": a.status == 405, "Retry-After": a.status == 429}
		for name, needed := range headers {
			assert.Equal(t, needed, a.header.Get(name) != "", "%s: %s", code, name)
		}
		if a.status == 401 {
			assert.Equal(t, "Token", a.header.Get("WWW-Authenticate"))
		}
	}
}

// breakPassword makes every login of the person a mistake of the server's.
func (s *server) breakPassword(t *testing.T, p person) {
	t.Helper()
	err := s.app.Stores.Accounts.Change(t.Context(), p.id, func(a *access.Account) error {
		a.Hash = "$broken$within$"
		return nil
	})
	require.NoError(t, err)
}

func ownMistake(t *testing.T, s *server) {
	ada := s.member(t)
	s.breakPassword(t, ada)
	a := s.anyone().saying("X-Request-ID", "find-me").post(t, login, object{"username": ada.phone, "password": password})
	a.fails(500, "SERVER_ERROR")
	assert.NotRegexp(t, `(?i)broken|hash|\$|password|\.go`, string(a.body))
	assert.Equal(t, "find-me", a.header.Get("X-Request-ID"))

	s.stop()
	assert.Regexp(t, `(?m)level=ERROR .*request_id=find-me .*hash`, s.log.String())
}

func notKept(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	answers := []answer{
		ada.get(t, profile), ada.reads(t, id), ada.get(t, commented), ada.writes(t, object{}), ada.patch(t, eventPath(id), object{}),
		ada.put(t, likePath(id)), ada.post(t, simpleInfo, object{"uid": []any{ada.id}}),
		ada.post(t, login, object{"username": ada.phone, "password": password}), ada.get(t, eventPath(99)), ada.post(t, events, "{"),
	}
	for _, path := range pagedLists(ada, id) {
		answers = append(answers, ada.get(t, path))
	}
	for _, a := range answers {
		assert.Equal(t, "private, no-store", a.header.Get("Cache-Control"), "%s", a.body)
	}
}
