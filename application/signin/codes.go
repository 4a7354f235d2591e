package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"sync"
	"time"

	"plaza/application/catalogue"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/text"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Faults of a server that sends no codes, or takes no new accounts.
var (
	ErrNoSender = fault.New(fault.Unavailable, "This server sends no codes.")
	ErrClosed   = fault.New(fault.Denied, "This server takes no new accounts.")
)

// CodeRequest asks for a code.
type CodeRequest struct {
	Actor    access.Actor // of a change_phone or an erase
	Username string       // of all purposes but erase
	Purpose  verification.Purpose
	From     netip.Addr
	Language locale.Tag

	byStaff bool // a member of staff asks for the person of the account, which has the number
	ofStaff bool // the account is of staff
}

// CodeSent is what the caller learns about the code. It is the same whether or not an account has the number.
type CodeSent struct{ ExpiresIn, ResendAfter time.Duration }

// outgoing is a message on its way to the login name.
type outgoing struct {
	verification.Message
	login   user.Phone
	expense verification.Expense // that the budget has taken
}

// RequestCode sends a code (AUT-15). The message is sent beside the call, which the sender never delays. A request counts
// for all limits before any account is looked up. Only a number without an account gets no code to reset a password. That
// code is taken of the budget beside the call, too: here the budget is only judged.
func (s *Signin) RequestCode(ctx context.Context, r CodeRequest, readErr error) (CodeSent, error) {
	switch {
	case s.joining.Sender == nil:
		return CodeSent{}, ErrNoSender
	case r.Purpose == verification.SignUp && s.joining.IsClosed:
		return CodeSent{}, ErrClosed
	}
	phone, err := s.phoneOf(ctx, r)
	if err == nil {
		err = s.joining.Budget.Serves(phone)
	}
	if r.Purpose != verification.Erase {
		err = fault.OnField("username", err)
	}
	if err := fault.Merge(readErr, err); err != nil {
		return CodeSent{}, err
	}
	now := s.now()
	key := s.joining.Key
	if r.ofStaff {
		key = key.OfStaff()
	}
	code, drawn := verification.New(r.Purpose, verification.NumberOf(phone), key, now)
	expense := verification.Expense{Budget: s.joining.Budget, DiallingCode: phone.DiallingCode(), Messages: 1, Now: now}
	if !r.Purpose.NeedsKey() && !r.byStaff {
		expense.Budget = s.joining.Budget.WithoutKey()
	}
	if r.Purpose == verification.ResetPassword && !r.byStaff {
		expense.Messages = 0
	}
	err = s.joining.Codes.Reserve(ctx, verification.Request{Code: code.State(), From: access.SourceOf(r.From).First(), Expense: expense})
	if err != nil {
		return CodeSent{}, err
	}
	s.sendBeside(ctx, outgoing{login: phone, expense: expense, Message: verification.Message{
		ID: string(code.State().ID), To: code.State().Number, Purpose: r.Purpose, Code: drawn, Language: r.Language,
		Text: TextOf(r.Purpose, drawn, r.Language, s.joining.Host), ExpiresIn: verification.Life,
	}})
	return CodeSent{verification.Life, verification.ResendAfter}, nil
}

// SendsCodes reports whether the server has a sender of codes.
func (s *Signin) SendsCodes() bool { return s.joining.Sender != nil }

