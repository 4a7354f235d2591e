package sandbox

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"time"
)

// Operation is a request of the protocol, or the wallet's notification.
type Operation string

// Operations that Misbehave supports.
const (
	// Of version 2.
	UnifiedOrder Operation = "unifiedorder"
	OrderQuery   Operation = "orderquery"
	CloseOrder   Operation = "closeorder"

	// Of version 3.
	Prepay       Operation = "prepay"
	QueryTrade   Operation = "query"
	CloseTrade   Operation = "close"
	ListKeys     Operation = "certificates"
	DownloadBill Operation = "download"

	// Of both. The bill of version 2 is the answer itself.
	RefundOrder  Operation = "refund"
	RefundQuery  Operation = "refundquery"
	TradeBill    Operation = "tradebill"
	Notify       Operation = "notify" // of a payment
	NotifyRefund Operation = "notifyrefund"
)

// refusal is an answer that refuses a request.
type refusal struct{ code, text string }

func (r refusal) Error() string { return r.code + ": " + r.text }

var (
	errSystem       = refusal{"SYSTEMERROR", "the system is busy; query the order or repeat the request"}
	errCrowded      = refusal{"FREQUENCY_LIMITED", "too many requests"}
	refuseMerchant  = refusal{"MCHID_NOT_EXIST", "unknown merchant"}
	refuseSignature = refusal{"SIGNERROR", "wrong signature"}
	refuseApp       = refusal{"APPID_NOT_EXIST", "unknown appid"}
	refuseOtherApp  = refusal{"APPID_MCHID_NOT_MATCH", "the order belongs to another appid"}
)

// request is a request of the merchant.
type request struct {
	*http.Request
	operation Operation
	asked     fields
	number    string // of the order that it is about, if the wallet knows it
	trick     Misbehaviour
}

// answer is what the wallet sends back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// content is an answer that is sent as it is, without a signature.
type content []byte

// operation processes a request. Its caller holds the lock.
type operation func(*request) (reply any, err error)

// version reads a request in a version of the protocol, and answers it. The error is for the log.
type version func(http.ResponseWriter, *request) (answer, error)

// serve serves an operation. It knows what makes an answer go wrong in each version: when the
// answer is sent, and whether it is.
func (s *Server) serve(op Operation, read version) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked := &request{Request: r, operation: op}
		a, err := read(w, asked)
		trick := asked.trick
		s.cfg.Log.Info("sandbox: request", "operation", op, "no", asked.number, "trick", trick.Do, "status", a.status, "cause", err)
		switch trick.Do {
		case Delay:
			pause(r.Context(), trick.delay(), nil)
		case Reset:
			panic(http.ErrAbortHandler) // net/http closes the connection
		case Garbage: // as of a broken proxy
			a = answer{http.StatusOK, http.Header{"Content-Type": {"text/html"}}, []byte("<html><body>Bad Gateway</body>")}
		case Truncate:
			a.body = a.body[:len(a.body)/2]
		}
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body) // fails only when the client has disconnected
	}
}

// process does what a genuine request asks for, unless its misbehaviour forbids that.
func (s *Server) process(r *request, allowed form, do operation) (reply any, err error) {
	r.number = s.orderOf(r.asked)
	r.trick = s.nextMisbehaviour(r.operation, r.number)
	if r.trick.Do == Slow {
		pause(r.Context(), r.trick.delay(), nil)
	}
	if no, refuses := refusingTricks[r.trick.Do]; refuses {
		return nil, no
	}
	if err := s.check(r.asked, allowed); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	reply, err = do(r)
	if err == nil && r.trick.Do == ErrorAfter {
		err = errSystem
	}
	return reply, err
}

// orderOf returns the number of the order that the request is about, if the wallet knows it.
func (s *Server) orderOf(asked fields) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(asked["out_trade_no"], s.paid[asked["transaction_id"]], s.refunds[asked["out_refund_no"]].OutTradeNo)
}

// asRefusal returns the refusal that tells the error.
func (s *Server) asRefusal(err error) refusal {
	no, is := errors.AsType[refusal](err)
	if !is {
		s.cfg.Log.Error("sandbox: processing a request failed", "cause", err)
		return errSystem
	}
	return no
}

const readTime = 10 * time.Second

// readBody returns the body of the request.
func readBody(w http.ResponseWriter, r *request) ([]byte, error) {
	// The deadline is for the body only; later it would end a delayed answer. A writer without
	// deadlines has none to miss.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime))
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// pause waits until the channel is closed, at most for the duration and while the context lasts.
func pause(ctx context.Context, d time.Duration, end <-chan struct{}) {
	select {
	case <-time.After(d):
	case <-end:
	case <-ctx.Done():
	}
}
