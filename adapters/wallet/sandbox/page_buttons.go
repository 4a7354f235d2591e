package sandbox

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// choice is a button that makes something go wrong. Its Effect says what it does.
type choice struct {
	Misbehaviour
	Label, Effect string
}

// Delays of buttons.
const (
	lateAnswer       = 8 * time.Second  // longer than merchants usually wait
	lateNotification = 10 * time.Second // before scaling
)

// payments are the buttons that pay an order and misbehave with its notification.
func (s *Server) payments() []choice {
	again, late := s.scaled(pauses[0]), s.scaled(lateNotification)
	return []choice{
		{Misbehaviour{Do: Lose}, "Pay, lose the notification", fmt.Sprintf("The first notification is lost. The next one follows after %v.", again)},
		{Misbehaviour{Do: Delay, DelayMS: late.Milliseconds()}, "Pay, notify late",
			fmt.Sprintf("The notification is sent after %v.", late)},
		{Misbehaviour{Do: Late}, "Pay, notify out of order",
			fmt.Sprintf("The notification is sent after that of another payment, at the latest after %v.", again)},
		{Misbehaviour{Do: Repeat, Copies: 3}, "Pay, notify three times", "Three copies of the notification are sent at once."},
		{Misbehaviour{Do: Forge}, "Pay, forge the notification",
			fmt.Sprintf("The first notification has a wrong signature, and the merchant must refuse it. A genuine one follows after %v.", again)},
		{Misbehaviour{Do: Amount}, "Pay, notify a wrong amount", "The notification is signed correctly but names one fen more than was paid. The merchant must doubt it."},
	}
}

// answerChoices are the buttons that misbehave with the next answer to the merchant.
var answerChoices = []choice{
	{Misbehaviour{Do: Delay, DelayMS: lateAnswer.Milliseconds()}, "Answer late", fmt.Sprintf("The request is processed and answered after %v.", lateAnswer)},
	{Misbehaviour{Do: Slow, DelayMS: lateAnswer.Milliseconds()}, "Process late", fmt.Sprintf("The request is processed after %v, even if the merchant has gone.", lateAnswer)},
	{Misbehaviour{Do: Hold}, "Hold the answer", fmt.Sprintf("The request is processed. The answer is sent when this page says so; after %v minutes it is lost.", maxHold.Minutes())},
	{Misbehaviour{Do: Reset}, "Break the connection", "The request is processed. The connection ends without an answer."},
	{Misbehaviour{Do: Garbage}, "Answer nonsense", "The request is processed. The answer is an HTML page."},
	{Misbehaviour{Do: Forge}, "Forge the answer", "The request is processed. The answer has a wrong signature."},
	{Misbehaviour{Do: ErrorAfter}, "Fail afterwards", "The request is processed but answered with SYSTEMERROR."},
	{Misbehaviour{Do: ErrorBefore}, "Fail", "The request is answered with SYSTEMERROR and not processed."},
	{Misbehaviour{Do: Crowded}, "Be busy", "The request is answered with FREQUENCY_LIMITED and not processed."},
	{Misbehaviour{Do: SayPaid}, "Claim a payment", "The request is answered with ORDERPAID and not processed."},
}

// operationName is how the page calls an operation.
type operationName struct {
	On    Operation
	Label string
}

var operationNames = []operationName{
	{UnifiedOrder, "order"}, {OrderQuery, "query"}, {CloseOrder, "request to close"}, {Notify, "notification"},
}

// answeredOperations are those that the wallet answers.
var answeredOperations = operationNames[:3]

// labelOf names a misbehaviour as its button does. Those of notifications have no label here.
func labelOf(m Misbehaviour) string {
	text := string(m.Do)
	if i := slices.IndexFunc(answerChoices, func(c choice) bool { return c.Do == m.Do }); i >= 0 && m.On != Notify {
		text = answerChoices[i].Label
	}
	i := slices.IndexFunc(operationNames, func(n operationName) bool { return n.On == m.On })
	return operationNames[i].Label + ": " + text
}

