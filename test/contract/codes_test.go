package contract

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/user"
	"plaza/domain/verification"
)

var codeRows = slices.Concat([]row{
	{"AUT-15 six digits are good once for ten minutes", codesAreGoodOnce, everyStore},
	{"AUT-15 a code is good for one purpose and number", otherPurposes, everyStore},
	{"AUT-15 wrong tries without a code lock no number", triesWithoutCode, everyStore},
	{"AUT-15 five wrong tries end a code also when they come at once", wrongTries, everyServer},
	{"AUT-15 what is no code and no purpose is refused by name", badCodeRequests, oneStore},
	{"AUT-15 AUT-18 USR-07 what changes the account needs a key that was not narrowed", ownCodes, oneStore},
	{"AUT-15 the sender never changes the answer", sendersThatFail, oneStore},
	{"AUT-15 numbers and codes are never logged", codesAreNotLogged, everyStore},
	{"AUT-15 AUT-16 what a server may not send or take", closedServers, oneStore},
	{"AUT-15 GEN-16 the message is in the language of the person", messageLanguages, oneStore},
}, codeLimitRows)

const codePath = "/api/auth/code/"

// newcomer is a number without an account.
func newcomer(n int) string { return fmt.Sprintf("+86-137%08d", n) }

func (c *client) asks(t *testing.T, purpose, username string) answer {
	t.Helper()
	body := object{"purpose": purpose}
	if username != "" {
		body["username"] = username
	}
	return c.post(t, codePath, body)
}

func (s *server) receives(t *testing.T, username string) verification.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m, err := s.messages.Next(ctx, numberOf(t, username))
	require.NoError(t, err)
	return m
}

// received counts the messages to the number when none is on its way any more.
func (s *server) received(t *testing.T, username string) (n int) {
	t.Helper()
	for _, app := range s.apps {
		app.Signin.Close()
	}
	for _, m := range s.messages.Messages() {
		if m.To == numberOf(t, username) {
			n++
		}
	}
	return n
}

func numberOf(t *testing.T, username string) verification.Number {
	t.Helper()
	phone, err := user.ParsePhone(username)
	require.NoError(t, err)
	return verification.NumberOf(phone)
}

// code asks for a code, when one may be sent, and returns it as it arrives.
func (c *client) code(t *testing.T, purpose, username string) string {
	t.Helper()
	c.server.clock.advance(verification.ResendAfter)
	c.asks(t, purpose, username).is(202)
	m := c.server.receives(t, username)
	require.Equal(t, purpose, string(m.Purpose))
	return m.Code.Reveal()
}

// codeToErase is code for the erasure of the person's account.
func (p person) codeToErase(t *testing.T) string {
	t.Helper()
	p.server.clock.advance(verification.ResendAfter)
	p.asks(t, "erase", "").is(202)
	return p.server.receives(t, p.phone).Code.Reveal()
}

// wrongFor is another code, a different one for each n.
func wrongFor(t *testing.T, code string, n int) string {
	t.Helper()
	right, err := strconv.Atoi(code)
	require.NoError(t, err)
	return fmt.Sprintf("%06d", (right+1+n)%1_000_000)
}

// statusesAtOnce sends n requests at once and counts the statuses.
func statusesAtOnce(n int, send func(i int) answer) map[int]int {
	var mu sync.Mutex
	statuses := map[int]int{}
	atOnce(n, func(i int) {
		status := send(i).status
		mu.Lock()
		defer mu.Unlock()
		statuses[status]++
	})
	return statuses
}

func codesAreGoodOnce(t *testing.T, s *server) {
	asked := s.anyone().asks(t, "sign_up", newcomer(1)).is(202)
	sameJSON(t, object{"data": object{"expires_in": 600, "resend_after": 65}}, asked.json())
	m := s.receives(t, newcomer(1))
	assert.Equal(t, verification.SignUp, m.Purpose)
	assert.Regexp(t, `^[0-9]{6}$`, m.Code.Reveal())
	assert.Contains(t, m.Text.Reveal(), m.Code.Reveal())
	s.anyone().signs(t, newcomer(1), " "+m.Code.Reveal()+"\n").is(201)
	s.anyone().signs(t, newcomer(1), m.Code.Reveal()).invalid("code")

	code := s.anyone().code(t, "sign_up", newcomer(2))
	s.clock.advance(10*time.Minute - time.Second)
	s.anyone().signs(t, newcomer(2), code).is(201)
	code = s.anyone().code(t, "sign_up", newcomer(3))
	s.clock.advance(10 * time.Minute)
	expired := s.anyone().signs(t, newcomer(3), code)
	expired.invalid("code")
	sameAnswer(t, expired, s.anyone().signs(t, newcomer(4), code), "one that was never sent")
}

