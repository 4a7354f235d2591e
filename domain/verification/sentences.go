package verification

import (
	"fmt"
	"regexp"
	"time"

	"plaza/domain/locale"
	"plaza/domain/secret"
)

// chinese is the language of the second sentences; all other languages get the first ones.
var chinese, _ = locale.Parse("zh-Hans")

// sentences have a place for the code and one for the minutes. They fit into one SMS in English, and
// with the last line of a short host in Chinese.
var sentences = map[Purpose]struct{ english, chinese string }{
	SignUp: {
		"%s is your code to join Plaza. It expires in %d minutes.",
		"您注册 Plaza 的验证码是 %s，%d 分钟内有效。",
	},
	ResetPassword: {
		"%s is your code to reset your Plaza password. It expires in %d minutes. Never tell it to anyone.",
		"您重设 Plaza 密码的验证码是 %s，%d 分钟内有效，请勿告诉他人。",
	},
	ChangePhone: {
		"%s is your code to use this number with Plaza. It expires in %d minutes.",
		"您更换 Plaza 手机号的验证码是 %s，%d 分钟内有效。",
	},
	Erase: {
		"%s is your code to erase your Plaza account. It expires in %d minutes. Never tell it to anyone.",
		"您注销 Plaza 账号的验证码是 %s，%d 分钟内有效，请勿告诉他人。",
	},
}

// bindable are the hosts that a browser reads in the last line of a message.
var bindable = regexp.MustCompile(`^[a-zA-Z0-9.-]+$`)

// Text returns what a message says in the language. With the host of the web client, the last line lets browsers fill
// the code in on pages of that host alone (“Origin-bound one-time codes delivered via SMS”).
func Text(in locale.Tag, p Purpose, code secret.String, host string) secret.String {
	sentence := sentences[p].english
	if locale.Same(in, chinese) {
		sentence = sentences[p].chinese
	}
	said := fmt.Sprintf(sentence, code.Reveal(), int(Life/time.Minute))
	if bindable.MatchString(host) {
		said += "\n\n@" + host + " #" + code.Reveal()
	}
	return secret.New(said)
}
