package contract

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/bootstrap/settings"
	"plaza/domain/ratelimit"
	"plaza/domain/verification"
)

// throttleRows show AUT-11 wherever the failures are counted, and that processes count together; and the limits of GEN-14 that a
// process counts for itself.
var throttleRows = []row{
	{"AUT-11 five failures from an address close it to the username", fiveFailures, everyServer},
	{"AUT-11 unknown usernames count alike", unknownCountAlike, oneStore},
	{"AUT-11 X-Forwarded-For of a stranger is not believed and warned of", strangersForward, oneStore},
	{"AUT-11 three hundred failures from one address do not stop a username that logged in from it", sharedAddress, everyStore},
	{"AUT-05 a key counts in its header alone", keysElsewhere, oneStore},
	{"AUT-11 no header makes another address", spoofedAddresses, oneStore},
	{"GEN-07 a method is not overridden", overriddenMethods, oneStore},
	{"GEN-09 the host and the path that a header names count for nothing", otherHosts, oneStore},
	{"GEN-14 requests of an address without a token are limited", addressIsLimited, oneStore},
	{"GEN-14 AUT-15 AUT-16 AUT-17 codes, joining and resets of an address are limited", joiningIsLimited, oneStore},
	{"GEN-14 an invalid token does not avoid the limit of the address", invalidTokensCount, oneStore},
	{"GEN-14 a valid token is not limited by address", validTokensAreFree, oneStore},
	{"GEN-14 the wallet and pictures and preflights are never limited", neverLimited, oneStore},
	{"GEN-14 behind a proxy that is not trusted addresses are not limited", forgottenProxy, oneStore},
	{"GEN-14 limits that are off", limitsOff, oneStore},
	{"GEN-14 a reader begins few languages within an hour", languagesAreLimited, oneStore},
}

// behindProxy is a server that believes its proxy, from where the tests talk: no balancer is between.
func (on store) behindProxy(t *testing.T) *server {
	on.balance = nil
	t.Helper()
	return on.startWith(t, trustTests)
}

// trustTests makes the address of the tests, and others, those of trusted proxies.
func trustTests(c *settings.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
}

// from is a client at the address.
func (s *server) from(address string) *client { return s.anyone().saying("X-Forwarded-For", address) }

// throttled asserts a 429 and returns how long to wait.
func (a answer) throttled() time.Duration {
	a.t.Helper()
	wait := a.fails(429, "THROTTLED").retryAfter()
	assert.Positive(a.t, wait)
	return wait
}

func (c *client) failsTimes(t *testing.T, n int, phone string) {
	t.Helper()
	for range n {
		c.wrongly(t, phone).invalid("non_field_errors")
	}
}

func fiveFailures(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	for range 5 {
		s.anyone().wrongly(t, ada.phone).invalid("non_field_errors")
		s.clock.advance(time.Minute)
	}
	for range 3 { // the right password too, and it does not make it longer
		assert.Equal(t, 10*time.Minute, s.anyone().logsIn(t, ada.phone, password).throttled())
	}
	s.anyone().gets(t, bob)
	ada.get(t, profile).is(200)
	s.clock.advance(10*time.Minute - time.Second)
	assert.Equal(t, time.Second, s.anyone().wrongly(t, ada.phone).throttled())
	s.clock.advance(time.Second)
	s.anyone().failsTimes(t, 1, ada.phone)
	assert.Equal(t, time.Minute, s.anyone().wrongly(t, ada.phone).throttled(), "the window slides")
	s.clock.advance(time.Minute)
	s.anyone().gets(t, ada)
}

func unknownCountAlike(t *testing.T, s *server) {
	ada := s.member(t)
	const nobody = "+86-13999999999"
	s.anyone().failsTimes(t, 5, ada.phone)
	s.anyone().failsTimes(t, 5, nobody)
	known, unknown := s.anyone().wrongly(t, ada.phone), s.anyone().wrongly(t, nobody)
	assert.Equal(t, known.throttled(), unknown.throttled())
	assert.JSONEq(t, string(known.body), string(unknown.body))
}

func strangersForward(t *testing.T, s *server) {
	s = s.direct(t)
	ada := s.member(t)
	for i := range 5 {
		s.from(fmt.Sprintf("192.0.2.%d", i)).failsTimes(t, 1, ada.phone)
	}
	s.from("192.0.2.99").logsIn(t, ada.phone, password).throttled()
	s.anyone().logsIn(t, ada.phone, password).throttled()
	s.stop()
	assert.Equal(t, len(s.apps), strings.Count(s.log.String(), `level=WARN msg="ignoring X-Forwarded-For`), "each process once")

	trusting := s.on.behindProxy(t)
	trusting.from("192.0.2.1").wrongly(t, ada.phone)
	trusting.stop()
	assert.NotContains(t, trusting.log.String(), "ignoring X-Forwarded-For")
}

