package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/catalogue"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
)

var conventionRows = slices.Concat([]row{
	{"GEN-02 datetimes are UTC and always have six digits of a fraction", datetimes, everyStore},
	{"GEN-04 a blank optional parameter of any operation counts as absent", blankEverywhere, oneStore},
	{"GEN-04 GEN-05 every paged list takes page and page_size and is not found behind its last page", everyListIsPaged, everyStore},
	{"GEN-07 a 500 says nothing of its cause and the log does", ownMistake, oneStore},
	{"GEN-16 errors are in the language that the client prefers", errorLanguages, oneStore},
	{"GEN-16 everything but the sentences is the same in every language", sameInEveryLanguage, oneStore},
}, bodyRows, addressRows)

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

func (a answer) names() []string {
	a.t.Helper()
	whole, isObject := a.json().(object)
	require.True(a.t, isObject, "%s", a.body)
	return slices.Sorted(maps.Keys(whole))
}

func datetimes(t *testing.T, s *server) {
	for _, c := range []struct {
		later time.Duration
		now   string
	}{
		{0, "2026-11-20T12:00:00.000000Z"},
		{120*time.Millisecond + 7*time.Microsecond + 999, "2026-11-20T12:00:00.120007Z"}, // never rounded up
		{12*time.Hour + 880*time.Millisecond, "2026-11-21T00:00:01.000007Z"},
	} {
		s.clock.advance(c.later)
		ada := s.member(t)
		ada.get(t, profile).is(200).shows(object{"date_joined": c.now})
		id := ada.publishes(t, "x", object{"event_time": "2024-02-29"})
		ada.comments(t, id, "Oh")
		ada.reads(t, id).shows(object{"create_time": c.now, "last_modified": c.now, "comments.0.create_time": c.now, "event_time": "2024-02-29"})
		ada.follows(t, s.member(t))
		ada.get(t, subscriptions).is(200).shows(object{"0.created_at": c.now, "0.updated_at": c.now})
	}
}

// pagination is the object that stands beside the data of a page.
func pagination(size, count, pages, current int, next, previous any) object {
	return object{"page_size": size, "total_count": count, "total_pages": pages, "current_page": current, "next": next, "previous": previous}
}

func blankEverywhere(t *testing.T, s *server) {
	ada := s.staff(t)
	id := ada.publishes(t, "x")
	for _, o := range operations(t) {
		if o.method != "GET" {
			continue
		}
		path := concrete(o.template, fmt.Sprint(id)) + "?" + o.needed(t, ada, id).Encode()
		without := ada.get(t, path)
		if !strings.Contains(o.template, "{") {
			without.is(200)
		}
		for _, parameter := range o.Parameters {
			name := parameter.Value.Name
			isBeginning := name == "cursor" && o.Parameters.GetByInAndName(openapi3.ParameterInQuery, "page") != nil // GEN-18
			if parameter.Value.In == openapi3.ParameterInQuery && !parameter.Value.Required && !isBeginning {
				with := ada.get(t, path+"&"+name+"=%20")
				assert.Equal(t, without.status, with.status, "%s with a blank %s", path, name)
				assert.Equal(t, string(without.body), string(with.body), "%s with a blank %s", path, name)
			}
		}
	}
}

// everyListIsPaged asks for the lists of what is first of its kind.
func everyListIsPaged(t *testing.T, s *server) {
	ada := s.staff(t)
	s.shelve(t, 1, "Walks")
	s.brings(t, "x")
	require.Equal(t, []int{1, 1}, []int{int(ada.id), ada.publishes(t, "x")})
	lists := 0
	for _, o := range operations(t) {
		if o.Parameters.GetByInAndName(openapi3.ParameterInQuery, "page") == nil {
			continue
		}
		lists++
		list := func(page, size string) answer {
			query := o.needed(t, ada, 1)
			query.Set("page", page)
			query.Set("page_size", size)
			return ada.get(t, concrete(o.template, "1")+"?"+query.Encode())
		}
		assert.Equal(t, 7, list("1", "7").is(200).int("pagination.page_size"), o.template)
		assert.Equal(t, 100, list("1", "101").is(200).int("pagination.page_size"), o.template)
		list("0", "0").invalid("page", "page_size")
		for _, past := range []string{"2", "9223372036854775807", "9223372036854775808"} {
			list(past, "100").fails(404, "RESOURCE_NOT_FOUND")
		}
	}
	assert.Greater(t, lists, 10)
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
	assert.NotContains(t, s.log.String(), password)
	assert.NotContains(t, s.log.String(), ada.phone[4:])
}

