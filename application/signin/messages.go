package signin

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"sync"
	"time"

	"plaza/application/catalogue"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// sentences have a place for the code and one for the minutes. They fit into one SMS in English, and with the last line
// of a short host in the other languages of the catalogue.
var sentences = map[verification.Purpose]string{
	verification.SignUp:        "%s is your code to join Plaza. It expires in %d minutes.",
	verification.ResetPassword: "%s is your code to reset your Plaza password. It expires in %d minutes. Never tell it to anyone.",
	verification.ChangePhone:   "%s is your code to use this number with Plaza. It expires in %d minutes.",
	verification.Erase:         "%s is your code to erase your Plaza account. It expires in %d minutes. Never tell it to anyone.",
}

// phoneChanged is the text of a notice. It fits into one SMS.
const phoneChanged = "Your Plaza account has another phone number now. If you did not change it, contact support at once."

// bindable are the hosts that a browser reads in the last line of a message.
var bindable = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)

// maxSending is how many messages may be on their way to the provider at once.
const maxSending = 200

// Outcome is what has become of a message with a code.
type Outcome struct {
	Name   string
	Reason verification.Reason // of a message that was Refused
}

var (
	Accepted = Outcome{Name: "accepted"}
	Busy     = Outcome{Name: "busy"}    // the provider took nothing for now
	Unknown  = Outcome{Name: "unknown"} // perhaps sent
	Dropped  = Outcome{Name: "dropped"} // never given to the sender: too many on their way, the database away, or the budget spent meanwhile
)

// Refused returns the outcome of a message that was refused for the reason.
func Refused(r verification.Reason) Outcome { return Outcome{"refused", r} }

// sending has the messages that are on their way.
type sending struct {
	all    sync.WaitGroup
	places chan struct{}

	mu     sync.Mutex
	counts map[Outcome]int64 // of the messages since this server started
}

// TextOf returns the text of a message with the code, in the language. With the host of the web client, the last line lets
// browsers fill the code in on pages of that host alone (“Origin-bound one-time codes delivered via SMS”).
func TextOf(p verification.Purpose, code secret.String, in locale.Tag, host string) secret.String {
	said := catalogue.Translate(in, fmt.Sprintf(sentences[p], code.Reveal(), int(verification.Life/time.Minute)))
	if bindable.MatchString(host) {
		said += "\n\n@" + host + " #" + code.Reveal()
	}
	return secret.New(said)
}

// NoticeTo returns the message about verification.PhoneChanged to the former number, in the language.
func NoticeTo(former verification.Number, in locale.Tag) verification.Message {
	text := secret.New(catalogue.Translate(in, phoneChanged))
	return verification.Message{ID: rand.Text(), To: former, Purpose: verification.PhoneChanged, Text: text, Language: in}
}