func sharedAddress(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	ada, bob := s.member(t), s.member(t)
	s.from("192.0.2.1").gets(t, ada)
	s.clock.advance(29 * day)
	for i := range 75 {
		s.from("192.0.2.1").failsTimes(t, 4, fmt.Sprintf("+86-138%08d", i))
	}
	s.from("192.0.2.1").logsIn(t, bob.phone, password).throttled()
	s.from("192.0.2.1").gets(t, ada)
	s.from("192.0.2.1").failsTimes(t, 5, ada.phone)
	assert.Equal(t, 15*time.Minute, s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled(), "her own failures")

	s.clock.advance(31 * day) // it is no usual place any more
	for i := range 75 {
		s.from("192.0.2.1").failsTimes(t, 4, fmt.Sprintf("+86-138%08d", i))
	}
	s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled()
	s.from("192.0.2.2").gets(t, ada)
}

func keysElsewhere(t *testing.T, s *server) {
	ada := s.member(t)
	for _, name := range []string{"token", "key", "access_token", "api_key", "Authorization", "HTTP_AUTHORIZATION"} {
		s.anyone().get(t, profile+"?"+name+"=Token%20"+ada.key).fails(401, "NOT_AUTHENTICATED")
		s.anyone().saying("Cookie", name+"="+ada.key+"; sessionid="+ada.key).get(t, profile).fails(401, "NOT_AUTHENTICATED")
		s.anyone().post(t, events, object{name: ada.key, "title": "x"}).fails(401, "NOT_AUTHENTICATED")
	}
	for _, name := range []string{"X-Auth-Token", "X-Api-Key", "Proxy-Authorization", "X-Authorization", "X-User-ID",
		"X-Remote-User", "Remote-User", "X-Forwarded-User"} {
		for _, value := range []string{ada.key, "Token " + ada.key, fmt.Sprint(ada.id)} {
			s.anyone().saying(name, value).get(t, profile).fails(401, "NOT_AUTHENTICATED")
		}
	}
	// of several the first counts
	for _, first := range []string{"Authorization: Token x", "Authorization: Basic x", "Authorization:", "authorization: token"} {
		s.dial(t).say(request("GET", profile, []string{first, "Authorization: Token " + ada.key}, "")).answer("GET").is(401)
	}
}

func spoofedAddresses(t *testing.T, s *server) {
	names := []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP", "Client-IP", "Via"}
	ada := s.member(t)
	s.anyone().failsTimes(t, 5, ada.phone)
	trusting := s.on.behindProxy(t) // the proxy's header counts, and no other
	trusting.member(t)
	trusting.from("192.0.2.1").failsTimes(t, 5, ada.phone)
	for i, name := range names {
		for _, value := range []string{"198.51.100.%d", "for=192.0.2.%d", "127.0.0.1, 192.0.2.%d", "127.0.0.%d", "::%d"} {
			s.anyone().saying(name, fmt.Sprintf(value, i+9)).logsIn(t, ada.phone, password).throttled()
			if name != "X-Forwarded-For" {
				trusting.from("192.0.2.1").saying(name, fmt.Sprintf(value, i+9)).logsIn(t, ada.phone, password).throttled()
			}
		}
	}
	for _, said := range []string{"198.51.100.7, 192.0.2.1", "198.51.100.7,192.0.2.1, 10.9.9.9", " 192.0.2.1 ", "::ffff:192.0.2.1"} {
		trusting.from(said).logsIn(t, ada.phone, password).throttled()
	}
	raw := request("POST", login, []string{"X-Forwarded-For: 198.51.100.8", "X-Forwarded-For: 192.0.2.1", jsonType}, fmt.Sprintf(`{"username": %q, "password": %q}`, ada.phone, password))
	trusting.dial(t).say(raw).answer("POST").throttled() // the header that the proxy added comes last
	trusting.from("192.0.2.1, 203.0.113.1").gets(t, ada)
}

func overriddenMethods(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-Method"} {
		c := ada.saying(name, "DELETE")
		c.get(t, eventPath(id)+"?_method=DELETE&method=DELETE").is(200)
		c.post(t, eventPath(id), object{"title": "y", "_method": "DELETE"}).fails(405, "METHOD_NOT_ALLOWED")
		c.sendsTo(t, "POST", eventPath(id), form{texts: [][2]string{{"_method", "DELETE"}}}).fails(405, "METHOD_NOT_ALLOWED")
	}
	ada.reads(t, id).shows(object{"title": "x"})
}