// noEvent is the sentence of an unknown event by its language.
var noEvent = map[string]string{"en": "Event not found.", "zh-Hans": "事件不存在。"}

func errorLanguages(t *testing.T, s *server) {
	ada := s.member(t)
	for header, language := range map[string]string{
		"en": "en", "zh-CN,zh;q=0.9,en;q=0.8": "zh-Hans", "en-GB,en;q=0.9,zh;q=0.8": "en", "fr, ZH-sg;q=0.2": "zh-Hans", "zh-HK, en;q=0.5": "en",
		"zh-Hans-TW": "zh-Hans", "en;q=0.3, zh;q=0.4": "zh-Hans", "zh;q=0, *": "en", "en;q=0, *": "zh-Hans", "": "en", "zh;q=x, en;q=0.1": "en",
		"*;q=0, zh": "zh-Hans", "zh;q=NaN": "en", strings.Repeat("x,", 300) + "zh": "en",
	} {
		a := ada.saying("Accept-Language", header).get(t, eventPath(99)).is(404)
		assert.Equal(t, language, a.header.Get("Content-Language"), header)
		assert.Equal(t, noEvent[language], a.text("data.detail"), header)
		assert.Equal(t, []string{"Accept-Language"}, a.header.Values("Vary"), header)
	}
	fine := ada.saying("Accept-Language", "zh").get(t, profile).is(200)
	assert.Empty(t, fine.header.Get("Content-Language")+fine.header.Get("Vary"), "errors alone")
}

func sameInEveryLanguage(t *testing.T, s *server) {
	ada := s.member(t)
	for _, c := range []struct {
		method, path string
		body         any
		sentence     string
	}{
		{"POST", simpleInfo, object{}, "此项必填。"},
		{"POST", events, object{"title": strings.Repeat("x", 5000), "view_permission": "7"}, "此项不能超过"},
		{"POST", subscriptions, object{"followed_category": 99}, "分类不存在。"},
		{"POST", events, "{", "请求体不是有效的 JSON。"},
		{"POST", login, object{"username": ada.phone, "password": "not-this-one"}, "登录名或密码错误。"},
		{"POST", login, object{"username": ada.phone, "password": "x", "scope": []string{"“%d”"}}, "未知的权限““%d””。"},
		{"GET", "/api/nothing/", nil, "此路径不存在"},
		{"HEAD", "/api/nothing/", nil, ""},
		{"PUT", events, nil, "不支持 PUT 方法，此路径支持 POST"},
	} {
		chinese, english := ada.saying("Accept-Language", "zh").send(t, c.method, c.path, c.body), ada.send(t, c.method, c.path, c.body)
		assert.Equal(t, english.status, chinese.status)
		assert.Contains(t, string(chinese.body), c.sentence)
		assert.NotRegexp(t, `\p{Han}`, string(english.body), "also of faults that requests share")
		assert.Equal(t, "zh-Hans", chinese.header.Get("Content-Language"))
		for _, name := range []string{"Vary", "Allow", "Content-Type", "Cache-Control"} {
			assert.Equal(t, english.header.Values(name), chinese.header.Values(name), "%s of %s", name, c.path)
		}
		if c.method != http.MethodHead {
			assert.Equal(t, english.names(), chinese.names())
			assert.Equal(t, english.at("code"), chinese.at("code"))
			assert.ElementsMatch(t, slices.Collect(maps.Keys(english.at("data").(object))), slices.Collect(maps.Keys(chinese.at("data").(object))))
		}
	}
	s.stop()
	assert.Contains(t, s.log.String(), "This path does not exist.")
	assert.NotContains(t, s.log.String(), "此路径不存在", "operators read English")
}

// written is a sentence in the body of an English error.
var written = regexp.MustCompile(`"([A-Z“][^"\\]* [^"\\]*\.)"`)

