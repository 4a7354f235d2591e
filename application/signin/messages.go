package signin

import (
	"crypto/rand"
	"fmt"
	"regexp"
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
