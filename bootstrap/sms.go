package bootstrap

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"plaza/adapters/sms/aliyun"
	"plaza/adapters/sms/provider"
	"plaza/adapters/sms/sandbox"
	"plaza/adapters/sms/tencent"
	"plaza/adapters/sms/twilio"
	"plaza/adapters/sms/webhook"
	"plaza/adapters/upstream"
	"plaza/bootstrap/settings"
	"plaza/domain/verification"
)

// offeredSenders are the senders of SMS that can be chosen.
var offeredSenders = []provider.Description{
	sandbox.Description, webhook.Description, aliyun.Description, tencent.Description, twilio.Description,
}

func senderName(d provider.Description) string { return d.Name }

func chosenSender(c settings.Config) (provider.Description, bool) {
	return byName(offeredSenders, senderName, c.SMS)
}

// senderSettings returns the settings of the sender. Spans of its requests have no path: a query may have the number and
// the code in it, and the path of a webhook a secret.
func senderSettings(c settings.Config, t *traces) provider.Settings {
	return provider.Settings{
		Connection: upstream.Connection{URL: c.SMSURL, Wrap: t.spans("sms", false)},
		KeyID:      c.SMSKeyID, Key: c.SMSKey, From: c.SMSFrom, Template: c.SMSTemplate, Notice: c.SMSNotice,
	}
}

// checkSender notes what the sender lacks, and the problems that it has with its settings.
func checkSender(c *settings.Config, p settings.Problems) {
	p.Note("PLAZA_SMS", settings.OneOf(c.SMS,
		append([]string{settings.Auto, settings.NoSender}, names(offeredSenders, senderName)...)...))
	chosen, is := chosenSender(*c)
	if !is {
		return
	}
	if chosen.Paid && c.SMSBudget == nil {
		p.Note("PLAZA_SMS_BUDGET", fmt.Errorf("%s charges for each message, so a number of messages a day is required, like 1000", c.SMS))
	}
	if chosen.Paid && len(c.SMSCodes) == 0 {
		p.Note("PLAZA_SMS_CODES", fmt.Errorf("%s charges for each message, so dialling codes are required, like 86,852", c.SMS))
	}
	for code := range c.SMSCodes {
		if len(chosen.Codes) > 0 && !slices.Contains(chosen.Codes, code) {
			p.Note("PLAZA_SMS_CODES", fmt.Errorf("%s sends to numbers of %s only: leave out %s", c.SMS, strings.Join(chosen.Codes, ", "), code))
		}
	}
	missing := chosen.Missing(senderSettings(*c, nil))
	for _, s := range missing {
		p.Note(s.Name, fmt.Errorf("%s needs %s", c.SMS, s.Help))
	}
	if len(missing) == 0 {
		_, err := chosen.Open(senderSettings(*c, nil))
		p.Note("PLAZA_SMS", err)
	}
}

// NewSender returns the configured sender, or nil for none. The traces may be nil.
func NewSender(c settings.Config, t *traces) (verification.Sender, error) {
	chosen, is := chosenSender(c)
	if !is {
		return nil, nil
	}
	sender, err := chosen.Open(senderSettings(c, t))
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_SMS_…:\n%w", settings.ErrInvalid, err)
	}
	return sender, nil
}

// messagesPage returns the page of a sender that keeps the messages, or nil of any other.
func messagesPage(s verification.Sender) http.Handler {
	if kept, is := s.(*sandbox.Sandbox); is {
		return kept.Page()
	}
	return nil
}

// notifies reports whether the sender, of the settings or of Parts, sends messages without a code.
func notifies(c settings.Config) bool {
	chosen, isOffered := chosenSender(c)
	return !isOffered || chosen.Notifies(senderSettings(c, nil))
}

// messageBudget returns how many messages may be sent, and to which dialling codes.
func messageBudget(c settings.Config) verification.Budget {
	b := verification.Budget{Codes: c.SMSCodes}
	if c.SMSBudget != nil {
		b.Messages = *c.SMSBudget
	}
	return b
}