// requireTranslated asserts that every language has the sentences of the error.
func requireTranslated(t *testing.T, body []byte) {
	t.Helper()
	for _, said := range written.FindAllSubmatch(body, -1) {
		require.NotEqual(t, string(said[1]), catalogue.Translate(catalogue.Languages()[1], string(said[1])), "GEN-16")
	}
}

const (
	app      = "https://app.example"
	stranger = "https://stranger.example"

	askedHeaders = "authorization,content-type,idempotency-key,if-none-match,traceparent,x-language-locale,x-request-id"
)

// preflight asks whether a page of the origin may send the method, as a browser does.
func (s *server) preflight(t *testing.T, origin, method, path string) *http.Response {
	t.Helper()
	page := s.anyone().saying("Origin", origin).saying("Access-Control-Request-Method", method)
	page = page.saying("Access-Control-Request-Headers", askedHeaders)
	res, err := dialer.Do(page.prepares(t, http.MethodOptions, path, nil))
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res
}

// TestGEN_15 shows GEN-15 on a server that lists one origin. A store has no part in it.
func TestGEN_15(t *testing.T) {
	t.Parallel()
	on := stores[0]
	on.fresh = on.open(t)
	s := on.startWith(t, func(c *settings.Config) { c.CORSOrigins = settings.Origins{app} })
	ada := s.member(t)
	image := ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img")
	for method, path := range map[string]string{"POST": login, "PATCH": eventPath(1), "PUT": "/api/user/avatar/", "GET": profile} {
		res := s.preflight(t, app, method, path)
		assert.Equal(t, http.StatusNoContent, res.StatusCode, path)
		assert.Equal(t, app, res.Header.Get("Access-Control-Allow-Origin"), path)
		assert.NotEmpty(t, res.Header.Get("Access-Control-Max-Age"), path)
		assert.Contains(t, res.Header.Get("Access-Control-Allow-Methods"), method, path)
		for name := range strings.SplitSeq(askedHeaders, ",") {
			assert.Contains(t, strings.ToLower(res.Header.Get("Access-Control-Allow-Headers")), name, path)
		}
		assert.NotEmpty(t, res.Header.Get("X-Request-ID"), path)

		res = s.preflight(t, stranger, method, path)
		assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode, path)
		assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"), path)
	}
	for _, odd := range []string{"null", "*", app + ".", app + "/", app + ":443", app + ".evil.example", "https://evilapp.example",
		"https://evil.example#" + app, app + ", " + stranger} {
		assert.Empty(t, s.preflight(t, odd, http.MethodGet, profile).Header.Get("Access-Control-Allow-Origin"), odd)
		assert.Empty(t, ada.saying("Origin", odd).get(t, profile).header.Get("Access-Control-Allow-Origin"), odd)
	}
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), "status=405") && strings.Contains(s.log.String(), "origin="+stranger)
	},
		time.Minute, time.Millisecond, "the log names the origin that is not listed, after the answer")
	for path, status := range map[string]int{
		profile: 200, events: 200, images + "?uid=1": 200, itemsOf("uncategory"): 200, "/nothing/": 404, "/api/user/profile": 301,
		eventPath(4711): 404, image[len(s.url):]: 200,
	} {
		a := ada.saying("Origin", app).get(t, path).is(status)
		assert.Equal(t, app, a.header.Get("Access-Control-Allow-Origin"), path)
		exposed := strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
		assert.Equal(t, "x-request-id, x-order-id, retry-after, etag, location", exposed, path)
		assert.Empty(t, a.header.Get("Access-Control-Allow-Credentials"), path)
		for _, other := range []*client{ada.saying("Origin", stranger), ada.client} {
			a := other.get(t, path).is(status)
			assert.Empty(t, a.header.Get("Access-Control-Allow-Origin"), path)
			assert.Contains(t, a.header.Values("Vary"), "Origin", path)
		}
	}
	s.anyone().saying("Origin", app).get(t, profile).fails(401, "NOT_AUTHENTICATED")
	assert.Equal(t, app, s.anyone().saying("Origin", app).get(t, profile).header.Get("Access-Control-Allow-Origin"))
}