// pendingMisbehaviours describes the misbehaviours that have not happened yet.
func (s *Server) pendingMisbehaviours() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.tricks[:min(len(s.tricks), maxShown)] {
		text := labelOf(m)
		if m.Times > 1 {
			text += fmt.Sprintf(", %d times", m.Times)
		}
		if m.No != "" {
			text += ", for " + m.No
		}
		all = append(all, text)
	}
	return all
}

// payOne pays an order. The field "notification" makes its notification go wrong.
func (s *Server) payOne(w http.ResponseWriter, r *http.Request) {
	s.press(w, r, func(no string) error {
		trick := Trick(r.PostFormValue("notification"))
		if trick == "" {
			_, err := s.Pay(no, PaymentOptions{})
			return err
		}
		all := s.payments()
		i := slices.IndexFunc(all, func(c choice) bool { return c.Do == trick })
		if i < 0 {
			return fmt.Errorf("%w: notifications do not support %q", errBadButton, trick)
		}
		_, err := s.Pay(no, PaymentOptions{Notification: all[i].Misbehaviour})
		return err
	})
}

func (s *Server) declineOne(w http.ResponseWriter, r *http.Request) { s.press(w, r, s.Decline) }

func (s *Server) expireOne(w http.ResponseWriter, r *http.Request) { s.press(w, r, s.Expire) }

var errBadButton = errors.New("no such button")

// readForm reads the fields of a button. Its error is errBadButton.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		return fmt.Errorf("%w: the form can't be read or is too large", errBadButton)
	}
	return nil
}

// press does what a button of an order does, and shows the order.
func (s *Server) press(w http.ResponseWriter, r *http.Request, do func(no string) error) {
	no := r.PathValue("no")
	err := readForm(w, r)
	if err == nil {
		err = do(no)
	}
	switch {
	case err == nil:
		http.Redirect(w, r, "/sandbox/pay/"+url.PathEscape(no), http.StatusSeeOther)
	case errors.Is(err, errBadButton), errors.Is(err, errTooManyTricks):
		s.showTrade(w, r, http.StatusBadRequest, no, err.Error())
	case errors.Is(err, ErrPaid), errors.Is(err, ErrClosed), errors.Is(err, ErrExpired), errors.Is(err, ErrUnknown):
		s.showTrade(w, r, http.StatusConflict, no, err.Error())
	default:
		s.cfg.Log.Error("sandbox: changing an order failed", "cause", err)
		s.showTrade(w, r, http.StatusInternalServerError, no, "the sandbox can't write its ledger")
	}
}

// misbehaveNext makes the next answer to the merchant go wrong.
func (s *Server) misbehaveNext(w http.ResponseWriter, r *http.Request) {
	err := readForm(w, r)
	m := Misbehaviour{On: Operation(r.PostFormValue("on")), Do: Trick(r.PostFormValue("do")), No: r.PostFormValue("out_trade_no")}
	if i := slices.IndexFunc(answerChoices, func(c choice) bool { return c.Do == m.Do }); i >= 0 {
		m.DelayMS = answerChoices[i].DelayMS
	}
	if err == nil {
		err = s.Misbehave(m)
	}
	if err != nil {
		s.showPage(w, r, http.StatusBadRequest, s.pageOfAll(err.Error()))
		return
	}
	backTo(w, r, m.No)
}

// behaveAgain forgets the misbehaviours that have not happened yet and sends held answers.
func (s *Server) behaveAgain(w http.ResponseWriter, r *http.Request) {
	if err := readForm(w, r); err != nil {
		s.showPage(w, r, http.StatusBadRequest, s.pageOfAll(err.Error()))
		return
	}
	s.Behave()
	backTo(w, r, r.PostFormValue("out_trade_no"))
}

// backTo leads to the page of the order, or of all orders without one.
func backTo(w http.ResponseWriter, r *http.Request, no string) {
	if no == "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	http.Redirect(w, r, "/sandbox/pay/"+url.PathEscape(no), http.StatusSeeOther)
}
