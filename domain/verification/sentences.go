package verification

import (
	"fmt"
	"regexp"
	"time"

	"plaza/domain/catalogue"
	"plaza/domain/locale"
	"plaza/domain/secret"
)

// sentences have a place for the code and one for the minutes. They fit into one SMS in English, and with the last line
// of a short host in the other languages of the catalogue.
var sentences = map[Purpose]string{
	SignUp:        "%s is your code to join Plaza. It expires in %d minutes.",
	ResetPassword: "%s is your code to reset your Plaza password. It expires in %d minutes. Never tell it to anyone.",
	ChangePhone:   "%s is your code to use this number with Plaza. It expires in %d minutes.",
	Erase:         "%s is your code to erase your Plaza account. It expires in %d minutes. Never tell it to anyone.",
}

// phoneChanged is what PhoneChanged says. It fits into one SMS.
const phoneChanged = "Your Plaza account has another phone number now. If you did not change it, contact support at once."

// bindable are the hosts that a browser reads in the last line of a message.
var bindable = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)

// Text returns what a message says in the language. With the host of the web client, the last line lets browsers fill
// the code in on pages of that host alone (“Origin-bound one-time codes delivered via SMS”).
func Text(in locale.Tag, p Purpose, code secret.String, host string) secret.String {
	said := catalogue.Translate(in, fmt.Sprintf(sentences[p], code.Reveal(), int(Life/time.Minute)))
	if bindable.MatchString(host) {
		said += "\n\n@" + host + " #" + code.Reveal()
	}
	return secret.New(said)
}
