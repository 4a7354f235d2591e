package twilio_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sms/provider"
	"plaza/adapters/sms/twilio"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
	"plaza/test/ports"
)

const key = "12345678901234567890123456789012"

var (
	account = "AC" + strings.Repeat("0a", 16)
	apiKey  = "SK" + strings.Repeat("1b", 16)
	service = "MG" + strings.Repeat("2c", 16)
)

func open(t *testing.T, s provider.Settings) verification.Sender {
	sender, err := twilio.Description.Open(s)
	require.NoError(t, err)
	return sender
}

// sixDigits matches the code that a text begins with.
var sixDigits = regexp.MustCompile(`^[0-9]{6}\b`)

// standIn behaves like Twilio.
func standIn(accept func(ports.Sent)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		body, validity := r.PostFormValue("Body"), r.PostFormValue("ValidityPeriod")
		code := sixDigits.FindString(body)
		switch {
		case r.URL.Path != "/2010-04-01/Accounts/"+account+"/Messages.json" || r.Method != http.MethodPost || r.URL.RawQuery != "":
			refuse(w, http.StatusNotFound, 20404)
		case user != account || password != key:
			refuse(w, http.StatusUnauthorized, 20003)
		case r.PostFormValue("From") != "+12025550104" || r.PostForm.Has("MessagingServiceSid"):
			refuse(w, http.StatusBadRequest, 21606)
		case validity != map[bool]string{true: "600"}[code != ""] || code == "" && r.PostForm.Has("ValidityPeriod"):
			refuse(w, http.StatusBadRequest, 21609)
		default:
			accept(ports.Sent{To: r.PostFormValue("To"), Code: code, Text: body})
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"sid":"SM1","status":"queued","error_code":null,"body":"…"}`)
		}
	})
}

func refuse(w http.ResponseWriter, status, code int) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"code":%d,"message":"…","more_info":"…","status":%d}`, code, status)
}

func TestAUT15_Twilio(t *testing.T) {
	refusals := map[string]ports.SMSAnswer{
		"a failed message": {
			Status: 201, Body: `{"sid":"SM1","status":"failed","error_code":21610}`, Is: verification.ErrRefused, Reason: verification.Blocked,
		},
		"one that failed without a code": {
			Status: 201, Body: `{"sid":"SM1","status":"failed"}`, Is: verification.ErrRefused, Reason: verification.SetUp,
		},
		"an undelivered one": {
			Status: 201, Body: `{"sid":"SM1","status":"undelivered"}`, Is: verification.ErrRefused, Reason: verification.SetUp,
		},
		"too many":             {Status: 429, Body: `{"code":20429,"message":"(to)","status":429}`, Is: verification.ErrBusy},
		"a fault with a code":  {Status: 500, Body: `{"code":20500,"message":"(to)","status":500}`, Is: verification.ErrUnknownOutcome},
		"a message without id": {Status: 201, Body: `{"status":"queued"}`, Is: verification.ErrUnknownOutcome},
	}
	for code, reason := range map[int]verification.Reason{
		21211: verification.BadNumber, 21614: verification.BadNumber, 21635: verification.BadNumber, 21610: verification.Blocked,
		21408: verification.SetUp, 21606: verification.SetUp, 21608: verification.SetUp, 20003: verification.SetUp, 12345678: verification.SetUp,
	} {
		refusals[fmt.Sprint(code)] = ports.SMSAnswer{
			Status: 400, Body: fmt.Sprintf(`{"code":%d,"message":"(to) (code)","status":400}`, code), Is: verification.ErrRefused, Reason: reason,
		}
	}
	ports.SenderUpstream(t, ports.SMS{Provider: standIn, Secrets: []string{key}, Answers: refusals,
		Open: func(t *testing.T, url string, client *http.Client) verification.Sender {
			return open(t, provider.Settings{
				Connection: upstream.Connection{URL: url, Client: client}, KeyID: account, Key: secret.New(key), From: "+12025550104",
			})
		},
	})
}

func TestAUT15_Twilio_has_keys_and_services_of_an_account(t *testing.T) {
	asked := ""
	c := upstream.Connection{Client: &http.Client{Transport: ports.Played(func(_ http.ResponseWriter, r *http.Request) {
		user, _, _ := r.BasicAuth()
		asked = strings.Join([]string{r.URL.Host, r.URL.Path, user, r.PostFormValue("MessagingServiceSid"), r.PostFormValue("From")}, " ")
	})}}
	sender := open(t, provider.Settings{Connection: c, KeyID: account + "/" + apiKey, Key: secret.New(key), From: service})
	require.Error(t, sender.Send(t.Context(), verification.Message{}))
	assert.Equal(t, "api.twilio.com /2010-04-01/Accounts/"+account+"/Messages.json "+apiKey+" "+service+" ", asked)
	for _, id := range []string{"AC1", apiKey, account + "/", account + "/../" + apiKey} {
		_, err := twilio.Description.Open(provider.Settings{KeyID: id, Key: secret.New(key), From: service})
		assert.ErrorContains(t, err, "PLAZA_SMS_KEY_ID", id)
	}
}
