package webhook

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sms/provider"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
	"plaza/test/ports"
)

const (
	key    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	former = "whsec_Zm9ybWVyLWZvcm1lci1mb3JtZXItZm9ybWVy"
)

// twoSignatures is the header of a message that two secrets have signed.
var twoSignatures = regexp.MustCompile(`^v1,[A-Za-z0-9+/=]{44} v1,[A-Za-z0-9+/=]{44}$`)

// standIn is a gateway that knows the former secret alone, and accepts what is signed with it.
func standIn(accept func(ports.Sent)) http.Handler {
	verifier, err := standardwebhooks.NewWebhook(former)
	if err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var got map[string]any
		err := json.Unmarshal(raw, &got)
		switch {
		case verifier.Verify(raw, r.Header) != nil || !strings.HasPrefix(r.Header.Get("webhook-id"), "message-1"):
			w.WriteHeader(http.StatusUnauthorized)
		case !twoSignatures.MatchString(r.Header.Get("webhook-signature")):
			w.WriteHeader(http.StatusUnauthorized)
		case err != nil || r.URL.Path != "/" || !(len(got) == 5 && got["purpose"] == "sign_up" && got["expires_in"] == 600.0 ||
			len(got) == 3 && got["purpose"] == "phone_changed"):
			w.WriteHeader(http.StatusBadRequest)
		default:
			code, _ := got["code"].(string)
			accept(ports.Sent{To: got["to"].(string), Code: code, Text: got["text"].(string)})
			w.WriteHeader(http.StatusNoContent)
		}
	})
}

func openWith(c upstream.Connection, keys string) (verification.Sender, error) {
	return Description.Open(provider.Settings{Connection: c, Key: secret.New(keys)})
}

func TestAUT15_Webhook(t *testing.T) {
	ports.SenderUpstream(t, ports.SMS{
		Provider: standIn, StatusAlone: true, Secrets: []string{strings.TrimPrefix(key, "whsec_"), strings.TrimPrefix(former, "whsec_")},
		Open: func(t *testing.T, url string, client *http.Client) verification.Sender {
			sender, err := openWith(upstream.Connection{URL: url, Client: client}, key+" "+former)
			require.NoError(t, err)
			return sender
		},
		Answers: map[string]ports.SMSAnswer{
			"gone":        {Status: 410, Is: verification.ErrRefused, Reason: verification.SetUp},
			"a bad one":   {Status: 400, Body: `{"code":"OK"} (to)`, Is: verification.ErrRefused, Reason: verification.SetUp},
			"not allowed": {Status: 401, Is: verification.ErrRefused, Reason: verification.SetUp},
			"moved":       {Status: 301, Is: verification.ErrRefused, Reason: verification.SetUp},
			"too late":    {Status: 504, Is: verification.ErrUnknownOutcome},
		},
	})
}

// TestAUT15_Webhook_signature has the example of the specification.
func TestAUT15_Webhook_signature(t *testing.T) {
	signers, err := signersOf(secret.New(key))
	require.NoError(t, err)
	signature, err := signers[0].Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	require.NoError(t, err)
	assert.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", signature)
}

func TestAUT15_Webhook_is_sent_to_the_address_as_it_is(t *testing.T) {
	for _, address := range []string{"https://gateway.example/sms", "https://gateway.example/sms/", "https://gateway.example/"} {
		asked := ""
		client := &http.Client{Transport: ports.Played(func(_ http.ResponseWriter, r *http.Request) { asked = r.URL.String() })}
		sender, err := openWith(upstream.Connection{URL: address, Client: client}, key)
		require.NoError(t, err)
		require.NoError(t, sender.Send(t.Context(), verification.Message{}))
		assert.Equal(t, address, asked)
	}
	for _, keys := range []string{" ", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_c2hvcnQ=", "whsec_!", key + " whsec_x"} {
		_, err := openWith(upstream.Connection{URL: "https://gateway.example"}, keys)
		require.ErrorContains(t, err, "PLAZA_SMS_KEY", keys)
		assert.NotContains(t, err.Error(), "LaLaSw")
	}
}
