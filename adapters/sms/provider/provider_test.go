package provider_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sms/aliyun"
	"plaza/adapters/sms/provider"
	"plaza/adapters/sms/tencent"
	"plaza/adapters/sms/twilio"
	"plaza/adapters/sms/webhook"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
	"plaza/test/ports"
)

const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

var remote = []provider.Description{aliyun.Description, tencent.Description, twilio.Description, webhook.Description}

// settingsOf are valid settings of every sender.
func settingsOf(d provider.Description) provider.Settings {
	from := map[string]string{"tencent": "1400006666/示例广场"}[d.Name]
	if from == "" {
		from = "+12025550104"
	}
	return provider.Settings{
		Connection: upstream.Connection{URL: "https://provider.example"},
		KeyID:      "AC" + strings.Repeat("0a", 16), Key: secret.New(key), From: from, Template: "1110:code",
	}
}

func TestSenders_say_which_settings_are_missing_or_wrong(t *testing.T) {
	for _, d := range remote {
		_, err := d.Open(settingsOf(d))
		require.NoError(t, err, d.Name)
		assert.Empty(t, d.Missing(settingsOf(d)))
		missing := d.Missing(provider.Settings{})
		for _, s := range d.Settings {
			assert.NotEmpty(t, s.Help)
			assert.Equal(t, !s.Optional, slices.Contains(missing, s), s.Name)
		}
		_, err = d.Open(provider.Settings{})
		assert.Error(t, err, "there is no default key")
		for _, address := range []string{
			"http://provider.example", "https://user:" + key + "@provider.example", "provider.example", "https://a/?b",
		} {
			s := settingsOf(d)
			s.Connection.URL = address
			_, err := d.Open(s)
			require.ErrorContains(t, err, provider.URLSetting, d.Name)
			assert.NotContains(t, err.Error(), key)
		}
		s := settingsOf(d)
		s.Key = secret.New("a key\nwith a line")
		_, err = d.Open(s)
		assert.Error(t, err, d.Name)
		assert.NotContains(t, fmt.Sprint(err), "with a line")
	}
}

func TestTemplates_have_parameters_in_their_order(t *testing.T) {
	m := verification.Message{Code: secret.New("012345"), ExpiresIn: verification.Life}
	for setting, want := range map[string][]string{
		"SMS_1": {"012345"}, "1110:code": {"012345"}, "1110:code,minutes": {"012345", "10"}, "1110:minutes,code": {"10", "012345"},
	} {
		template, err := provider.ParseTemplate(provider.Settings{Template: setting})
		require.NoError(t, err, setting)
		assert.Equal(t, want, template.Values(m))
		assert.Len(t, template.Named(m), len(want))
	}
	for _, setting := range []string{"", ":code", "SMS_1:", "SMS_1:name", "SMS_1:code,", "SMS_1:code;minutes", "SMS 1"} {
		_, err := provider.ParseTemplate(provider.Settings{Template: setting})
		assert.ErrorContains(t, err, provider.TemplateSetting, setting)
	}
}

// FuzzSMSAnswer lets a provider of each protocol answer with anything. The outcome is one of the
// port's, and an error shows neither the number nor the code nor the key.
func FuzzSMSAnswer(f *testing.F) {
	for which, answer := range []string{
		`{"Code":"OK"}`, `{"Response":{"SendStatusSet":[{"Code":"Ok"}],"Error":{"Code":"+8613800000001"}}}`,
		`{"sid":"SM1","status":"queued","code":12345,"error_code":138}`, `{"Code":"` + key + `"}`, "null", "[]", "\xff", `{"code":1e400}`,
	} {
		for _, status := range []uint16{200, 201, 204, 301, 400, 401, 404, 408, 429, 500, 503} {
			f.Add(uint8(which), status-200, answer)
		}
	}
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(f, err)
	m := verification.Message{ID: "1", To: verification.NumberOf(phone), Code: secret.New("012345"), Text: secret.New("012345")}
	f.Fuzz(func(t *testing.T, which uint8, status uint16, answer string) {
		d := remote[int(which)%len(remote)]
		s := settingsOf(d)
		s.Connection.Client = &http.Client{Transport: ports.Played(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200 + int(status)%400)
			_, _ = w.Write([]byte(answer))
		})}
		sender, err := d.Open(s)
		require.NoError(t, err)
		err = sender.Send(t.Context(), m)
		if err == nil {
			return
		}
		kinds := 0
		for _, kind := range []error{verification.ErrRefused, verification.ErrBusy, verification.ErrUnknownOutcome} {
			if errors.Is(err, kind) {
				kinds++
			}
		}
		require.Equal(t, 1, kinds, "%v", err)
		for _, private := range []string{"13800000001", "012345", key} {
			require.NotContains(t, err.Error(), private)
		}
	})
}

func TestErrors_show_codes_of_providers_and_nothing_that_may_be_secret(t *testing.T) {
	for _, code := range []string{"4", "29", "402", "20003", "isv.BUSINESS_LIMIT_CONTROL"} {
		assert.ErrorContains(t, provider.Refused(verification.SetUp, code), code)
	}
	for _, secret := range []string{"012345", "13800000001", key, ""} {
		assert.ErrorContains(t, provider.Refused(verification.SetUp, secret), "unknown code")
	}
}
