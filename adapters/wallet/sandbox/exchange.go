package sandbox

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// Bounds of the body of a request.
const (
	maxBody  = 64 << 10
	readTime = 10 * time.Second
)

// request is a request of the merchant.
type request struct {
	*http.Request
	operation Operation
	asked     fields // nil: the sender is unknown
	number    string // of the order that it is about, if it names one
	trick     Misbehaviour
}

// message is an answer of the wallet, or a notification, which has no status.
type message struct {
	status int
	header http.Header
	body   []byte
}

// content is a reply that is sent as it is, without a signature.
type content []byte

// version is a version of the wallet's protocol.
type version interface {
	// read returns the fields of a request. It returns none if the request is not the merchant's.
	read(*request) (fields, error)
	// answer returns the answer to a request: the reply, or else the refusal.
	answer(r *request, reply any, no *ledger.Refusal) message
	// notification returns the message about a payment, or about its refund.
	notification(ledger.Trade, *ledger.Refund, Misbehaviour) message
	// acknowledged returns nil if the merchant's answer acknowledges a notification.
	acknowledged(status int, body []byte) error
}

// exchange serves an operation in a version of the protocol. All that makes an answer go wrong in each version is here:
// whether the request is processed, and when and how its answer is sent.
type exchange struct {
	*wallet
	version
	operation Operation
	form      form
	do        func(*request) (reply any, err error)
}

// refusingTricks are the refusals of requests that are not processed.
var refusingTricks = map[Trick]ledger.Refusal{
	ErrorBefore: errSystem, Crowded: ledger.ErrCrowded, SayPaid: ledger.ErrPaid, NoFunds: errFunds,
}

// ServeHTTP implements http.Handler.
func (e exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := &request{Request: r, operation: e.operation}
	// The deadline is for the body only; later it would end a delayed answer. A writer without deadlines has none to miss.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime))
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	f, err := e.read(asked)
	_ = control.SetReadDeadline(time.Time{})
	var reply any
	if asked.asked = f; err == nil {
		reply, err = e.process(asked)
	}
	var refused *ledger.Refusal
	if no, is := errors.AsType[ledger.Refusal](err); err != nil {
		if reply, refused = nil, &no; !is {
			e.Log.Error("sandbox: processing a request failed", "cause", err)
			no = errSystem
		}
	}
	a, trick := e.answer(asked, reply, refused), asked.trick
	e.Log.Info("sandbox: request", "operation", e.operation, "no", asked.number, "trick", trick.Do, "status", a.status, "cause", err)
	switch trick.Do {
	case Delay:
		pause(r.Context(), trick.delay(), nil)
	case Reset:
		panic(http.ErrAbortHandler) // net/http closes the connection
	case Garbage: // as of a broken proxy
		a = message{http.StatusOK, http.Header{"Content-Type": {"text/html"}}, []byte("<html><body>Bad Gateway</body>")}
	case Truncate:
		a.body = a.body[:len(a.body)/2]
	}
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // fails only when the client has disconnected
}

// process does what a genuine request asks for, unless its misbehaviour forbids that.
func (e exchange) process(r *request) (reply any, err error) {
	r.number = e.ledger.Number(r.asked["transaction_id"], r.asked["out_trade_no"], r.asked["out_refund_no"])
	r.trick = e.next(r.operation, r.number)
	if r.trick.Do == Slow {
		pause(r.Context(), r.trick.delay(), nil)
	}
	if no, refuses := refusingTricks[r.trick.Do]; refuses {
		return nil, no
	}
	if err := e.check(r.asked, e.form); err != nil {
		return nil, err
	}
	reply, err = e.do(r)
	if err == nil && r.trick.Do == ErrorAfter {
		err = errSystem
	}
	return reply, err
}

// pause waits until the channel is closed, at most for the duration and while the context lasts.
func pause(ctx context.Context, d time.Duration, end <-chan struct{}) {
	select {
	case <-time.After(d):
	case <-end:
	case <-ctx.Done():
	}
}
