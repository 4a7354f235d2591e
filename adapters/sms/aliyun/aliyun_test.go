package aliyun

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
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

const key = "YourAccessKeySecret"

func settings() provider.Settings {
	return provider.Settings{KeyID: "YourAccessKeyId", Key: secret.New(key), From: "示例广场 (Plaza)*'!~", Template: "SMS_1:code,minutes",
		Notice: "SMS_2"}
}

// TestAUT15_Alibaba_signature has Alibaba's published example, and one of SendSms.
func TestAUT15_Alibaba_signature(t *testing.T) {
	for want, c := range map[string]call{
		"06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0": {
			host: "ecs.cn-shanghai.aliyuncs.com", action: "RunInstances", version: "2014-05-26", date: "2023-10-26T10:22:32Z",
			nonce: "3156853299f313e23d1673dc12e1703d",
			query: canonical(url.Values{"ImageId": {"win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd"}, "RegionId": {"cn-shanghai"}}),
		},
		"365a78044e0e5bac5cb92fe2615dc239881b33a44d71f84ca7eb661a51d70b61": {
			host: "dysmsapi.aliyuncs.com", action: "SendSms", version: "2017-05-25", date: "2026-01-02T03:04:05Z",
			nonce: "00112233445566778899aabbccddeeff",
			query: canonical(url.Values{
				"PhoneNumbers": {"13800000001"}, "SignName": {"示例广场"},
				"TemplateCode": {"SMS_123456789"}, "TemplateParam": {`{"code":"012345"}`},
			}),
		},
	} {
		got := c.authorization("YourAccessKeyId", secret.New(key))
		assert.Equal(t, "ACS3-HMAC-SHA256 Credential=YourAccessKeyId,"+
			"SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature="+want, got)
	}
	assert.Equal(t, "a=%20%21%2A%27%28%29~%2B", canonical(url.Values{"a": {" !*'()~+"}}))
}

// standIn accepts what is signed for the request that came in, with a nonce that was never used.
func standIn(accept func(ports.Sent)) http.Handler {
	nonces := make(chan map[string]bool, 1)
	nonces <- map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := func(name string) string { return r.Header.Get("x-acs-" + name) }
		c := call{host: r.Host, action: h("action"), version: h("version"), date: h("date"), nonce: h("signature-nonce"), query: r.URL.RawQuery}
		q := r.URL.Query()
		seen := <-nonces
		isNew := !seen[c.nonce]
		seen[c.nonce] = true
		nonces <- seen
		at, err := time.Parse("2006-01-02T15:04:05Z", c.date)
		var params map[string]string
		isRead := json.Unmarshal([]byte(q.Get("TemplateParam")), &params) == nil
		switch {
		case r.Header.Get("Authorization") != c.authorization("YourAccessKeyId", secret.New(key)) || h("content-sha256") != hash(""):
			answer(w, http.StatusBadRequest, "SignatureDoesNotMatch")
		case !isNew || err != nil || time.Since(at).Abs() > 15*time.Minute || r.ContentLength != 0 || r.Header.Get("Content-Type") != "":
			answer(w, http.StatusBadRequest, "InvalidTimeStamp.Expired")
		case c.action != "SendSms" || c.version != "2017-05-25" || q.Get("SignName") != settings().From:
			answer(w, http.StatusOK, "isv.SMS_SIGNATURE_ILLEGAL")
		case !isRead || !(q.Get("TemplateCode") == "SMS_1" && len(params) == 2 && params["minutes"] == "10" ||
			q.Get("TemplateCode") == "SMS_2" && len(params) == 0):
			answer(w, http.StatusOK, "isv.TEMPLATE_PARAMS_ILLEGAL")
		default:
			accept(ports.Sent{To: read(q.Get("PhoneNumbers")), Code: params["code"]})
			answer(w, http.StatusOK, "OK")
		}
	})
}

// mainlandNumber matches what Alibaba reads as a number of mainland China.
var mainlandNumber = regexp.MustCompile(`^(?:\+|\+?86|0086)?(1[0-9]{10})$`)

// read returns the number that Alibaba reads. Others have their dialling code.
func read(number string) string {
	if parts := mainlandNumber.FindStringSubmatch(number); parts != nil {
		return "+86" + parts[1]
	}
	return "+" + number
}

func answer(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"Code": code, "Message": "…", "RequestId": "1", "BizId": "2"})
}

func TestAUT15_Aliyun(t *testing.T) {
	refusals := map[string]ports.SMSAnswer{}
	for reason, codes := range map[verification.Reason][]string{
		verification.BadNumber: {"isv.MOBILE_NUMBER_ILLEGAL", "isv.DOMESTIC_NUMBER_NOT_SUPPORTED"},
		verification.Blocked:   {"isv.BLACK_KEY_CONTROL_LIMIT"},
		verification.Money:     {"isv.AMOUNT_NOT_ENOUGH", "isv.OUT_OF_SERVICE"},
		verification.SetUp: {
			"isv.SMS_SIGNATURE_ILLEGAL", "isv.SMS_TEMPLATE_ILLEGAL", "isv.TEMPLATE_MISSING_PARAMETERS", "isv.TEMPLATE_PARAMS_ILLEGAL",
			"isv.INVALID_JSON_PARAM", "isv.PARAM_LENGTH_LIMIT", "isp.RAM_PERMISSION_DENY", "isv.DENY_IP_RANGE", "InvalidAccessKeyId.NotFound",
			"SignatureDoesNotMatch", "InvalidTimeStamp.Expired", "(to)",
		},
		"limited":   {"isv.BUSINESS_LIMIT_CONTROL", "isv.DAY_LIMIT_CONTROL", "isv.MONTH_LIMIT_CONTROL", "Throttling.User"},
		"transient": {"isp.SYSTEM_ERROR"},
	} {
		is := map[verification.Reason]error{"limited": verification.ErrBusy, "transient": verification.ErrUnknownOutcome}[reason]
		if is == nil {
			is = verification.ErrRefused
		}
		for _, code := range codes {
			body := `{"Code":"` + code + `","Message":"(to) (code)","RequestId":"1"}`
			refusals[code] = ports.SMSAnswer{Status: 200, Body: body, Is: is, Reason: reason}
			refusals[code+" with 400"] = ports.SMSAnswer{Status: 400, Body: body, Is: is, Reason: reason}
		}
	}
	refusals["an internal error"] = ports.SMSAnswer{Status: 500, Body: `{"Code":"InternalError"}`, Is: verification.ErrUnknownOutcome}
	ports.SenderUpstream(t, ports.SMS{Provider: standIn, Secrets: []string{key}, Answers: refusals, Codes: Description.Codes,
		Open: func(t *testing.T, url string, client *http.Client) verification.Sender {
			s := settings()
			s.Connection = upstream.Connection{URL: url, Client: client}
			sender, err := Description.Open(s)
			require.NoError(t, err)
			return sender
		},
	})
}