func otherPurposes(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	toJoin := s.anyone().code(t, "sign_up", ada.phone)
	s.anyone().code(t, "sign_up", newcomer(1))
	s.anyone().signs(t, newcomer(1), toJoin).invalid("code")
	s.anyone().resets(t, ada.phone, toJoin).invalid("code")
	bob.changesPhone(t, ada.phone, toJoin).invalid("code")
	ada.leaves(t, toJoin).invalid("code")
	toReset := s.anyone().code(t, "reset_password", ada.phone)
	s.anyone().signs(t, ada.phone, toReset).invalid("code")
	ada.leaves(t, toReset).invalid("code")
	s.anyone().signs(t, ada.phone, toJoin).fails(409, "CONFLICT")
	s.anyone().resets(t, ada.phone, toReset).is(204)
}

func wrongTries(t *testing.T, s *server) {
	tries := func(username, code string) func(i int) answer {
		return func(i int) answer { return s.anyone().signs(t, username, wrongFor(t, code, i)) }
	}
	for wrong, status := range map[int]int{4: 201, 5: 400} {
		username := newcomer(wrong)
		code := s.anyone().code(t, "sign_up", username)
		for i := range wrong {
			tries(username, code)(i).invalid("code")
		}
		s.anyone().signs(t, username, code).is(status)
	}
	code := s.anyone().code(t, "sign_up", newcomer(10))
	assert.Equal(t, map[int]int{400: 10}, statusesAtOnce(10, tries(newcomer(10), code)))
	s.anyone().signs(t, newcomer(10), code).invalid("code")

	s.clock.advance(time.Hour) // of the address
	for range 4 {
		code = s.anyone().code(t, "sign_up", newcomer(50))
		assert.Equal(t, map[int]int{400: 6}, statusesAtOnce(6, tries(newcomer(50), code)))
	}
	wait := day - 4*verification.ResendAfter
	code = s.anyone().code(t, "sign_up", newcomer(50))
	assert.Equal(t, wait, s.anyone().signs(t, newcomer(50), code).throttled(), "20 a day for a number, and another code makes no more tries")
}

// triesWithoutCode tries where there is nothing to guess.
func triesWithoutCode(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	ada := s.member(t)
	toErase := ada.codeToErase(t)
	s.fromAnother(0).code(t, "sign_up", ada.phone)
	for n := range 25 {
		s.fromAnother(n).resets(t, ada.phone, "000000").invalid("code")
	}
	toReset := s.fromAnother(30).code(t, "reset_password", ada.phone)
	for n := range 25 { // five end the code, and the others have none
		s.fromAnother(n).resets(t, ada.phone, wrongFor(t, toReset, n)).invalid("code")
	}
	toReset = s.fromAnother(31).code(t, "reset_password", ada.phone)
	s.fromAnother(31).resets(t, ada.phone, toReset).is(204)
	ada.client = s.with(s.fromAnother(31).logsIn(t, ada.phone, newPassword).is(200).text("data.key"))
	ada.post(t, erasePath, object{"password": newPassword, "code": toErase}).is(204)
}

func badCodeRequests(t *testing.T, s *server) {
	for _, purpose := range []any{nil, 5, "", "login", "SIGN_UP"} {
		s.anyone().post(t, codePath, object{"username": newcomer(1), "purpose": purpose}).invalid("purpose")
	}
	s.anyone().post(t, codePath, object{"username": 5}).invalid("username", "purpose")
	for _, other := range []any{
		nil, "13700000001", "+86-013700000001", "+999-13700000001",
		// no mobile numbers there
		"+86-85298765432", "+86-447700900123", "+86-8613700000001", "+86-12700000001", "+86-1370000000", "+86-1008612345",
	} {
		s.anyone().post(t, codePath, object{"username": other, "purpose": "sign_up"}).invalid("username")
		s.anyone().post(t, codePath, object{"username": other, "purpose": "reset_password"}).invalid("username")
	}
	assert.Zero(t, s.received(t, newcomer(1)))
	code := s.anyone().code(t, "sign_up", newcomer(1))
	for _, other := range []any{nil, 123456, "12345", "1234567", "12 345", "１２３４５６", "12345\x00", []any{code}} {
		s.anyone().signs(t, newcomer(1), code, object{"code": other}).invalid("code")
		s.anyone().post(t, resetPath, object{"username": newcomer(1), "code": other, "password": password}).invalid("code")
	}
	s.anyone().signs(t, newcomer(1), code).is(201) // none of them was a try
}

// ownCodes has what routes can't tell of a code by its purpose.
func ownCodes(t *testing.T, s *server) {
	ada := s.member(t)
	for _, ask := range []func(c *client) answer{
		func(c *client) answer { return c.asks(t, "erase", "") },
		func(c *client) answer { return c.asks(t, "change_phone", newcomer(1)) },
	} {
		ask(s.anyone()).fails(401, "NOT_AUTHENTICATED")
		ask(s.with("x")).fails(401, "AUTHENTICATION_FAILED")
		ask(s.with(s.issue(t, ada, 0, ordinary...))).fails(403, "PERMISSION_DENIED")
		ask(ada.client).is(202)
	}
	assert.Equal(t, 1, s.received(t, newcomer(1)))
	ada.asks(t, "erase", newcomer(1)).throttled() // a number is not read: it is the account's own
	assert.Equal(t, 1, s.received(t, ada.phone))
}