func otherHosts(t *testing.T, s *server) {
	ada := s.member(t)
	ada.keeps(t)
	const evil = "evil.example"
	for _, path := range []string{
		profile, imagesOf(ada), "/api/user/profile", "/nowhere/", reference, events + "?page=0", "http://" + evil + profile,
	} {
		for _, more := range []string{
			"X-Forwarded-Host: " + evil, "Forwarded: host=" + evil + ";proto=https", "X-Host: " + evil, "X-Forwarded-Server: " + evil,
			"X-Forwarded-Prefix: //" + evil, "Referer: https://" + evil + "/", "Origin: https://" + evil, "X-Original-URL: //" + evil + "/",
		} {
			raw := request("GET", path, []string{"Authorization: Token " + ada.key, more, "X-Forwarded-Proto: https", "X-Forwarded-Port: 1"}, "")
			a := s.dial(t).say(strings.Replace(raw, "Host: plaza.example", "Host: "+evil, 1)).answer("GET")
			assert.Less(t, a.status, 500)
			assert.NotContains(t, fmt.Sprint(a.header, string(a.body)), evil, "%s %v", path, more)
		}
	}
	for _, name := range []string{"X-Original-URL", "X-Rewrite-URL", "X-Original-URI", "X-Forwarded-URI", "X-Override-URL"} {
		ada.saying(name, profile).get(t, "/nowhere/").is(404)
		s.anyone().saying(name, reference).get(t, profile).is(401)
	}
}

// limitedTo is behindProxy with the limit on requests of an address.
func (on store) limitedTo(t *testing.T, most int64, change ...func(*settings.Config)) *server {
	t.Helper()
	return on.startWith(t, func(c *settings.Config) {
		trustTests(c)
		c.LimitAddress = ratelimit.Limit{Count: most, Period: time.Minute}
		for _, f := range change {
			f(c)
		}
	})
}

// opened is an operation that takes any caller, without a trailing slash that is redirected.
const opened = "/api/feed/categories/"

func addressIsLimited(t *testing.T, s *server) {
	s = s.on.limitedTo(t, 10)
	ada := s.member(t)
	home := s.from("192.0.2.1")
	for range 2 {
		home.get(t, "/api/nowhere/").is(404)
		home.delete(t, opened).is(405)
		home.get(t, opened).is(200)
		home.get(t, profile).is(401)
		home.logsIn(t, ada.phone, password).is(200)
	}
	for _, path := range []string{opened, profile, itemsOf("uncategory"), images + "?uid=1", reference, "/api/nowhere/"} {
		assert.Equal(t, 6*time.Second, home.get(t, path).throttled(), path)
		assert.Equal(t, 429, home.send(t, "HEAD", path, nil).status, path)
	}
	assert.Equal(t, 6*time.Second, home.logsIn(t, s.member(t).phone, password).throttled())
	home.logsIn(t, "no phone", password).throttled()
	home.gets(t, ada) // AUT-11: she has logged in here before
	home.post(t, simpleInfo, object{"uid": []any{ada.id}}).throttled()
	s.from("192.0.2.2").get(t, opened).is(200)
	s.from("2001:db8:1:2::1").get(t, opened).is(200)

	s.clock.advance(6 * time.Second)
	home.get(t, opened).is(200)
	home.get(t, opened).throttled()
}

func joiningIsLimited(t *testing.T, s *server) {
	s = s.on.limitedTo(t, 3)
	ada := s.member(t)
	for address, ask := range map[string]func(c *client, n int) answer{
		"192.0.2.1": func(c *client, n int) answer { return c.asks(t, "sign_up", newcomer(n)) },
		"192.0.2.2": func(c *client, n int) answer { return c.asks(t, "reset_password", newcomer(100+n)) },
		"192.0.2.3": func(c *client, n int) answer { return c.signs(t, newcomer(n), "000000") },
		"192.0.2.4": func(c *client, n int) answer { return c.resets(t, newcomer(n), "000000") },
	} {
		c := s.from(address)
		for n := range 3 {
			assert.NotEqual(t, 429, ask(c, n).status, address)
		}
		for range 2 {
			assert.Equal(t, 20*time.Second, ask(c, 4).throttled(), address)
			c.key = ada.key // a valid token is not read here
		}
		c.asks(t, "change_phone", newcomer(1000)).is(202)
		s.clock.advance(verification.ResendAfter)
	}
}

