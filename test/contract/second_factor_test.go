package contract

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/access"
)

// factorRows show the second factor of staff, on servers that require it. Other tests run with it switched off.
var factorRows = []row{
	{"OFF-04 staff enrol at the first login, log in with a code, and each code is good once", factorEnrolled, everyStore},
	{"OFF-04 a recovery code works once, and is audited", factorRecovered, everyStore},
	{"OFF-04 of two logins with one code one gets the rights", factorAtOnce, everyServer},
	{"OFF-04 without a code a key has no rights in the back office, and the error says why", factorMissing, oneStore},
	{"OFF-04 wrong codes count as failed logins, and a login without one forgets none", factorThrottled, everyStore},
	{"OFF-04 a reset ends the keys, and the next login enrols anew", factorReset, everyStore},
	{"OFF-04 one form of enrolment is confirmed once, by its own session", factorEnrolledOnce, oneStore},
}

func TestOFF04_second_factor(t *testing.T) {
	showAll(t, factorRows, func(on store, t *testing.T) *server {
		return on.startWith(t, func(c *settings.Config) { c.SecondFactor = settings.SecondFactorRequired })
	})
}

type authenticator struct {
	secret   string
	recovery []string
}

func (a authenticator) code(t *testing.T, s *server, ahead time.Duration) string {
	t.Helper()
	code, err := totp.GenerateCode(a.secret, s.clock.Now().Add(ahead))
	require.NoError(t, err)
	return code
}

var (
	shownSecret  = regexp.MustCompile(`<code>([A-Z2-7]{32})</code>`)
	shownCodes   = regexp.MustCompile(`<code>((?:[A-Z2-7]{4}-){3}[A-Z2-7]{4})</code>`)
	sealedSecret = regexp.MustCompile(`name="sealed" value="([^"]+)"`)
)

// enrols logs in at the page for the first time, and confirms what it shows.
func (b *browser) enrols(p person) (a authenticator) {
	b.Helper()
	b.logsIn(p).leads("").leads("second-factor/?next=%2Fback-office%2F").shows(200, "Set up a second factor", `class="qr"`)
	a.secret = shownSecret.FindStringSubmatch(b.body)[1]
	sealed := html.UnescapeString(sealedSecret.FindStringSubmatch(b.body)[1])
	b.sends("second-factor/", "sealed", sealed, "otp", "000000x", "next", staffRoot).shows(400, "The code is wrong or was used.", a.secret)
	b.sends("second-factor/", "sealed", sealed, "otp", a.code(b.T, b.s, 0), "next", staffRoot).shows(200, "Keep these recovery codes")
	for _, code := range shownCodes.FindAllStringSubmatch(b.body, -1) {
		a.recovery = append(a.recovery, code[1])
	}
	require.Len(b, a.recovery, 8)
	b.opens("").shows(200, "What waits")
	return a
}

func (c *client) proves(t *testing.T, p person, otp string, scopes ...string) answer {
	t.Helper()
	body := object{"username": p.phone, "password": password, "otp": otp}
	if scopes != nil {
		body["scope"] = scopes
	}
	return c.post(t, login, body)
}

func factorEnrolled(t *testing.T, s *server) {
	staff := s.staff(t)
	a := s.browser(t).enrols(staff)
	for _, used := range []time.Duration{0, -30 * time.Second, time.Minute} {
		s.anyone().proves(t, staff, a.code(t, s, used)).invalid("otp")
	}
	s.clock.advance(5 * time.Minute)
	for _, ahead := range []time.Duration{-30 * time.Second, 0, 30 * time.Second} {
		key := s.anyone().proves(t, staff, a.code(t, s, ahead)).is(200).text("data.key")
		s.with(key).get(t, overview).is(200)
		s.anyone().proves(t, staff, a.code(t, s, ahead)).invalid("otp")
	}
	s.clock.advance(5 * time.Minute)
	b := s.browser(t).logsIn(staff).shows(400, "Send a code of your second factor, or a recovery code.", `value="`+staff.phone+`"`)
	b.sends("login/", "username", staff.phone, "password", password, "otp", a.code(t, s, 0)).leads("").shows(200, "What waits")
	b.opens("audit/").shows(200, "set up a second factor")
	assert.NotContains(t, s.log.String(), a.secret)
}

func factorRecovered(t *testing.T, s *server) {
	staff := s.staff(t)
	a := s.browser(t).enrols(staff)
	key := s.anyone().proves(t, staff, strings.ToLower(a.recovery[2]), "back_office").is(200).text("data.key")
	assert.Equal(t, []string{"recovery_code_used", "second_factor_enrolled"}, s.with(key).get(t, acts).is(200).column("data", "act"))
	s.anyone().proves(t, staff, a.recovery[2], "back_office").invalid("otp")
	s.anyone().proves(t, staff, a.recovery[7]).is(200)
	assert.Len(t, s.with(key).get(t, acts).is(200).list("data"), 3, "what failed is not recorded")
	for _, code := range a.recovery {
		assert.NotContains(t, s.log.String(), code)
	}
}

