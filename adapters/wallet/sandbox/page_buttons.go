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
func (s *Server) payments(protocol Protocol) []choice {
	again, late := s.scaled(pauses[0]), s.scaled(lateNotification)
	all := []choice{
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
	if protocol != V3 {
		return all
	}
	refused := fmt.Sprintf(" The merchant must refuse the first notification. Another one follows after %v.", again)
	return append(all,
		choice{Misbehaviour{Do: Probe}, "Pay, probe the merchant", "The signature is one with which the wallet tries whether signatures are verified." + refused},
		choice{Misbehaviour{Do: Old}, "Pay, notify as if it were old", "The signature is more than five minutes old." + refused},
		choice{Misbehaviour{Do: OtherSerial}, "Pay, name an unknown key", "The notification names a key that the wallet does not have." + refused},
		choice{Misbehaviour{Do: RetiredKey}, "Pay, sign with a retired key", "The notification is signed with a key that is not listed any more." + refused},
	)
}

// answerChoices are the buttons that misbehave with the next answer to the merchant.
var answerChoices = []choice{
	{Misbehaviour{Do: Delay, DelayMS: lateAnswer.Milliseconds()}, "Answer late", fmt.Sprintf("The request is processed and answered after %v.", lateAnswer)},
	{Misbehaviour{Do: Slow, DelayMS: lateAnswer.Milliseconds()}, "Process late", fmt.Sprintf("The request is processed after %v, even if the merchant has gone.", lateAnswer)},
	{Misbehaviour{Do: Reset}, "Break the connection", "The request is processed. The connection ends without an answer."},
	{Misbehaviour{Do: Garbage}, "Answer nonsense", "The request is processed. The answer is an HTML page."},
	{Misbehaviour{Do: Forge}, "Forge the answer", "The request is processed. The answer has a wrong signature."},
	{Misbehaviour{Do: ErrorAfter}, "Fail afterwards", "The request is processed but answered with SYSTEMERROR."},
	{Misbehaviour{Do: ErrorBefore}, "Fail", "The request is answered with SYSTEMERROR and not processed."},
	{Misbehaviour{Do: Crowded}, "Be busy", "The request is answered with FREQUENCY_LIMITED and not processed."},
	{Misbehaviour{Do: SayPaid}, "Claim a payment", "The request is answered with ORDERPAID and not processed."},
	{Misbehaviour{Do: Probe}, "Probe the merchant", "The request is processed. The answer’s signature is one with which the wallet tries whether signatures are verified."},
	{Misbehaviour{Do: Old}, "Sign an old answer", "The request is processed. The answer’s signature is more than five minutes old, and in version 2, where signatures have no time, wrong."},
	{Misbehaviour{Do: OtherSerial}, "Name an unknown key", "The request is processed. The answer names a key that the wallet does not have; in version 2 its signature is wrong."},
	{Misbehaviour{Do: RetiredKey}, "Sign with a retired key", "The request is processed. The answer is signed with a key that is not listed any more; in version 2 its signature is wrong."},
}

// otherChoices are the buttons for misbehaviours that a single operation has.
var otherChoices = []choice{
	{Misbehaviour{On: RefundOrder, Do: NoFunds}, "Have no money", "The next request for a refund is refused, because the merchant’s balance is too low."},
	{Misbehaviour{On: TradeBill, Do: LoseLine}, "Lose a line", "The next bill lacks its last line."},
	{Misbehaviour{On: TradeBill, Do: Amount}, "Change an amount", "The first line of the next bill names one fen more."},
	{Misbehaviour{On: TradeBill, Do: BadHash}, "Give a wrong hash", "The next bill has the hash of another one; in version 2 its sums are wrong."},
	{Misbehaviour{On: TradeBill, Do: Truncate}, "Cut the answer off", "Only half of the next answer about a bill is sent: in version 2 that is the bill."},
	{Misbehaviour{On: DownloadBill, Do: Truncate}, "Cut the bill off", "Only half of the next bill is sent."},
}

// outcomes are the buttons that end a refund.
var outcomes = []struct {
	State         RefundState
	Label, Effect string
}{
	{RefundSucceeded, "Let it succeed", "The payer has the money."},
	{RefundClosed, "Close it", "Nothing is returned. The merchant can ask for another refund."},
	{RefundAbnormal, "Let it be lost", "The money has left the merchant and has not arrived, because the payer’s card is gone. It can still succeed."},
}

// operationName is how the page calls an operation.
type operationName struct {
	On    Operation
	Label string
}

var operationNames = []operationName{
	{UnifiedOrder, "order"}, {OrderQuery, "query"}, {CloseOrder, "request to close"},
	{Prepay, "order of version 3"}, {QueryTrade, "query of version 3"}, {CloseTrade, "request to close of version 3"},
	{RefundOrder, "refund"}, {RefundQuery, "query of a refund"}, {TradeBill, "request for a bill"}, {DownloadBill, "download of a bill"},
	{ListKeys, "request for certificates"},
	{Notify, "notification"}, {NotifyRefund, "notification of a refund"},
}

// answeredOperations are those that the wallet answers.
var answeredOperations = operationNames[:11]

// labelOf names a misbehaviour as its button does. Those of notifications have no label here.
func labelOf(m Misbehaviour) string {
	text := string(m.Do)
	if i := slices.IndexFunc(answerChoices, func(c choice) bool { return c.Do == m.Do }); i >= 0 && m.On != Notify && m.On != NotifyRefund {
		text = answerChoices[i].Label
	}
	if i := slices.IndexFunc(otherChoices, func(c choice) bool { return c.Do == m.Do && c.On == m.On }); i >= 0 {
		text = otherChoices[i].Label
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
		all := s.payments(V3)
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

// endOne ends a refund, as the field "state" says.
func (s *Server) endOne(w http.ResponseWriter, r *http.Request) {
	refund := r.PathValue("no")
	s.mu.Lock()
	no := s.refunds[refund].OutTradeNo
	s.mu.Unlock()
	s.pressFor(w, r, no, func(string) error {
		return s.RefundOutcome(refund, RefundState(r.PostFormValue("state")))
	})
}

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
	s.pressFor(w, r, r.PathValue("no"), do)
}

// pressFor is press for an order that the path does not name.
func (s *Server) pressFor(w http.ResponseWriter, r *http.Request, no string, do func(no string) error) {
	err := readForm(w, r)
	if err == nil {
		err = do(no)
	}
	switch {
	case err == nil:
		http.Redirect(w, r, "/sandbox/pay/"+url.PathEscape(no), http.StatusSeeOther)
	case errors.Is(err, errBadButton), errors.Is(err, errTooManyTricks), errors.Is(err, errNoOutcome):
		s.showTrade(w, r, http.StatusBadRequest, no, err.Error())
	case slices.ContainsFunc(tooLate, func(known error) bool { return errors.Is(err, known) }):
		s.showTrade(w, r, http.StatusConflict, no, err.Error())
	default:
		s.cfg.Log.Error("sandbox: changing an order failed", "cause", err)
		s.showTrade(w, r, http.StatusInternalServerError, no, "the sandbox can't write its ledger")
	}
}

// tooLate are the errors of buttons whose order or refund has changed, or does not exist.
var tooLate = []error{ErrPaid, ErrClosed, ErrExpired, ErrUnknown, ErrRefundEnded, ErrUnknownRefund}

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

// behaveAgain forgets the misbehaviours that have not happened yet.
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
