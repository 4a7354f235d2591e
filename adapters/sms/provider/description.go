package provider

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/upstream"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// Names of settings. Each sender says what it needs and what it means by them.
const (
	URLSetting      = "PLAZA_SMS_URL"
	KeyIDSetting    = "PLAZA_SMS_KEY_ID"
	KeySetting      = "PLAZA_SMS_KEY"
	FromSetting     = "PLAZA_SMS_FROM"
	TemplateSetting = "PLAZA_SMS_TEMPLATE"
	NoticeSetting   = "PLAZA_SMS_NOTICE_TEMPLATE"
)

// Settings are what senders are opened with.
type Settings struct {
	Connection upstream.Connection // without a URL: the provider's own
	KeyID      string
	Key        secret.String
	From       string
	Template   string
	Notice     string
}

// value returns the text of a setting.
func (s Settings) value(name string) string {
	return map[string]string{
		URLSetting: s.Connection.URL, KeyIDSetting: s.KeyID, KeySetting: s.Key.Reveal(), FromSetting: s.From, TemplateSetting: s.Template,
		NoticeSetting: s.Notice,
	}[name]
}

// Setting is a setting that a sender knows.
type Setting struct {
	Name     string
	Help     string // what the sender means by it
	Optional bool
}

// Description describes a sender. The program lists its senders by their descriptions.
type Description struct {
	Name     string // the value of PLAZA_SMS
	Help     string // what it is, in a few words
	Settings []Setting
	// Paid: each message costs money, so a budget and dialling codes are required.
	Paid bool
	// Template: it sends a text that the provider has approved, in place of Message.Text.
	Template bool
	// Codes are the dialling codes of the numbers that it sends to; none: of all numbers.
	Codes []string
	// Open returns the sender, or all problems of the settings, none of which is Missing. It sends
	// nothing. Problems show no values.
	Open func(Settings) (verification.Sender, error)
}

// Missing returns the settings that the sender needs and that are empty.
func (d Description) Missing(s Settings) []Setting {
	return slices.DeleteFunc(slices.Clone(d.Settings), func(known Setting) bool { return known.Optional || s.value(known.Name) != "" })
}

// Notifies reports whether the sender sends messages without a code: one of templates only if it has one for them.
func (d Description) Notifies(s Settings) bool { return !d.Template || s.Notice != "" }

// Template is a text that the provider has approved, and what Plaza fills in.
type Template struct {
	ID     string
	params []string // code or minutes
	notice string   // the ID of the text of messages without a code, which has no parameters
}

var (
	templateForm = regexp.MustCompile(`^([A-Za-z0-9_-]{1,64})(?::((?:code|minutes)(?:,(?:code|minutes))*))?$`)
	noticeForm   = regexp.MustCompile(`^[A-Za-z0-9_-]{0,64}$`)
)

// ParseTemplate parses the ID of the text of codes with its parameters in their order, like SMS_1:code,minutes, and that of
// messages without one. Without parameters the code is the only one.
func ParseTemplate(s Settings) (t Template, err error) {
	if parts := templateForm.FindStringSubmatch(s.Template); parts != nil {
		t = Template{ID: parts[1], params: strings.Split(cmp.Or(parts[2], "code"), ","), notice: s.Notice}
	} else {
		err = errors.New(TemplateSetting + " must be the ID of a template with its parameters, like SMS_1:code,minutes")
	}
	if !noticeForm.MatchString(s.Notice) {
		err = errors.Join(err, errors.New(NoticeSetting+" must be the ID of a template, like SMS_2"))
	}
	return t, err
}

func (t Template) Of(m verification.Message) Template {
	if m.Code.IsZero() {
		return Template{ID: t.notice}
	}
	return t
}

// Values returns the values of the parameters, in their order.
func (t Template) Values(m verification.Message) []string {
	values := []string{}
	for _, name := range t.params {
		values = append(values, t.Named(m)[name])
	}
	return values
}

// Named returns the values of the parameters by their names.
func (t Template) Named(m verification.Message) map[string]string {
	all := map[string]string{"code": m.Code.Reveal(), "minutes": strconv.Itoa(int(m.ExpiresIn / time.Minute))}
	named := map[string]string{}
	for _, name := range t.params {
		named[name] = all[name]
	}
	return named
}
