// Package aliyun sends SMS with Alibaba Cloud SMS (Dysmsapi, version 2017-05-25).
//
// Alibaba has Go modules for it. The one that is made for this API cannot be had from the module
// proxy, and the former one brings 49 modules; the protocol is one signed request.
package aliyun

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"plaza/adapters/sms/provider"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// URL is Alibaba's.
const URL = "https://dysmsapi.aliyuncs.com"

// Description describes the sender.
var Description = provider.Description{
	Name: "aliyun", Help: "Alibaba Cloud SMS", Paid: true, Template: true, Codes: []string{mainland},
	Settings: []provider.Setting{
		{Name: provider.KeyIDSetting, Help: "the AccessKey ID"},
		{Name: provider.KeySetting, Help: "the AccessKey secret"},
		{Name: provider.FromSetting, Help: "the name of the signature"},
		{Name: provider.TemplateSetting, Help: "the code of the template, with its parameters: SMS_1:code,minutes"},
		{Name: provider.NoticeSetting, Help: "the code of the template", Optional: true},
		{Name: provider.URLSetting, Help: "another address of Alibaba's", Optional: true},
	},
	Open: open,
}

func open(s provider.Settings) (verification.Sender, error) {
	template, err := provider.ParseTemplate(s)
	if err = errors.Join(err, upstream.CheckKey(secret.New(s.KeyID)), upstream.CheckKey(s.Key)); err != nil {
		return nil, fmt.Errorf("aliyun: %w", err)
	}
	s.Connection.URL = cmp.Or(s.Connection.URL, URL)
	host := ""
	if u, err := url.Parse(s.Connection.URL); err == nil {
		host = u.Host
	}
	return provider.New(s, "aliyun", protocol{host: host, keyID: s.KeyID, key: s.Key, signName: s.From, template: template})
}

type protocol struct {
	host     string
	keyID    string
	key      secret.String
	signName string
	template provider.Template
}

// mainland is the dialling code of mainland China. SendSms takes eleven digits that begin with 1 for a number there, which
// all numbers of +1 are. Messages to other countries are another service of Alibaba's.
const mainland = "86"

// Request puts the number and the code into the query, where Alibaba wants them: the URL must not be logged.
func (p protocol) Request(m verification.Message, at time.Time) (provider.Request, error) {
	number := strings.TrimPrefix(m.To.E164(), "+")
	if !strings.HasPrefix(number, mainland) {
		return provider.Request{}, errors.New("the number is not of mainland China")
	}
	template := p.template.Of(m)
	params, _ := json.Marshal(template.Named(m)) // texts can always be written
	c := call{
		host: p.host, action: "SendSms", version: "2017-05-25", date: at.UTC().Format(time.RFC3339), nonce: rand.Text(),
		query: canonical(url.Values{
			"PhoneNumbers":  {number},
			"SignName":      {p.signName},
			"TemplateCode":  {template.ID},
			"TemplateParam": {string(params)},
			"OutId":         {m.ID},
		}),
	}
	header := http.Header{"Authorization": {c.authorization(p.keyID, p.key)}}
	for name, value := range c.signed() {
		if name != "host" { // net/http sends it
			header.Set(name, value)
		}
	}
	return provider.Request{Path: "/?" + c.query, Header: header}, nil
}

// reasons are the meanings of Alibaba's codes that refuse a message.
var reasons = map[string]verification.Reason{
	"isv.MOBILE_NUMBER_ILLEGAL":         verification.BadNumber,
	"isv.DOMESTIC_NUMBER_NOT_SUPPORTED": verification.BadNumber,
	"isv.BLACK_KEY_CONTROL_LIMIT":       verification.Blocked,
	"isv.AMOUNT_NOT_ENOUGH":             verification.Money,
	"isv.OUT_OF_SERVICE":                verification.Money,
}

// Judge reads Alibaba's code at every status.
func (protocol) Judge(status int, body []byte) error {
	var said struct{ Code string }
	if json.Unmarshal(body, &said) != nil || said.Code == "" {
		return provider.JudgeStatus(status)
	}
	reason, isRefusal := reasons[said.Code]
	switch code := said.Code; {
	case code == "OK":
		return nil
	case isRefusal:
		return provider.Refused(reason, code)
	case code == "isv.BUSINESS_LIMIT_CONTROL", code == "isv.DAY_LIMIT_CONTROL", code == "isv.MONTH_LIMIT_CONTROL",
		strings.HasPrefix(code, "Throttling"):
		return provider.Busy(code)
	case code == "isp.SYSTEM_ERROR" || status >= http.StatusInternalServerError:
		return provider.Unknown(code)
	}
	return provider.Refused(verification.SetUp, said.Code)
}

const algorithm = "ACS3-HMAC-SHA256"

// call is a request without a body, as version 3 of Alibaba's signature sees it.
type call struct {
	host, action, version, date, nonce string
	query                              string // canonical
}

// canonical returns the query in the order of its names, and escaped as RFC 3986 does: a space is %20.
func canonical(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

// signed returns the headers that are signed.
func (c call) signed() map[string]string {
	return map[string]string{
		"host": c.host, "x-acs-action": c.action, "x-acs-version": c.version, "x-acs-date": c.date,
		"x-acs-signature-nonce": c.nonce, "x-acs-content-sha256": hash(""),
	}
}

// canonicalRequest returns what is signed, and the names of the signed headers.
func (c call) canonicalRequest() (request, names string) {
	headers := c.signed()
	sorted := slices.Sorted(maps.Keys(headers))
	var lines strings.Builder
	for _, name := range sorted {
		lines.WriteString(name + ":" + headers[name] + "\n")
	}
	names = strings.Join(sorted, ";")
	return strings.Join([]string{"POST", "/", c.query, lines.String(), names, hash("")}, "\n"), names
}

// authorization returns the header of the signed request.
func (c call) authorization(keyID string, key secret.String) string {
	request, names := c.canonicalRequest()
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(algorithm + "\n" + hash(request)))
	return fmt.Sprintf("%s Credential=%s,SignedHeaders=%s,Signature=%x", algorithm, keyID, names, mac.Sum(nil))
}

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
