package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Details of the tricks of buttons.
const (
	buttonDelay  = 8 * time.Second // longer than merchants usually wait
	buttonCopies = 3
)

// notificationTricks are the tricks of the buttons that pay an order.
func notificationTricks() []trickInfo {
	return slices.DeleteFunc(slices.Clone(trickTable), func(t trickInfo) bool { return !slices.Contains(t.On, Notify) })
}

// outcomes are the buttons that end a refund.
var outcomes = []struct {
	State         RefundState
	Label, Effect string
}{
	{RefundSucceeded, "Let it succeed", "The payer has the money."},
	{RefundClosed, "Close it", "Nothing is returned. The merchant can ask for another refund."},
	{RefundAbnormal, "Let it be lost", "The money does not arrive, because the payer’s card is gone. It can still succeed."},
}

// operationNames are how the page calls the operations.
var operationNames = map[Operation]string{
	UnifiedOrder: "order", OrderQuery: "query", CloseOrder: "request to close",
	Prepay: "order of version 3", QueryTrade: "query of version 3", CloseTrade: "request to close of version 3",
	RefundOrder: "refund", RefundQuery: "query of a refund", TradeBill: "request for a bill", DownloadBill: "download of a bill",
	ListKeys: "request for certificates", Notify: "notification", NotifyRefund: "notification of a refund",
}

// pendingMisbehaviours describes the misbehaviours that have not happened yet.
func (s *Server) pendingMisbehaviours() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, m := range s.tricks[:min(len(s.tricks), maxShown)] {
		do := slices.IndexFunc(trickTable, func(t trickInfo) bool { return t.Do == m.Do })
		text := operationNames[m.On] + ": " + trickTable[do].Label
		if m.No != "" {
			text += ", for " + m.No
		}
		all = append(all, text)
	}
	return all
}

// press does what a button says, and shows the order that it is about, or else all orders. Programs
// send the same forms.
func (s *Server) press(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseForm()
	no := cmp.Or(r.PathValue("no"), r.PostFormValue("out_trade_no"))
	if r.PathValue("button") == "refund" {
		s.mu.Lock()
		no = s.refunds[no].OutTradeNo
		s.mu.Unlock()
	}
	if err == nil {
		err = s.pressed(r, no)
	} else {
		err = fmt.Errorf("%w: the form can't be read or is too large", errImpossible)
	}
	code := http.StatusConflict // the order or the refund has changed, or does not exist
	switch {
	case err == nil:
		to := "/"
		if no != "" {
			to = "/sandbox/pay/" + url.PathEscape(no)
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	case errors.Is(err, errImpossible):
		code = http.StatusBadRequest
	case errors.Is(err, errLedger):
		s.cfg.Log.Error("sandbox: changing an order failed", "cause", err)
		code, err = http.StatusInternalServerError, errLedger
	}
	note := err.Error()
	if known, is := errors.AsType[refusal](err); is {
		note = known.text
	}
	if r.PathValue("no") == "" {
		s.showPage(w, code, s.pageOfAll(note))
	} else {
		s.showTrade(w, code, no, note)
	}
}

// pressed does what the button says. no is the order that it is about.
func (s *Server) pressed(r *http.Request, no string) error {
	m := Misbehaviour{
		On: Operation(r.PostFormValue("on")), Do: Trick(r.PostFormValue("do")), No: no,
		Copies: buttonCopies, DelayMS: buttonDelay.Milliseconds(),
	}
	switch r.PathValue("button") {
	case "pay":
		_, err := s.Pay(no, PaymentOptions{Notification: m})
		return err
	case "decline":
		return s.Decline(no)
	case "expire":
		return s.Expire(no)
	case "refund":
		return s.RefundOutcome(r.PathValue("no"), RefundState(r.PostFormValue("state")))
	case "misbehave":
		return s.Misbehave(m)
	case "behave":
		s.Behave()
		return nil
	}
	return errImpossible
}
