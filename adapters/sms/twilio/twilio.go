// Package twilio sends SMS with Twilio's Messages, version 2010-04-01.
//
// Twilio has a Go module. It sends requests without the caller's deadline, and the protocol is one form.
package twilio

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"plaza/adapters/sms/provider"
	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

const URL = "https://api.twilio.com"

// Description describes the sender.
var Description = provider.Description{
	Name: "twilio", Help: "Twilio", Paid: true,
	Settings: []provider.Setting{
		{Name: provider.KeyIDSetting, Help: "the Account SID, or the Account SID and the SID of an API key: AC…/SK…"},
		{Name: provider.KeySetting, Help: "the auth token, or the secret of the API key"},
		{Name: provider.FromSetting, Help: "a number like +12025550104, a name, or the SID of a messaging service (MG…)"},
		{Name: provider.URLSetting, Help: "the address of a region of Twilio's", Optional: true},
	},
	Open: open,
}

var (
	keyIDForm   = regexp.MustCompile(`^(AC[0-9a-fA-F]{32})(?:/(SK[0-9a-fA-F]{32}))?$`)
	serviceForm = regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`)
)

func open(s provider.Settings) (verification.Sender, error) {
	ids := keyIDForm.FindStringSubmatch(s.KeyID)
	if ids == nil {
		return nil, errors.New("twilio: " + provider.KeyIDSetting + " must be an Account SID, or AC…/SK…")
	}
	if err := upstream.CheckKey(s.Key); err != nil {
		return nil, fmt.Errorf("twilio: %w", err)
	}
	s.Connection.URL = cmp.Or(s.Connection.URL, URL)
	return provider.New(s, "twilio", protocol{account: ids[1], user: cmp.Or(ids[2], ids[1]), key: s.Key, from: s.From})
}

type protocol struct {
	account string
	user    string
	key     secret.String
	from    string
}

func (p protocol) Request(m verification.Message, _ time.Time) (provider.Request, error) {
	sender := "From"
	if serviceForm.MatchString(p.from) {
		sender = "MessagingServiceSid"
	}
	form := url.Values{
		"To": {m.To.E164()}, "Body": {m.Text.Reveal()}, sender: {p.from},
	}
	if m.ExpiresIn > 0 { // Twilio gives up a message that waits for longer than its code is good
		form.Set("ValidityPeriod", strconv.Itoa(int(m.ExpiresIn/time.Second)))
	}
	credentials := base64.StdEncoding.EncodeToString([]byte(p.user + ":" + p.key.Reveal()))
	return provider.Request{
		Path: "/2010-04-01/Accounts/" + p.account + "/Messages.json",
		Body: []byte(form.Encode()),
		Header: http.Header{
			"Content-Type":  {"application/x-www-form-urlencoded"},
			"Authorization": {"Basic " + credentials},
		},
	}, nil
}

// reasons are the meanings of Twilio's codes. Other codes of refusals are of the set-up.
var reasons = map[int]verification.Reason{
	21211: verification.BadNumber, // not a number
	21614: verification.BadNumber, // takes no SMS
	21635: verification.BadNumber, // a landline
	21610: verification.Blocked,   // the person sent STOP
}

// tooMany is Twilio's code of a request that was never processed.
const tooMany = 20429

func (protocol) Judge(status int, body []byte) error {
	var said struct {
		Code   int    `json:"code"`       // of a refusal
		State  any    `json:"status"`     // of a message a word, of a refusal the status
		SID    string `json:"sid"`        // of a message
		Failed *int   `json:"error_code"` // of a message
	}
	if json.Unmarshal(body, &said) != nil {
		return provider.JudgeStatus(status)
	}
	code := said.Code
	if said.Failed != nil {
		code = cmp.Or(code, *said.Failed)
	}
	hasFailed := code != 0 || said.State == "failed" || said.State == "undelivered"
	reason, isKnown := reasons[code]
	switch {
	case (status == http.StatusCreated || status == http.StatusOK) && said.SID != "" && !hasFailed:
		return nil
	case code == tooMany || status == http.StatusTooManyRequests:
		return provider.Busy(strconv.Itoa(tooMany))
	case status >= http.StatusInternalServerError || !hasFailed:
		return provider.JudgeStatus(status)
	case isKnown:
		return provider.Refused(reason, strconv.Itoa(code))
	}
	return provider.Refused(verification.SetUp, strconv.Itoa(code))
}
