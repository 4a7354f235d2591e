package tencent

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sms/provider"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
	"plaza/test/ports"
)

const key = "Gu5t9xGARNpq86cd98joQYCN3EXAMPLE"

func settings() provider.Settings {
	return provider.Settings{KeyID: "AKIDEXAMPLE", Key: secret.New(key), From: "1400006666/示例<广场>", Template: "1110:code,minutes",
		Notice: "1111"}
}

// TestAUT15_Tencent_signature has Tencent's published example, and one of SendSms.
func TestAUT15_Tencent_signature(t *testing.T) {
	published := call{service: "cvm", host: "cvm.tencentcloudapi.com", action: "DescribeInstances", at: time.Unix(1551113065, 0),
		body: []byte(`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`)}
	assert.Equal(t, "7019a55be8395899b900fb5564e4200d984910f34794a27cb3fb7d10ff6a1e84", hash([]byte(published.canonicalRequest())))
	asterisks := secret.New(string(slices.Repeat([]byte("*"), 32)))
	assert.Equal(t, "TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host;x-tc-action, "+
		"Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f", published.authorization("AKIDEXAMPLE", asterisks))
	own := call{service: "sms", host: "sms.tencentcloudapi.com", action: "SendSms", at: time.Unix(1767323045, 0), body: []byte(
		`{"PhoneNumberSet":["+8613800000001"],"SmsSdkAppId":"1400006666","SignName":"示例广场",` +
			`"TemplateId":"1110","TemplateParamSet":["012345","10"]}`)}
	assert.Contains(t, own.authorization("AKIDEXAMPLE", secret.New(key)),
		"Signature=6ce98e8f53f62ebf230d8237aeefa21726fd2cf88f9d7ffa8f10393ba282ff99")
}

// standIn accepts what is signed for the request that came in.
func standIn(accept func(ports.Sent)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		seconds, err := strconv.ParseInt(r.Header.Get("X-TC-Timestamp"), 10, 64)
		c := call{service: "sms", host: r.Host, action: r.Header.Get("X-TC-Action"), at: time.Unix(seconds, 0), body: raw}
		var asked body
		isRead := json.Unmarshal(raw, &asked) == nil && len(asked.PhoneNumberSet) == 1 && asked.TemplateParamSet != nil
		params := append(slices.Clone(asked.TemplateParamSet), "", "")
		switch {
		case r.Header.Get("Authorization") != c.authorization("AKIDEXAMPLE", secret.New(key)) || r.Header.Get("Content-Type") != contentType:
			_, _ = io.WriteString(w, ofCall("AuthFailure.SignatureFailure"))
		case err != nil || time.Since(c.at).Abs() > 5*time.Minute:
			_, _ = io.WriteString(w, ofCall("AuthFailure.SignatureExpire"))
		case c.action != "SendSms" || r.Header.Get("X-TC-Version") != "2021-01-11" || r.Header.Get("X-TC-Region") != "ap-guangzhou":
			_, _ = io.WriteString(w, ofCall("InvalidAction"))
		case !isRead || asked.SmsSdkAppId+asked.SignName != "1400006666示例<广场>" ||
			len(asked.TemplateParamSet) != map[string]int{"1110": 2}[asked.TemplateId] ||
			params[1] != map[string]string{"1110": "10"}[asked.TemplateId]:
			_, _ = io.WriteString(w, ofNumber("FailedOperation.TemplateIncorrectOrUnapproved"))
		default:
			accept(ports.Sent{To: asked.PhoneNumberSet[0], Code: params[0]})
			_, _ = io.WriteString(w, ofNumber("Ok"))
		}
	})
}

func ofCall(code string) string {
	return `{"Response":{"Error":{"Code":"` + code + `","Message":"(to) (code)"},"RequestId":"1"}}`
}

func ofNumber(code string) string {
	return `{"Response":{"SendStatusSet":[{"PhoneNumber":"(to)","Fee":1,"Code":"` + code + `","Message":"(code)"}],"RequestId":"1"}}`
}

func TestAUT15_Tencent(t *testing.T) {
	refusals := map[string]ports.SMSAnswer{
		"no number":        {Status: 200, Body: `{"Response":{"SendStatusSet":[]}}`, Is: verification.ErrUnknownOutcome},
		"a number as code": {Status: 200, Body: ofNumber("(to)"), Is: verification.ErrRefused, Reason: verification.SetUp},
	}
	for reason, codes := range map[verification.Reason][]string{
		verification.BadNumber: {"InvalidParameterValue.IncorrectPhoneNumber", "FailedOperation.PhoneNumberInBlacklist"},
		verification.Money:     {"FailedOperation.InsufficientBalanceInSmsPackage", "UnauthorizedOperation.ServiceSuspendDueToArrears"},
		verification.SetUp: {
			"FailedOperation.SignatureIncorrectOrUnapproved", "FailedOperation.TemplateIncorrectOrUnapproved", "AuthFailure.SecretIdNotFound",
			"FailedOperation.TemplateParamSetNotMatchApprovedTemplate", "UnsupportedOperation.ChineseMainlandTemplateToGlobalPhone", "OK",
		},
		"limited": {
			"LimitExceeded.PhoneNumberThirtySecondLimit", "LimitExceeded.PhoneNumberOneHourLimit", "LimitExceeded.PhoneNumberDailyLimit",
			"LimitExceeded.AppDailyLimit", "RequestLimitExceeded", "RequestLimitExceeded.UinLimitExceeded",
		},
		"transient": {"InternalError", "InternalError.Timeout"},
	} {
		is := map[verification.Reason]error{"limited": verification.ErrBusy, "transient": verification.ErrUnknownOutcome}[reason]
		if is == nil {
			is = verification.ErrRefused
		}
		for _, code := range codes {
			refusals[code] = ports.SMSAnswer{Status: 200, Body: ofNumber(code), Is: is, Reason: reason}
			refusals[code+" of the call"] = ports.SMSAnswer{Status: 200, Body: ofCall(code), Is: is, Reason: reason}
		}
	}
	ports.SenderUpstream(t, ports.SMS{Provider: standIn, Secrets: []string{key}, Answers: refusals,
		Open: func(t *testing.T, url string, client *http.Client) verification.Sender {
			s := settings()
			s.Connection = upstream.Connection{URL: url, Client: client}
			sender, err := Description.Open(s)
			require.NoError(t, err)
			return sender
		},
	})
}

func TestAUT15_Tencent_region_is_that_of_the_address(t *testing.T) {
	for address, want := range map[string]string{URL: "ap-guangzhou", "https://sms.ap-singapore.tencentcloudapi.com": "ap-singapore"} {
		asked := ""
		s := settings()
		client := &http.Client{Transport: ports.Played(func(_ http.ResponseWriter, r *http.Request) { asked = r.Header.Get("X-TC-Region") })}
		s.Connection = upstream.Connection{URL: address, Client: client}
		sender, err := Description.Open(s)
		require.NoError(t, err)
		require.ErrorIs(t, sender.Send(t.Context(), verification.Message{}), verification.ErrUnknownOutcome)
		assert.Equal(t, want, asked)
	}
	s := settings()
	s.From = "示例广场"
	_, err := Description.Open(s)
	assert.ErrorContains(t, err, "PLAZA_SMS_FROM")
}
