package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"plaza/application/signin"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

type smsCommands struct {
	Test smsTest `cmd:"" help:"Send one message with a made-up code, and say what the sender answers. It costs what a message costs, and does not count for the budget." example:"plaza sms test +86-13800000001 --language zh-CN" settings:"sms"`
}

type smsTest struct {
	Number   string   `arg:"" help:"Phone number, with a hyphen after its dialling code."`
	Language language `default:"en" help:"Language of the message." placeholder:"TAG"`
	dataCommand
}

// Run sends the message. It needs no database.
func (c smsTest) Run(ctx context.Context, s streams) (err error) {
	defer func() { err = readable(err) }()
	config, err := bootstrap.Check(c.Config)
	if err != nil {
		return err
	}
	config.Choose(false)
	m, err := c.message(config)
	if err != nil {
		return err
	}
	sender, err := bootstrap.NewSender(config, nil)
	switch {
	case err != nil:
		return err
	case sender == nil:
		return misusef("PLAZA_SMS names no sender")
	}
	log := bootstrap.NewLogger(config, s.err)
	config.WarnOfUnknown(log)
	err = sender.Send(ctx, m)
	logAct(ctx, log, "sms test", "sender", config.SMS, "accepted", err == nil)
	if err != nil {
		return fmt.Errorf("%s\n%w", whatBecame(err), err)
	}
	next := "Look at the telephone to see whether it arrives."
	if config.KeepsMessages() {
		next = "It sends nothing."
	}
	return s.printf("%s has accepted the message with the code %s. %s\n", config.SMS, m.Code.Reveal(), next)
}

// message returns a message with a new code, which no server knows.
func (c smsTest) message(config settings.Config) (verification.Message, error) {
	phone, err := user.ParsePhone(c.Number)
	if err != nil {
		return verification.Message{}, err
	}
	if err := (verification.Budget{Codes: config.SMSCodes}).Serves(phone); err != nil {
		return verification.Message{}, fmt.Errorf("NUMBER, or PLAZA_SMS_CODES: %w", err)
	}
	key, err := verification.NewKey(secret.New(rand.Text() + rand.Text()))
	if err != nil {
		return verification.Message{}, err
	}
	const purpose = verification.SignUp
	code, drawn := verification.New(purpose, verification.NumberOf(phone), key, time.Now())
	return verification.Message{
		ID: string(code.State().ID), To: code.State().Number, Purpose: purpose, Code: drawn, Language: c.Language.Tag,
		Text: signin.TextOf(purpose, drawn, c.Language.Tag, config.SMSHost), ExpiresIn: verification.Life,
	}, nil
}

// language is one of a message.
type language struct{ locale.Tag }

func (l *language) UnmarshalText(text []byte) error {
	tag, known := locale.Parse(string(text))
	if !known {
		return fmt.Errorf("%q is not a language like en or zh-CN", text)
	}
	l.Tag = tag
	return nil
}

// meanings say what a refusal is about, and what to do.
var meanings = map[verification.Reason]string{
	verification.BadNumber: "the number does not exist or takes no messages",
	verification.Blocked:   "the person or the provider blocks messages to the number",
	verification.SetUp:     "the settings of the sender are wrong: its key, name or template, or the region",
	verification.Money:     "the account at the provider has no money left",
}

// whatBecame says in words what became of a message that was not accepted.
func whatBecame(err error) string {
	refused, isRefused := errors.AsType[*verification.RefusedError](err)
	switch {
	case isRefused:
		return "Refused: " + meanings[refused.Reason] + "."
	case errors.Is(err, verification.ErrBusy):
		return "Busy: nothing was sent. Try again later."
	}
	return "Unknown: the message was perhaps sent. Look at the telephone, or at the provider."
}
