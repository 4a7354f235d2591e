package contract

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// staffPageRows show the pages for staff. What the stores must do for them is shown by the tests of the interface.
var staffPageRows = []row{
	{"OFF-02 staff log in, see each page, and log out", staffPagesSeen, everyStore},
	{"OFF-02 the pages are for staff alone", staffPagesAreForStaff, oneStore},
	{"OFF-02 a failed login counts as everywhere, and keeps the number", staffLoginFails, oneStore},
	{"OFF-02 a session ends with the password, the account, the rights and the time", staffSessionsEnd, oneStore},
	{"OFF-02 a form that was sent when the session had ended comes back after the login, and does nothing", staffFormKept, everyStore},
	{"OFF-02 a form needs the token of its session, and comes from the same origin", staffFormsForged, oneStore},
	{"OFF-02 staff disable an account with a reason, enable it, and change its rights", staffPagesChangeAccounts, everyStore},
	{"OFF-02 what is wrong about an act is said in the page, which keeps what was entered", staffPagesActsWrong, oneStore},
	{"OFF-02 staff hide what was reported, restore it, and dismiss a report", staffPagesReports, everyStore},
	{"OFF-02 what is wrong about a report's form is said in the page, which keeps the reason", staffPagesReportsWrong, oneStore},
	{"OFF-06 the pages speak English and Chinese, as errors do", staffPagesChinese, oneStore},
	{"OFF-06 names stand apart from what is written around them", staffPagesNames, oneStore},
	{"OFF-02 requests without a session are limited by address", staffPagesLimited, oneStore},
	{"OFF-02 nothing is loaded from elsewhere, and the cookie is for the pages alone", staffPagesAreStrict, oneStore},
}

var staffPageSales = []sale{
	{"OFF-02 staff find the payment that came in twice, and refund it once", staffRefund, oneStore},
	{"OFF-02 a wrong refund is said in the page, which keeps what was entered", staffRefundWrong, oneStore},
}

const staffRoot = "/back-office/"

// staffPages are all pages without a number in their paths, each with a text of its own.
var staffPages = map[string]string{
	"": "What waits", "money/": "Nothing here.", "money/?list=disputed": "Nothing here.", "money/?list=refunds": "Nothing here.",
	"money/?list=open": "Nothing here.", "people/": "Find people", "imports/": "Nothing was imported so far.",
	"imports/how-tos/": "No how-tos were imported.", "reports/": "No report is open.",
	"reports/?state=decided": "No report was decided so far.", "audit/": "Nothing is recorded.", "audit/?about=1": "Nothing is recorded.",
}

// browser is a browser that shows the pages for staff.
type browser struct {
	*testing.T
	s      *server
	client http.Client
	token  string // of the forms of the last page
	status int
	body   string
	header http.Header
}

