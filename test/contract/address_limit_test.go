package contract

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/bootstrap/settings"
	"plaza/domain/ratelimit"
	"plaza/domain/verification"
)

// addressLimitRows show the limits of GEN-14 that a process counts for itself: requests of an
// address without a valid token, and languages of a reader. No store has a part in them.
var addressLimitRows = []row{
	{"GEN-14 requests of an address without a token are limited", addressIsLimited, oneStore},
	{"GEN-14 AUT-15 AUT-16 AUT-17 codes, joining and resets of an address are limited", joiningIsLimited, oneStore},
	{"GEN-14 an invalid token does not avoid the limit of the address", invalidTokensCount, oneStore},
	{"GEN-14 a valid token is not limited by address", validTokensAreFree, oneStore},
	{"GEN-14 the wallet and pictures and preflights are never limited", neverLimited, oneStore},
	{"GEN-14 behind a proxy that is not trusted addresses are not limited", forgottenProxy, oneStore},
	{"GEN-14 limits that are off", limitsOff, oneStore},
	{"GEN-14 a reader begins few languages within an hour", languagesAreLimited, oneStore},
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
	s = s.on.limitedTo(t, 1, func(c *settings.Config) { c.Limits = "off" })
	for range 5 {
		s.from("192.0.2.1").get(t, opened).is(200)
	}
	s = s.on.limitedTo(t, 1, func(c *settings.Config) { c.LimitAddress = ratelimit.Off })
	for range 5 {
		s.from("192.0.2.1").get(t, opened).is(200)
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
