package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// joiner is a person who uses a code while the server is killed: to sign up, or to reset a former password.
type joiner struct {
	caller
	phone, code string
	former      string // empty: the person signs up
	status      int    // of the use of the code; zero: it was not answered
}

const joinersPassword = "a-teapot-and-a-kettle"

// from sends requests as a proxy does for a client with an address of its own.
type from struct{ address string }

func (f from) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", f.address)
	return http.DefaultTransport.RoundTrip(r)
}

func TestAUT16_a_server_that_is_killed_while_people_join_and_reset_leaves_whole_accounts(t *testing.T) {
	for _, store := range []string{"SQLite", "Postgres"} {
		t.Run(store, func(t *testing.T) {
			if testing.Short() && store == "Postgres" {
				t.Skip("make test-all runs this")
			}
			s := openCheckout(t, store)
			s.settings = append(s.settings, "--sms=sandbox", "--trusted-proxies=127.0.0.1")
			s.opens(t)
			f := flow{steps: writesAccounts.MatchString, attempt: joins}
			if s.databaseProxy == nil {
				f.moments = 10 * time.Millisecond
			}
			s.killAtEachStep(t, f)
			for _, r := range s.servers {
				r.assertSilentOn(t, "level=ERROR", "panic")
			}
			out, errOut, status := run(t, nil, append([]string{"check"}, s.store...)...)
			require.Zero(t, status, "%s%s", out, errOut)
		})
	}
}

var writesAccounts = regexp.MustCompile(`(INSERT INTO|UPDATE|DELETE FROM) (users|codes|tokens)\b`)

// joins has one person sign up and another reset a password. A code must be spent together with what it allows, or neither.
func joins(t *testing.T, s *checkout, n int) attempt {
	var joiners []*joiner
	for i := range 2 {
		joiners = append(joiners, newJoiner(t, s.now, 2*n+i, i == 0, s.store))
	}
	return attempt{
		begin: func(context.Context) {
			for _, j := range joiners {
				j.status = j.use()
			}
		},
		finish: func() {
			for _, j := range joiners {
				j.url = s.now.url
				j.verify(t)
			}
		},
	}
}

// newJoiner returns a person who has a code. One with a former password has an account.
func newJoiner(t *testing.T, r *running, serial int, hasAccount bool, stored []string) *joiner {
	t.Helper()
	address := fmt.Sprintf("198.51.%d.%d", serial/200, serial%200)
	j := &joiner{phone: fmt.Sprintf("+86-138%04d0000", serial), caller: caller{r.url,
		&http.Client{Timeout: patience, Transport: from{address}}}}
	purpose := "sign_up"
	if hasAccount {
		purpose, j.former = "reset_password", "scones-and-marmalade"
		_, errOut, status := run(t, nil,
			append([]string{"user", "create", "--username=" + j.phone, "--password=" + j.former, "--firstname=Ann", "--lastname=Lee"}, stored...)...)
		require.Zero(t, status, errOut)
	}
	status, raw, err := j.send("", http.MethodPost, "/api/auth/code/", map[string]string{"username": j.phone, "purpose": purpose})
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, status, string(raw))
	j.code = r.codeSentTo(t, j.phone)
	return j
}

var messagesPage = regexp.MustCompile(`msg="serving an SMS sandbox" url=(\S+)`)

// codeSentTo returns the code that the sandbox has for the number.
func (r *running) codeSentTo(t *testing.T, phone string) (code string) {
	t.Helper()
	page := messagesPage.FindStringSubmatch(r.log.String())
	require.NotEmpty(t, page, r.log)
	list := page[1] + "messages.json?to=" + url.QueryEscape("+"+regexp.MustCompile(`\D`).ReplaceAllString(phone, ""))
	require.Eventually(t, func() bool {
		res, err := http.Get(list)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		var messages []struct{ Code string }
		if json.NewDecoder(res.Body).Decode(&messages) != nil || len(messages) == 0 {
			return false
		}
		code = messages[0].Code
		return true
	}, patience, 5*time.Millisecond)
	return code
}

// use uses the code and returns the status, or zero without an answer.
func (j *joiner) use() int {
	path, body := "/api/auth/reset-password/", map[string]string{"username": j.phone, "code": j.code, "password": joinersPassword}
	if j.former == "" {
		path, body["firstname"], body["lastname"] = "/api/auth/sign-up/", "Ann", "Lee"
	}
	status, _, err := j.send("", http.MethodPost, path, body)
	if err != nil {
		return 0
	}
	return status
}

// logsIn reports whether the password is the account's.
func (j *joiner) logsIn(t *testing.T, password string) bool {
	t.Helper()
	status, raw, err := j.send("", http.MethodPost, "/api/auth/login/", map[string]string{"username": j.phone, "password": password})
	require.NoError(t, err)
	require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, status, string(raw))
	return status == http.StatusOK
}

// verify asserts that the code was spent with its change, or that both are still to be had.
func (j *joiner) verify(t *testing.T) {
	t.Helper()
	isDone := j.logsIn(t, joinersPassword)
	if j.status != 0 {
		assert.True(t, isDone, "%s was answered with %d", j.phone, j.status)
	}
	again := j.use()
	switch {
	case isDone:
		assert.Equal(t, http.StatusBadRequest, again, "%s: the code is spent", j.phone)
	case j.former != "":
		assert.Equal(t, http.StatusNoContent, again, "%s: the code is good, as nothing has changed", j.phone)
	default:
		assert.Equal(t, http.StatusCreated, again, "%s: the code is good, as there is no account", j.phone)
	}
	assert.True(t, j.logsIn(t, joinersPassword))
}