func (s *server) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{T: t, s: s, client: http.Client{Jar: jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

var formTokenValue = regexp.MustCompile(`name="token" value="([^"]+)"`)

func (b *browser) asks(method, path string, form url.Values, headers ...string) *browser {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.s.url+path, strings.NewReader(form.Encode()))
	require.NoError(b, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.client.Do(req)
	require.NoError(b, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(b, err)
	b.status, b.body, b.header = res.StatusCode, string(body), res.Header
	if token := formTokenValue.FindStringSubmatch(b.body); token != nil {
		b.token = token[1]
	}
	return b
}

func (b *browser) opens(path string) *browser {
	b.Helper()
	return b.asks("GET", staffRoot+path, nil)
}

func (b *browser) sends(path string, fields ...string) *browser {
	b.Helper()
	form := url.Values{"token": {b.token}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.asks("POST", staffRoot+path, form)
}

// ofNames is what keeps the direction of names.
var ofNames = strings.NewReplacer("<bdi>", "", "</bdi>", "", "\u2068", "", "\u2069", "")

// shows asserts the status, and that the page has the texts. Names in bdi count as if they were not.
func (b *browser) shows(status int, texts ...string) *browser {
	b.Helper()
	require.Equal(b, status, b.status, "%s", b.body)
	for _, text := range texts {
		assert.Contains(b, ofNames.Replace(html.UnescapeString(b.body)), text)
	}
	return b
}

// leads asserts a redirect to the path, and opens it.
func (b *browser) leads(path string) *browser {
	b.Helper()
	require.Equal(b, http.StatusSeeOther, b.status, "%s", b.body)
	at := b.header.Get("Location")
	assert.Equal(b, staffRoot+path, at)
	return b.asks("GET", at, nil)
}

// logsIn opens the page, and logs in on the way.
func (b *browser) logsIn(p person) *browser {
	b.Helper()
	b.opens("login/").shows(200)
	return b.sends("login/", "username", p.phone, "password", password)
}

var nextPage = regexp.MustCompile(`rel="next" href="/back-office/[^"?]*([^"]+)"`)

// next returns the query of the page behind this one.
func (b *browser) next() string {
	b.Helper()
	next := nextPage.FindStringSubmatch(b.body)
	require.NotNil(b, next)
	return html.UnescapeString(next[1])
}

func staffPagesSeen(t *testing.T, s *server) {
	staff, b := s.staff(t), s.browser(t)
	for path := range staffPages {
		b.opens(path).leads("login/?next="+url.QueryEscape(staffRoot+path)).shows(200, "Log in")
	}
	link := s.browser(t).asks("GET", staffRoot+"login/?next="+staffRoot+"money/", nil, "Sec-Fetch-Site", "cross-site").shows(200)
	assert.Equal(t, "0; url=/back-office/money/", link.header.Get("Refresh"), "a link on another site comes without the cookie")
	assert.Empty(t, link.header["Set-Cookie"], "which stays")
	b.sends("login/", "username", staff.phone, "password", password, "next", staffRoot+"money/?list=open").leads("money/?list=open").shows(200,
		"Open orders")
	for path, text := range staffPages {
		b.opens(path).shows(200, text, fmt.Sprintf(`<a href="/back-office/people/%d/">Ada Berg (%[1]d)</a>`, staff.id), "Log out",
			`aria-current="page"`)
	}
	for path, text := range map[string]string{
		"nowhere/": "There is no such page.", "money/order/7/": "Order not found.", "people/7777/": "Account not found.",
		"people/1/forget/": "There is no such page.", "imports/7/": "Import not found.", "imports/7/?format=csv": "Import not found.",
		"money/search/?q=7": "No order, no payment and no person has this number or name.",
	} {
		b.opens(path).shows(404, text, "Log out", `aria-label="Sections"`)
	}
	assert.Regexp(t, fmt.Sprintf(`audit .*by=account user=%d client=127.0.0.1 act="GET /back-office/money/order/\{id\}/" id=7 code=RESOURCE_NOT_FOUND`, staff.id), s.log.String())
	root, err := url.Parse(s.url + staffRoot)
	require.NoError(t, err)
	session := b.client.Jar.Cookies(root)[0].String()
	b.sends("logout/").leads("login/").shows(200)
	b.asks("GET", staffRoot+"money/", nil, "Cookie", session).shows(303)
}

func staffPagesAreForStaff(t *testing.T, s *server) {
	ada := s.member(t)
	b := s.browser(t).logsIn(ada).shows(403, "This account does not work in the back office.", ada.phone)
	for _, key := range []string{ada.key, s.issue(t, s.staff(t), 0, "xfile_event")} {
		for path := range staffPages {
			b.asks("GET", staffRoot+path, nil, "Cookie", "plaza_back_office="+key).shows(403, "This account does not work in the back office.")
		}
	}
	for _, key := range []string{"", "plz_unknown", "x"} {
		b.asks("GET", staffRoot+"money/", nil, "Cookie", "plaza_back_office="+key).shows(303)
	}
}

func staffLoginFails(t *testing.T, s *server) {
	staff, b := s.staff(t), s.browser(t)
	b.opens("login/")
	for range 5 {
		b.sends("login/", "username", staff.phone, "password", "not-this-one").shows(400, "Unable to log in with provided credentials.",
			staff.phone)
		assert.NotContains(t, b.body, "not-this-one")
	}
	b.sends("login/", "username", staff.phone, "password", password).shows(429, "Too many failed logins.")
	s.anyone().logsIn(t, staff.phone, password).fails(429, "THROTTLED")
	b.sends("login/", "username", "7", "password", password).shows(400, "Enter a phone number in the form", `aria-invalid="true"`)
}

func staffSessionsEnd(t *testing.T, s *server) {
	staff, ctx := s.staff(t), t.Context()
	b := s.atWork(t, staff)
	s.clock.advance(59 * time.Minute)
	b.opens("money/").shows(200)
	s.clock.advance(time.Hour)
	b.opens("money/").shows(303)

	b = s.atWork(t, staff)
	require.NoError(t, s.app.Signin.SetRoles(ctx, staff.id))
	b.opens("money/").shows(403)
	require.NoError(t, s.app.Signin.SetRoles(ctx, staff.id, access.Admin))
	b.opens("money/").shows(200)
	require.NoError(t, s.app.Signin.SetDisabled(ctx, staff.id, true))
	b.opens("money/").shows(303)
	require.NoError(t, s.app.Signin.SetDisabled(ctx, staff.id, false))
	b.opens("money/").shows(200)
	require.NoError(t, s.app.Signin.SetPassword(ctx, staff.id, secret.New(password)))
	b.opens("money/").shows(303)
}

func staffFormKept(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	at := fmt.Sprintf("people/%d/", ada.id)
	b := s.atWork(t, staff)
	b.opens(at + "rights/")
	require.NoError(t, s.app.Signin.EndSessions(t.Context(), staff.id))
	const typed = "Sells \"pills\" <again>"
	ended := b.token
	b.sends(at+"rights/", "reason", typed, "scopes", "xfile_event").shows(401, "Your session had ended", typed)
	assert.NotContains(t, b.body, ended, "it opens nothing")
	b.sends("login/", append(b.hidden(), "username", staff.phone, "password", "not-this-one")...).shows(400, "Unable to log in", typed)
	b.sends("login/", append(b.hidden(), "username", staff.phone, "password", password)...).
		shows(200, "Change the rights of this account?", "Nothing was changed: check it", ` value="`+typed+`" required`, `value="xfile_event" checked`, "Log out")
	assert.NotContains(t, b.body, `value="writing_bundle" checked`)
	ada.get(t, profile).is(200).shows(object{"scopes": ordinary})
	b.sends(at+"rights/", "reason", typed, "scopes", "xfile_event").leads(at+"?done=rights").shows(200, "The rights were changed.")
	require.NoError(t, s.app.Signin.EndSessions(t.Context(), staff.id))
	b.sends("reports/", "report", "0", "act", "hide", "reason", typed).shows(401, "Your session had ended")
	b.sends("login/", append(b.hidden(), "username", staff.phone, "password", password)...).
		shows(200, typed, `<form action="/back-office/reports/">`, `href="/back-office/reports/?format=csv"`) // not those of the login
	b.opens("login/")
	b.sends("login/", "username", staff.phone, "password", password, "next", staffRoot+"logout/", "typed.reason", typed)
	assert.NotContains(t, []int{301, 303, 307, 308}, b.status)
	b.opens("money/").shows(200)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

func (b *browser) hidden() (fields []string) {
	for _, field := range hiddenField.FindAllStringSubmatch(b.body, -1) {
		fields = append(fields, html.UnescapeString(field[1]), html.UnescapeString(field[2]))
	}
	return fields
}

func staffFormsForged(t *testing.T, s *server) {
	staff, b, other := s.staff(t), s.browser(t), s.browser(t)
	b.sends("login/", "username", staff.phone, "password", password).shows(403, "Nothing was changed.")
	b.logsIn(staff).leads("").shows(200)
	other.logsIn(staff).leads("")
	for _, token := range []string{"", "x", other.token} {
		for _, path := range []string{"logout/", "money/payment/7/"} {
			b.asks("POST", staffRoot+path, url.Values{"token": {token}}).shows(403, "Nothing was changed.")
		}
	}
	own := url.Values{"token": {b.token}}
	b.asks("POST", staffRoot+"logout/", own, "Sec-Fetch-Site", "same-site").shows(403)
	b.asks("POST", staffRoot+"logout/", own, "Origin", "https://elsewhere.example").shows(403)
	b.asks("POST", staffRoot+"logout/", url.Values{"token": own["token"], "much": {strings.Repeat("x", 1<<17)}}).shows(403)
	b.asks("GET", staffRoot+"logout/", nil).shows(404)
	b.opens("money/").shows(200)
	b.asks("POST", staffRoot+"logout/", own, "Sec-Fetch-Site", "same-origin", "Origin", s.url).leads("login/")
}

func staffPagesChinese(t *testing.T, s *server) {
	b, ada := s.browser(t), s.member(t)
	chinese := []string{"Accept-Language", "en;q=0.5, zh-CN"}
	b.asks("GET", staffRoot+"login/", nil, chinese...).shows(200, `<html lang="zh-Hans">`, "手机号")
	form := url.Values{"token": {b.token}, "username": {"7"}, "password": {password}}
	b.asks("POST", staffRoot+"login/", form, chinese...).shows(400, "请按“+国家/地区代码-手机号”的格式输入")
	b.logsIn(s.staff(t))
	words := regexp.MustCompile(`[A-Za-z]{2,}`)
	apart := regexp.MustCompile(`(?s)<(code|bdi|kbd)>.*?</\w+>|<[^>]*>|Plaza|uid|Europe/Stockholm|Enter|CSV|plaza import|pseudo`)
	for path := range staffPages {
		b.asks("GET", staffRoot+path, nil, chinese...).shows(200, "退出登录")
		_, body, _ := strings.Cut(b.body, "<body>")
		assert.Empty(t, words.FindAllString(apart.ReplaceAllString(body, ""), -1), path)
		assert.Equal(t, "zh-Hans", b.header.Get("Content-Language"))
		assert.Contains(t, b.header.Values("Vary"), "Accept-Language")
		for _, other := range []string{"", "zh-TW", "fr"} {
			b.asks("GET", staffRoot+path, nil, "Accept-Language", other).shows(200, `<html lang="en">`, staffPages[path])
		}
	}
	for path, says := range map[string]string{
		"people/?q=x": "请至少输入 1 个汉字", "people/7777/": "账号不存在。", "nowhere/": "没有这个页面。", "money/search/?q=7": "没有订单、支付或用户使用此号码或姓名。",
	} {
		assert.Contains(t, b.asks("GET", staffRoot+path, nil, chinese...).body, says)
	}
	moderator := s.browser(t).logsIn(s.staff(t, access.Moderator))
	moderator.asks("GET", staffRoot+"money/", nil, chinese...).shows(403, "此操作需要角色 出纳/客服。")
	at := fmt.Sprintf("%speople/%d/disable/", staffRoot, ada.id)
	b.asks("GET", at, nil, chinese...).shows(200, "停用此账号？")
	form = url.Values{"token": {b.token}, "reason": {" "}}
	b.asks("POST", at, form, chinese...).shows(400, "请更正：", "此项不能为空。")
}

func staffPagesNames(t *testing.T, s *server) {
	const isolated = "<bdi>أمل الزيتوني</bdi>"
	amal, b := s.called(t, "أمل", "الزيتوني"), s.atWork(t, s.staff(t))
	at := fmt.Sprintf("people/%d/", amal.id)
	b.opens(at + "disable/")
	b.sends(at+"disable/", "reason", "x").leads(at + "?done=disable")
	for _, path := range []string{at, at + "enable/", "audit/"} {
		b.opens(path)
		assert.Contains(t, b.body, isolated, path)
	}
}

func staffPagesLimited(t *testing.T, s *server) {
	s = s.on.limitedTo(t, 3)
	staff := s.staff(t)
	from := []string{"X-Forwarded-For", "192.0.2.3", "Cookie", "plaza_back_office=plz_unknown"}
	b := s.browser(t)
	for range 3 {
		b.asks("GET", staffRoot+"money/", nil, from...).shows(303)
	}
	for _, path := range []string{"", "login/", "second-factor/"} {
		b.asks("GET", staffRoot+path, nil, from...).shows(429, "Too many requests")
		assert.NotEmpty(t, b.header.Get("Retry-After"), path)
	}
	from[3] = "plaza_back_office=" + s.issue(t, staff, 0, "back_office")
	b.asks("GET", staffRoot+"money/", nil, from...).shows(200)
	b = s.browser(t)
	for range 3 {
		b.asks("GET", staffRoot+"login/", nil, "X-Forwarded-For", "192.0.2.4").shows(200)
	}
	form := url.Values{"token": {b.token}, "username": {staff.phone}, "password": {password}}
	b.asks("POST", staffRoot+"login/", form, "X-Forwarded-For", "192.0.2.4").shows(429)
}

func staffPagesAreStrict(t *testing.T, s *server) {
	staff, b := s.staff(t), s.browser(t)
	b.opens("login/").shows(200)
	assert.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self' "+s.url+"; script-src 'self'; form-action 'self'; "+
		"frame-ancestors 'none'; base-uri 'none'",
		b.header.Get("Content-Security-Policy"))
	assert.Equal(t, "no-store", b.header.Get("Cache-Control"))
	b.logsIn(staff)
	cookie := b.header.Get("Set-Cookie")
	assert.Regexp(t, `^plaza_back_office=plz_[^;]+; Path=/back-office/; HttpOnly; SameSite=Strict$`, cookie, "until the browser ends")
	b.asks("GET", staffRoot+"login/", nil, "X-Forwarded-Proto", "https")
	assert.Contains(t, b.header.Get("Set-Cookie"), "; Secure")
	b.opens("files/backoffice.css").shows(200)
	b.opens("files/none").shows(404)
	b.asks("GET", "/back-office", nil)
	assert.Equal(t, staffRoot, b.header.Get("Location"))
}