func invalidTokensCount(t *testing.T, s *server) {
	s = s.on.limitedTo(t, 3)
	ada := s.member(t)
	ended := s.issue(t, ada, 0)
	s.with(ended).post(t, logout, nil).is(204)
	for address, key := range map[string]string{"192.0.2.1": "x", "192.0.2.2": "a b", "192.0.2.3": ended} {
		home := s.from(address)
		home.key = key
		for range 3 {
			home.get(t, opened).fails(401, "AUTHENTICATION_FAILED")
		}
		home.get(t, opened).throttled()
		home.get(t, profile).throttled()
		s.from(address).get(t, opened).throttled()
	}
}

func validTokensAreFree(t *testing.T, s *server) {
	s = s.on.limitedTo(t, 1)
	ada := s.member(t)
	s.from("192.0.2.1").get(t, opened).is(200)
	s.from("192.0.2.1").get(t, opened).throttled()
	member := s.from("192.0.2.1")
	member.key = ada.key
	for range 5 {
		member.get(t, opened).is(200)
		member.get(t, profile).is(200)
		member.get(t, "/api/pay-admin/v1/payment/").is(403)
		member.post(t, events, object{"title": ""}).is(201)
	}
	s.from("192.0.2.2").get(t, opened).is(200)
	home := s.from("192.0.2.2")
	home.key = ada.key
	home.get(t, opened).is(200)
	s.from("192.0.2.2").get(t, opened).throttled()
}

func neverLimited(t *testing.T, s *server) {
	s = s.on.limitedTo(t, 1, func(c *settings.Config) { c.CORSOrigins = settings.Origins{app} })
	ada := s.member(t)
	image := ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img")
	home := s.anyone()
	home.get(t, opened).is(200)
	home.get(t, opened).throttled()
	for range 4 {
		home.get(t, image[len(s.url):]).is(200)
		home.get(t, "/media/portrait/1-md.png").is(200)
		home.get(t, "/media/private/none.jpg").is(404)
		home.post(t, notify, "<xml></xml>").is(503)
		assert.Equal(t, http.StatusNoContent, s.preflight(t, app, http.MethodGet, opened).StatusCode)
	}
	refused := home.saying("Origin", app).get(t, opened)
	refused.throttled()
	assert.Equal(t, app, refused.header.Get("Access-Control-Allow-Origin"))
}

func forgottenProxy(t *testing.T, s *server) {
	s = s.on.startWith(t, func(c *settings.Config) { c.LimitAddress = ratelimit.Limit{Count: 1, Period: time.Minute} })
	for range 5 {
		s.from("192.0.2.1").get(t, opened).is(200)
	}
	assert.Contains(t, s.log.String(), "PLAZA_TRUSTED_PROXIES")
	s.anyone().get(t, opened).is(200)
	s.anyone().get(t, opened).throttled()
}

func limitsOff(t *testing.T, s *server) {
	for _, off := range []func(c *settings.Config){
		func(c *settings.Config) { c.Limits = "off" }, func(c *settings.Config) { c.LimitAddress = ratelimit.Off },
	} {
		s := s.on.limitedTo(t, 1, off)
		for range 5 {
			s.from("192.0.2.1").get(t, opened).is(200)
		}
	}
}

func languagesAreLimited(t *testing.T, s *server) {
	s = s.on.startWith(t, func(c *settings.Config) {
		trustTests(c)
		c.Translator, c.LimitLanguages = "pseudo", ratelimit.Limit{Count: 2, Period: time.Hour}
	})
	ada, bob := s.member(t), s.member(t)
	s.languages(t, ada, "sv")
	translates := func(p person, language string) bool { return p.reading(t, language).translated()[0] }
	for _, language := range []string{"en", "fr", "en-GB", "fr_CA"} {
		assert.True(t, translates(ada, language), language)
	}
	assert.False(t, translates(ada, "de"), "a third language comes untranslated")
	assert.True(t, translates(bob, "de"), "another reader's languages are others")
	assert.True(t, translates(ada, "de"), "it is in the cache now")
	assert.False(t, translates(ada, "it"))
	s.clock.advance(30 * time.Minute)
	assert.True(t, translates(ada, "it"))
	assert.False(t, translates(ada, "pt"))
	opens := func(address, language string) bool {
		return s.from(address).saying("x-language-locale", language).get(t, cardOf("publication", 1)).is(200).has("data.localized")
	}
	assert.Equal(t, []bool{true, true, false}, []bool{opens("192.0.2.1", "pl"), opens("192.0.2.1", "cs"), opens("192.0.2.1", "hu")})
	assert.True(t, opens("192.0.2.2", "hu"), "those of another address, also without an account")
}
