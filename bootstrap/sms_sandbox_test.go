package bootstrap

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/prometheus"
	"plaza/adapters/sms/sandbox"
	"plaza/bootstrap/settings"
	"plaza/test/telephones"
)

func TestAUT15_messages_are_shown_at_the_address_of_the_sandbox_alone(t *testing.T) {
	c := serveSettings(demoDir(t))
	c.SMS = "sandbox"
	for i, hasWallet := range []bool{false, true} {
		wallet := map[bool]string{false: "none", true: "sandbox"}[hasWallet]
		c.Wallet = wallet
		s := startServing(t, Server{Config: c})
		found := regexp.MustCompile(`msg="serving an SMS sandbox" url=(\S+/)sms/`).FindStringSubmatch(s.log.String())
		require.NotNil(t, found, s.log)
		assert.Contains(t, s.get(found[1]+"sms/"), "No messages so far.")
		s.joins(found[1]+"sms/messages.json", fmt.Sprintf("1390000000%d", i))
		for _, elsewhere := range []string{s.url, s.admin} {
			for _, path := range []string{"/sms/", "/sms/messages.json"} {
				status, _ := s.asks("GET", elsewhere+path, "", "")
				assert.Equal(t, http.StatusNotFound, status, elsewhere+path)
			}
		}
		status, page := s.asks("GET", found[1], "", "")
		assert.Equal(t, hasWallet, status == http.StatusOK)
		assert.Equal(t, hasWallet, strings.Contains(page, `href="/sms/"`))
		s.stop()
	}
}

// joins makes an account with the code that the list of messages has.
func (s *serving) joins(messages, number string) {
	s.Helper()
	require.Equal(s, "[]", s.get(messages))
	status, body := s.post("/api/auth/code/", "", `{"username": "+86-`+number+`", "purpose": "sign_up"}`)
	require.Equal(s, http.StatusAccepted, status, body)
	var list []struct{ Code string }
	require.Eventually(s, func() bool {
		return json.Unmarshal([]byte(s.get(messages+"?to=%2B86"+number)), &list) == nil && len(list) == 1
	}, time.Minute, 10*time.Millisecond)
	status, body = s.post("/api/auth/sign-up/", "", `{"username": "+86-`+number+`", "code": "`+list[0].Code+`",
		"password": "a-walk-around-the-lake", "firstname": "Ada", "lastname": "Li"}`)
	require.Equal(s, http.StatusCreated, status, body)
	const counted = `plaza_verification_messages_total{outcome="accepted",reason=""} 1`
	require.Eventually(s, func() bool { return strings.Contains(s.metrics(), counted) }, time.Minute, 10*time.Millisecond)
}

func TestAUT16_the_reference_page_offers_to_join(t *testing.T) {
	sender := telephones.New(sandbox.New(time.Now))
	for _, offer := range []struct {
		parts   Parts
		signUp  string
		mayJoin bool
	}{{Parts{Sender: sender}, "open", true}, {Parts{Sender: sender}, "closed", false}, {Parts{}, "open", false}} {
		got, err := newHTTPConfig(settings.Config{SMSConfig: settings.SMSConfig{SignUp: offer.signUp}}, offer.parts, nil, prometheus.New())
		require.NoError(t, err)
		assert.Equal(t, offer.mayJoin, got.Reference.MayJoin, "%v", offer)
	}
	c := settings.Config{SMSConfig: settings.SMSConfig{SMS: settings.SandboxSender, SMSURL: "http://box/sms/"}}
	for _, offersDemo := range []bool{false, true} {
		got, err := newHTTPConfig(c, Parts{OffersDemo: offersDemo}, nil, prometheus.New())
		require.NoError(t, err)
		assert.Equal(t, offersDemo, got.Reference.Messages != "", "the page of the codes is for the demo alone")
	}
}