// SendPasswordCode sends the person of the account a code to replace the password with, in the language, because a member of
// staff asks for it from the address (OFF-05). Only that person learns the code. No other one is good for an account of staff.
func (s *Signin) SendPasswordCode(ctx context.Context, id user.ID, from netip.Addr, in locale.Tag) error {
	account, err := s.accounts.ByID(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.RequestCode(ctx, CodeRequest{
		Username: account.Phone.String(), Purpose: verification.ResetPassword, From: from, Language: in,
		byStaff: true, ofStaff: account.IsStaff(),
	}, nil)
	return err
}

// notify tells the former number of an account, by a message beside the call, that the account has another one (AUT-18).
// The message counts for the budget, but the budget never refuses it: a thief of an account could spend the budget before.
// Each follows a code that counted, or an act of an operator.
func (s *Signin) notify(ctx context.Context, former, next user.Phone, in locale.Tag) {
	isSame := verification.NumberOf(former) == verification.NumberOf(next)
	if isSame || s.joining.Sender == nil || !s.joining.Notifies || s.joining.Budget.Serves(former) != nil {
		return
	}
	s.sendBeside(ctx, outgoing{
		Message: NoticeTo(verification.NumberOf(former), in), login: former,
		expense: verification.Expense{DiallingCode: former.DiallingCode(), Now: s.now()},
	})
}

// phoneOf returns the number that the code is sent to: to erase the account, its own.
func (s *Signin) phoneOf(ctx context.Context, r CodeRequest) (user.Phone, error) {
	switch {
	case r.Purpose == verification.Erase:
		account, err := s.accounts.ByID(ctx, r.Actor.ID)
		return account.Phone, err
	case r.Username == "":
		return user.Phone{}, fault.New(fault.Invalid, text.Required)
	case r.Purpose == verification.ResetPassword:
		return s.loginName(ctx, r.Username)
	default:
		return user.ParsePhone(r.Username)
	}
}

// sendBeside sends the message while the caller goes on, unless too many are on their way. Sending outlives the
// request. The sender has a deadline of its own.
func (s *Signin) sendBeside(ctx context.Context, o outgoing) {
	ctx = context.WithoutCancel(ctx)
	select {
	case s.sending.places <- struct{}{}:
		s.sending.all.Go(func() {
			defer func() { <-s.sending.places }()
			s.send(ctx, o)
		})
	default:
		s.ended(ctx, o.Message, Dropped, slog.LevelError, errors.New("too many messages are on their way"))
		s.giveBack(ctx, o)
	}
}

// databaseDeadline is how long a sender waits for the database.
const databaseDeadline = 10 * time.Second

// take takes the message of the budget, unless that was done. It takes none if there is nothing to send: no account has
// the number of a code to reset a password. It writes the budget then, too, so that the next request waits alike.
func (s *Signin) take(ctx context.Context, o *outgoing) error {
	if o.expense.Messages > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, databaseDeadline)
	defer cancel()
	o.expense.Messages = 1
	if o.Purpose == verification.ResetPassword {
		_, err := s.accounts.ByPhone(ctx, o.login)
		if errors.Is(err, access.ErrNoAccount) {
			o.expense.Messages = 0
		} else if err != nil {
			return err
		}
	}
	return s.joining.Codes.Take(ctx, o.expense)
}

// giveBack gives a message that was taken and not sent back to the budget.
func (s *Signin) giveBack(ctx context.Context, o outgoing) {
	ctx, cancel := context.WithTimeout(ctx, databaseDeadline)
	defer cancel()
	o.expense.Budget, o.expense.Messages = verification.Budget{}, -o.expense.Messages
	if err := s.joining.Codes.Take(ctx, o.expense); err != nil {
		s.log(ctx).WarnContext(ctx, "a message that was not sent still counts for the budget", "message", o.ID, "error", err)
	}
}

// send sends the message, unless it is about an account that does not exist.
func (s *Signin) send(ctx context.Context, o outgoing) {
	err := s.take(ctx, &o)
	switch {
	case o.expense.Messages == 0:
		return
	case err != nil:
		s.ended(ctx, o.Message, Dropped, slog.LevelError, err)
		return
	}
	err = s.joining.Sender.Send(ctx, o.Message)
	if verification.CostsNothing(err) {
		s.giveBack(ctx, o)
	}
	refused, isRefused := errors.AsType[*verification.RefusedError](err)
	switch {
	case err == nil:
		s.ended(ctx, o.Message, Accepted, slog.LevelDebug, nil)
	case isRefused && (refused.Reason == verification.BadNumber || refused.Reason == verification.Blocked):
		s.ended(ctx, o.Message, Refused(refused.Reason), slog.LevelInfo, err)
	case isRefused:
		s.ended(ctx, o.Message, Refused(refused.Reason), slog.LevelError, err)
	case errors.Is(err, verification.ErrBusy):
		s.ended(ctx, o.Message, Busy, slog.LevelWarn, err)
	default:
		s.ended(ctx, o.Message, Unknown, slog.LevelWarn, err)
	}
}

// ended counts the message, and logs one that the provider has not taken, without its number.
func (s *Signin) ended(ctx context.Context, m verification.Message, o Outcome, level slog.Level, err error) {
	if err != nil {
		s.log(ctx).Log(ctx, level, "a message was not sent", "message", m.ID, "purpose", m.Purpose, "error", err)
	}
	s.sending.mu.Lock()
	defer s.sending.mu.Unlock()
	s.sending.counts[o]++
}

// MessageCount returns how many messages have had the outcome since this server started.
func (s *Signin) MessageCount(o Outcome) int64 {
	s.sending.mu.Lock()
	defer s.sending.mu.Unlock()
	return s.sending.counts[o]
}

// Close waits until the messages on their way have ended.
func (s *Signin) Close() { s.sending.all.Wait() }

// checkCode counts a try of the code and compares it by the key. It returns the spending of the change that the code allows, or
// verification.ErrWrongCode.
func (s *Signin) checkCode(
	ctx context.Context, p verification.Purpose, key verification.Key, phone user.Phone, typed secret.String, from netip.Addr,
) (verification.Spending, error) {
	attempt := verification.Attempt{
		Purpose: p, Number: verification.NumberOf(phone), From: access.SourceOf(from).First(), Now: s.now(),
	}
	code, err := s.joining.Codes.Try(ctx, attempt)
	if err != nil {
		return verification.Spending{}, err
	}
	return code.Verify(key, typed, attempt.From)
}

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