type senderFunc func(ctx context.Context) error

func (f senderFunc) Send(ctx context.Context, _ verification.Message) error { return f(ctx) }

func sendersThatFail(t *testing.T, s *server) {
	ada := s.member(t)
	sound := s.anyone().asks(t, "reset_password", ada.phone).is(202)
	held := make(chan struct{})
	defer close(held)
	for name, send := range map[string]senderFunc{
		"blocks": func(context.Context) error {
			<-held
			return nil
		},
		"refuses": func(context.Context) error {
			return &verification.RefusedError{Reason: verification.Money, Said: "isv.AMOUNT_NOT_ENOUGH"}
		},
		"is busy": func(context.Context) error { return verification.ErrBusy },
		"breaks":  func(context.Context) error { return verification.ErrUnknownOutcome },
	} {
		other := s.on.startAs(t, func(*settings.Config) {}, bootstrap.Parts{Sender: send})
		bob := other.member(t)
		require.Equal(t, ada.phone, bob.phone)
		sameAnswer(t, sound, other.anyone().asks(t, "reset_password", bob.phone), name)
		sameAnswer(t, sound, other.anyone().asks(t, "sign_up", newcomer(1)), name)
		other.anyone().asks(t, "sign_up", newcomer(1)).throttled()
	}
}

func codesAreNotLogged(t *testing.T, s *server) {
	ada := s.joins(t, newcomer(31415926))
	codes := []string{s.anyone().code(t, "reset_password", ada.phone)}
	for i := range 6 {
		s.anyone().resets(t, ada.phone, wrongFor(t, codes[0], i)).invalid("code")
	}
	ada.asks(t, "erase", "").throttled()
	codes = append(codes, ada.code(t, "change_phone", newcomer(27182818)))
	s.anyone().post(t, signUpPath, `{"username": "`+ada.phone+`", "code": "`+codes[0]).is(400)
	s.anyone().signs(t, "13731415926", codes[0]).is(400)
	s.anyone().get(t, codePath+"?username="+ada.phone+"&code="+codes[0]).is(405)
	ada.changesPhone(t, newcomer(27182818), codes[1]).is(204)
	ada.phone = newcomer(27182818)
	codes = append(codes, ada.codeToErase(t))
	ada.leaves(t, codes[2]).is(204)

	s.stop()
	logged := s.log.String()
	require.Contains(t, logged, "msg=request")
	for _, hidden := range []string{"31415926", "27182818", password, ada.key} {
		assert.NotContains(t, logged, hidden)
	}
	for _, code := range codes {
		assert.NotRegexp(t, regexp.MustCompile(`(^|[^0-9a-f.])`+code+`([^0-9a-f.]|$)`), logged)
	}
}

func closedServers(t *testing.T, s *server) {
	mute := s.on.startWith(t, func(c *settings.Config) { c.SMS = settings.NoSender })
	ada := mute.member(t)
	for _, a := range []answer{
		mute.anyone().asks(t, "sign_up", newcomer(1)), mute.anyone().asks(t, "reset_password", ada.phone), ada.asks(t, "erase", ""),
		ada.asks(t, "change_phone", newcomer(1)),
	} {
		a.fails(503, "SERVICE_UNAVAILABLE")
	}
	mute.anyone().asks(t, "erase", "").fails(401, "NOT_AUTHENTICATED")

	closed := s.on.startWith(t, func(c *settings.Config) { c.SignUp = settings.SignUpClosed })
	ada = closed.member(t)
	closed.anyone().asks(t, "sign_up", newcomer(1)).fails(403, "PERMISSION_DENIED")
	closed.anyone().signs(t, newcomer(1), "123456").fails(403, "PERMISSION_DENIED")
	closed.anyone().resets(t, ada.phone, closed.anyone().code(t, "reset_password", ada.phone)).is(204)

	few := s.on.startWith(t, func(c *settings.Config) { c.SMSCodes = settings.DiallingCodes{"86": 0, "44": 1} })
	few.anyone().asks(t, "sign_up", newcomer(1)).is(202)
	few.anyone().asks(t, "sign_up", "+44-7400000001").is(202)
	for _, purpose := range []string{"sign_up", "reset_password"} {
		few.anyone().asks(t, purpose, "+1-2025550104").invalid("username")
		few.anyone().asks(t, purpose, "+8-5212345678").invalid("username")
	}
}

func messageLanguages(t *testing.T, s *server) {
	s = s.on.startWith(t, func(c *settings.Config) { c.SMSHost = "plaza.example" })
	for n, c := range []struct{ header, words string }{{"zh-CN,zh;q=0.9", "验证码"}, {"en", "is your code"}, {"fr", "is your code"}} {
		username := newcomer(n)
		s.anyone().saying("Accept-Language", c.header).asks(t, "sign_up", username).is(202)
		m := s.receives(t, username)
		assert.Contains(t, m.Text.Reveal(), c.words, c.header)
		assert.True(t, strings.HasSuffix(m.Text.Reveal(), "\n@plaza.example #"+m.Code.Reveal()), "for browsers: %s", m.Text.Reveal())
	}
}