func factorAtOnce(t *testing.T, s *server) {
	staff := s.staff(t)
	a := s.browser(t).enrols(staff)
	s.clock.advance(5 * time.Minute)
	for _, code := range []string{a.code(t, s, 0), a.recovery[0]} {
		statuses := statusesAtOnce(4, func(int) answer { return s.anyone().proves(t, staff, code, "back_office") })
		assert.Equal(t, []int{1, 3}, []int{statuses[200], statuses[400] + statuses[429]}, "429: these are failed logins")
	}
}

func factorMissing(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	staff.get(t, overview).is(200) // the command line has issued its key
	s.anyone().logsIn(t, staff.phone, password, "back_office").invalid("otp")
	s.anyone().proves(t, staff, "123456").invalid("otp")
	a := s.browser(t).enrols(staff)
	said := s.anyone().logsIn(t, staff.phone, password, "back_office").invalid("otp").list("data.otp")
	assert.Equal(t, []any{"Send a code of your second factor, or a recovery code."}, said)
	plain := s.with(s.anyone().gets(t, staff))
	plain.get(t, profile).is(200)
	assert.Equal(t, "This needs a token whose login had a second factor: send otp.",
		plain.get(t, overview).fails(403, "PERMISSION_DENIED").text("data.detail"))
	assert.NotContains(t, plain.get(t, sessions).is(200).list("data.0.scopes"), "back_office")
	s.anyone().proves(t, ada, a.code(t, s, 0)).is(200) // not of staff: it is not read
	s.anyone().proves(t, ada, "", "back_office").invalid("scope")
	require.NoError(t, s.app.Signin.SetRoles(t.Context(), ada.id, access.Moderator))
	s.with(s.anyone().gets(t, ada)).get(t, overview).fails(403, "PERMISSION_DENIED")
}

func factorThrottled(t *testing.T, s *server) {
	staff := s.staff(t)
	a := s.browser(t).enrols(staff)
	s.clock.advance(time.Hour)
	for range 5 {
		s.anyone().proves(t, staff, "000000", "back_office").invalid("otp")
		s.anyone().logsIn(t, staff.phone, password, "back_office")
		s.anyone().logsIn(t, staff.phone, password)
	}
	s.anyone().proves(t, staff, a.code(t, s, 0)).throttled()
	s.anyone().logsIn(t, staff.phone, password).throttled()
	s.clock.advance(16 * time.Minute)
	s.anyone().proves(t, staff, a.code(t, s, 0)).is(200)
	s.anyone().proves(t, staff, a.code(t, s, time.Minute)).invalid("otp")
}

func factorReset(t *testing.T, s *server) {
	staff, other := s.staff(t), s.staff(t)
	b := s.browser(t)
	before := b.enrols(staff)
	s.clock.advance(5 * time.Minute)
	key := s.anyone().proves(t, staff, before.code(t, s, 0)).is(200).text("data.key")
	require.NoError(t, s.app.Signin.ResetSecondFactor(t.Context(), staff.id))
	s.with(key).get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	b.opens("").leads("login/?next=%2Fback-office%2F").shows(200)
	other.get(t, overview).is(200)
	s.anyone().proves(t, staff, before.code(t, s, 30*time.Second)).invalid("otp")
	after := s.browser(t).enrols(staff)
	assert.NotEqual(t, before.secret, after.secret)
	s.clock.advance(5 * time.Minute)
	s.anyone().proves(t, staff, before.code(t, s, 0)).invalid("otp")
	s.anyone().proves(t, staff, before.recovery[0]).invalid("otp")
	s.anyone().proves(t, staff, after.code(t, s, 0), "back_office").is(200)
}

func factorEnrolledOnce(t *testing.T, s *server) {
	staff, other := s.staff(t), s.staff(t)
	first, second := s.browser(t), s.browser(t)
	at := "second-factor/?" + url.Values{"next": {staffRoot}}.Encode()
	first.logsIn(staff).leads("").leads(at).shows(200)
	sealed := html.UnescapeString(sealedSecret.FindStringSubmatch(first.body)[1])
	a := authenticator{secret: shownSecret.FindStringSubmatch(first.body)[1]}
	second.logsIn(other).leads("").leads(at).shows(200)
	second.sends("second-factor/", "sealed", sealed, "otp", a.code(t, s, 0)).shows(400, "The code is wrong or was used.")
	assert.NotContains(t, second.body, a.secret, "that of another account")
	second = s.browser(t)
	second.logsIn(staff).leads("").leads(at).shows(200)
	first.sends("second-factor/", "sealed", sealed, "otp", a.code(t, s, 0)).shows(200, "Keep these recovery codes")
	second.sends("second-factor/", "sealed", sealed, "otp", a.code(t, s, 30*time.Second)).leads("login/").shows(200)
	second.opens("").leads("login/?" + url.Values{"next": {staffRoot}}.Encode()).shows(200)
	s.browser(t).opens("second-factor/").leads("login/")
	first.opens("second-factor/").leads("login/")
}
