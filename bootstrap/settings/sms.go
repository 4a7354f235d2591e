package settings

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"plaza/domain/secret"
	"plaza/domain/user"
)

// SMSConfig has the settings of codes that are sent to telephones, and of who may join with one.
type SMSConfig struct {
	SMS         string        `name:"sms" default:"auto" env:"PLAZA_SMS" help:"Sender of one-time codes to telephones: none, {senders} (auto: sandbox with --demo, else none)." placeholder:"NAME"`
	SMSURL      string        `name:"sms-url" env:"PLAZA_SMS_URL" help:"Address of the sender (default: the provider's own). {PLAZA_SMS_URL}." placeholder:"URL"`
	SMSKeyID    string        `name:"sms-key-id" env:"PLAZA_SMS_KEY_ID" help:"Id of the sender's key. {PLAZA_SMS_KEY_ID}." placeholder:"ID"`
	SMSKey      secret.String `name:"sms-key" env:"PLAZA_SMS_KEY" help:"The sender's key. {PLAZA_SMS_KEY}." placeholder:"KEY"`
	SMSFrom     string        `name:"sms-from" env:"PLAZA_SMS_FROM" help:"Whom messages come from. {PLAZA_SMS_FROM}." placeholder:"NAME"`
	SMSTemplate string        `name:"sms-template" env:"PLAZA_SMS_TEMPLATE" help:"The text that the provider has approved. {PLAZA_SMS_TEMPLATE}." placeholder:"ID"`
	SMSNotice   string        `name:"sms-notice-template" env:"PLAZA_SMS_NOTICE_TEMPLATE" help:"The text that tells the former number that an account has another one, without parameters (default: the former number is not told). {PLAZA_SMS_NOTICE_TEMPLATE}." placeholder:"ID"`
	SMSBudget   *int64        `name:"sms-budget" env:"PLAZA_SMS_BUDGET" help:"Maximum messages per UTC day that all servers together send; needed with {paid_senders} (default: unlimited)." placeholder:"NUMBER"`
	SMSCodes    DiallingCodes `name:"sms-codes" env:"PLAZA_SMS_CODES" help:"Dialling codes of the numbers that codes are sent to, each with a budget of its own if it has one, like 86,852=200,44=50; needed with {paid_senders} (default: all)." placeholder:"CODE[=NUMBER],..."`
	SMSHost     string        `name:"sms-host" env:"PLAZA_SMS_HOST" help:"Host of the web client, for the last line of messages, from which browsers fill the code in on its pages (default: no such line)." placeholder:"HOST"`
	SignUp      string        `default:"open" env:"PLAZA_SIGN_UP" help:"Whether people make accounts by themselves: open or closed." placeholder:"SWITCH"`
}

// Values of PLAZA_SMS that name no sender, or the one of demos.
const (
	NoSender      = "none"
	SandboxSender = "sandbox"
)

// Values of PLAZA_SIGN_UP.
const (
	signUpOpen   = "open"
	SignUpClosed = "closed"
)

// DiallingCodes are dialling codes with the messages a day of each. Zero is any number.
type DiallingCodes map[string]int64

// UnmarshalText parses dialling codes, comma separated, some with the messages of a day: 86,852=200.
func (d *DiallingCodes) UnmarshalText(text []byte) error {
	*d = DiallingCodes{}
	var problems []error
	for _, part := range SplitNames(string(text)) {
		code, number, isLimited := strings.Cut(part, "=")
		messages, err := strconv.ParseInt(number, 10, 64)
		_, isTwice := (*d)[code]
		switch {
		case !user.IsDiallingCode(code):
			problems = append(problems, fmt.Errorf("%q is not a dialling code in use, like 86", code))
		case isLimited && (err != nil || messages < 1):
			problems = append(problems, fmt.Errorf("%q has no positive number of messages, like %s=200", part, code))
		case isTwice:
			problems = append(problems, fmt.Errorf("%s appears twice", code))
		}
		(*d)[code] = messages
	}
	if len(*d) == 0 {
		problems = append(problems, errors.New("dialling codes are missing"))
	}
	return errors.Join(problems...)
}

// hostForm matches a host without a port.
var hostForm = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$`)

// checkSMS fills in missing values and notes all problems that need no knowledge of the senders.
func (c *SMSConfig) checkSMS(p Problems) {
	c.SMS, c.SignUp = cmp.Or(c.SMS, NoSender), cmp.Or(c.SignUp, signUpOpen)
	if c.SMSBudget != nil && *c.SMSBudget < 1 { // PLAZA_SMS=none sends nothing
		p.Note("PLAZA_SMS_BUDGET", fmt.Errorf("%d is not a positive number like 1000", *c.SMSBudget))
	}
	for code, messages := range c.SMSCodes {
		if c.SMSBudget != nil && messages > *c.SMSBudget {
			p.Note("PLAZA_SMS_CODES", fmt.Errorf("%s=%d is more than PLAZA_SMS_BUDGET, which has %d messages a day", code, messages, *c.SMSBudget))
		}
	}
	if c.SMSHost != "" && !hostForm.MatchString(c.SMSHost) {
		p.Note("PLAZA_SMS_HOST", fmt.Errorf("%q is not a host like app.example.org, without a scheme, port or path", c.SMSHost))
	}
	p.Note("PLAZA_SIGN_UP", OneOf(c.SignUp, signUpOpen, SignUpClosed))
}

// KeepsMessages reports whether codes are shown on the page of the sandbox instead of being sent.
func (c SMSConfig) KeepsMessages() bool { return c.SMS == SandboxSender }
