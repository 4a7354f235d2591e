// Package tencent sends SMS with Tencent Cloud SMS (version 2021-01-11).
//
// Of Tencent's Go modules, the one for SMS cannot be had from the module proxy. The generic client takes as much code
// as the protocol does, which is one signed request.
package tencent

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/sms/provider"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// URL is Tencent's. Those of its regions are https://sms.ap-singapore.tencentcloudapi.com and so on.
const URL = "https://sms.tencentcloudapi.com"

// Description describes the sender.
var Description = provider.Description{
	Name: "tencent", Help: "Tencent Cloud SMS", Paid: true, Template: true,
	Settings: []provider.Setting{
		{Name: provider.KeyIDSetting, Help: "the SecretId"},
		{Name: provider.KeySetting, Help: "the SecretKey"},
		{Name: provider.FromSetting, Help: "the SDK AppID and the text of the signature: 1400006666/SIGNATURE"},
		{Name: provider.TemplateSetting, Help: "the ID of the template, with its parameters: 1110:code,minutes"},
		{Name: provider.NoticeSetting, Help: "the ID of the template", Optional: true},
		{Name: provider.URLSetting, Help: "the address of a region, like https://sms.ap-singapore.tencentcloudapi.com", Optional: true},
	},
	Open: open,
}

const defaultRegion = "ap-guangzhou"

var (
	fromForm   = regexp.MustCompile(`^([0-9]{1,20})/(.{0,64})$`) // abroad a message needs no signature
	regionForm = regexp.MustCompile(`^sms\.([a-z0-9-]+)\.tencentcloudapi\.`)
)

func open(s provider.Settings) (verification.Sender, error) {
	template, err := provider.ParseTemplate(s)
	from := fromForm.FindStringSubmatch(s.From)
	if from == nil {
		err = errors.Join(err, errors.New(provider.FromSetting+" must be the SDK AppID and the signature, like 1400006666/SIGNATURE"))
	}
	err = errors.Join(err, upstream.CheckKey(secret.New(s.KeyID)), upstream.CheckKey(s.Key))
	if err != nil {
		return nil, fmt.Errorf("tencent: %w", err)
	}
	s.Connection.URL = cmp.Or(s.Connection.URL, URL)
	p := protocol{keyID: s.KeyID, key: s.Key, app: from[1], signName: from[2], template: template, region: defaultRegion}
	if u, err := url.Parse(s.Connection.URL); err == nil {
		p.host = u.Host
	}
	if region := regionForm.FindStringSubmatch(p.host); region != nil {
		p.region = region[1]
	}
	return provider.New(s, "tencent", p)
}

type protocol struct {
	host, region  string
	keyID         string
	key           secret.String
	app, signName string
	template      provider.Template
}

// body is that of SendSms.
type body struct {
	PhoneNumberSet   []string
	SmsSdkAppId      string
	SignName         string `json:",omitempty"`
	TemplateId       string
	TemplateParamSet []string
	SessionContext   string `json:",omitempty"`
}

func (p protocol) Request(m verification.Message, at time.Time) (provider.Request, error) {
	template := p.template.Of(m)
	written, _ := json.Marshal(body{ // texts can always be written
		PhoneNumberSet: []string{m.To.E164()}, SmsSdkAppId: p.app, SignName: p.signName,
		TemplateId: template.ID, TemplateParamSet: template.Values(m), SessionContext: m.ID,
	})
	c := call{service: "sms", host: p.host, action: "SendSms", at: at, body: written}
	return provider.Request{Path: "/", Body: c.body, Header: http.Header{
		"Content-Type":   {contentType},
		"X-TC-Action":    {c.action},
		"X-TC-Version":   {"2021-01-11"},
		"X-TC-Timestamp": {strconv.FormatInt(at.Unix(), 10)},
		"X-TC-Region":    {p.region},
		"Authorization":  {c.authorization(p.keyID, p.key)},
	}}, nil
}

// Judge reads Tencent's codes at every status: of the whole call, or of the one number.
func (protocol) Judge(status int, answer []byte) error {
	type coded struct{ Code string }
	var said struct {
		Response struct {
			Error         coded
			SendStatusSet []coded
		}
	}
	if json.Unmarshal(answer, &said) != nil {
		return provider.JudgeStatus(status)
	}
	code := said.Response.Error.Code
	if sent := said.Response.SendStatusSet; code == "" && len(sent) == 1 {
		code = sent[0].Code
	}
	if code == "" {
		return provider.JudgeStatus(status)
	}
	return meaning(code)
}

// meaning returns what a code of Tencent's means. Only an internal error leaves open whether the message was sent.
func meaning(code string) error {
	family, _, _ := strings.Cut(code, ".")
	switch {
	case code == "Ok":
		return nil
	case code == "InvalidParameterValue.IncorrectPhoneNumber", code == "FailedOperation.PhoneNumberInBlacklist":
		return provider.Refused(verification.BadNumber, code)
	case family == "LimitExceeded", family == "RequestLimitExceeded":
		return provider.Busy(code)
	case code == "FailedOperation.InsufficientBalanceInSmsPackage", code == "UnauthorizedOperation.ServiceSuspendDueToArrears":
		return provider.Refused(verification.Money, code)
	case family == "InternalError":
		return provider.Unknown(code)
	}
	return provider.Refused(verification.SetUp, code)
}

const (
	algorithm   = "TC3-HMAC-SHA256"
	contentType = "application/json; charset=utf-8"
	signedNames = "content-type;host;x-tc-action"
)

// call is a request as version 3 of Tencent's signature sees it.
type call struct {
	service, host, action string
	at                    time.Time
	body                  []byte
}

func (c call) canonicalRequest() string {
	headers := fmt.Sprintf("content-type:%s\nhost:%s\nx-tc-action:%s\n", contentType, c.host, strings.ToLower(c.action))
	return strings.Join([]string{"POST", "/", "", headers, signedNames, hash(c.body)}, "\n")
}

// authorization returns the header of the signed request.
func (c call) authorization(keyID string, key secret.String) string {
	date := c.at.UTC().Format(time.DateOnly)
	scope := date + "/" + c.service + "/tc3_request"
	derived := []byte("TC3" + key.Reveal())
	for part := range strings.SplitSeq(scope, "/") {
		derived = sum(derived, part)
	}
	signature := sum(derived, fmt.Sprintf("%s\n%d\n%s\n%s", algorithm, c.at.Unix(), scope, hash([]byte(c.canonicalRequest()))))
	return fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%x", algorithm, keyID, scope, signedNames, signature)
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
