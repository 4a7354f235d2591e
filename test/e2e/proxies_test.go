package e2e

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// breakpoint holds one message until it is freed.
type breakpoint struct {
	matches func(message string) bool
	message string        // that is held
	reached chan struct{} // closed when a message is held
	freed   chan struct{} // closed when it may go on
	once    sync.Once
	passes  bool          // the message goes on, else it is lost; for those who have seen freed
	handled chan struct{} // closed when the wallet has handled the request that was held
}

func (b *breakpoint) hold() bool {
	close(b.reached)
	<-b.freed
	return b.passes
}

// free lets go of the message. The first call decides whether it goes on.
func (b *breakpoint) free(passes bool) {
	b.once.Do(func() {
		b.passes = passes
		close(b.freed)
	})
}

// interceptor can hold one of the messages that pass the proxies.
type interceptor struct {
	mu    sync.Mutex
	armed *breakpoint
	all   []*breakpoint
}

// stopAtStep holds the n-th message that matches.
func (i *interceptor) stopAtStep(n int, matches func(message string) bool) *breakpoint {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.armed = &breakpoint{reached: make(chan struct{}), freed: make(chan struct{}), handled: make(chan struct{})}
	i.armed.matches = func(message string) bool {
		if matches(message) {
			n--
		}
		return n <= 0
	}
	i.all = append(i.all, i.armed)
	return i.armed
}

// at returns the breakpoint of the message; nil: it passes.
func (i *interceptor) at(message string) *breakpoint {
	i.mu.Lock()
	defer i.mu.Unlock()
	b := i.armed
	if b == nil || !b.matches(message) {
		return nil
	}
	b.message, i.armed = message, nil
	return b
}

// forget leaves the held message to the owner of the breakpoint.
func (i *interceptor) forget(b *breakpoint) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.all = slices.DeleteFunc(i.all, func(other *breakpoint) bool { return other == b })
}

// clear ends all breakpoints. Messages that are held are lost.
func (i *interceptor) clear() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, b := range i.all {
		b.free(false)
	}
	i.armed, i.all = nil, nil
}

// The messages between the server and the wallet. Requests of version 3 have the names of version 2.
const (
	notifying      = "a notification"
	notified       = "the answer to a notification"
	requestsPrefix = "a request for "
	answersPrefix  = "an answer to "
)

// walletProxy passes requests of the server on to the wallet.
type walletProxy struct {
	*interceptor
	wallet http.Handler
}

// ServeHTTP implements http.Handler.
func (p *walletProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // its sender is dead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	operation := operationOf(r)
	if b := p.at(requestsPrefix + operation); b != nil {
		if !b.hold() {
			panic(http.ErrAbortHandler)
		}
		defer close(b.handled)
	}
	if b := p.at(answersPrefix + operation); b != nil {
		w = &heldAnswer{ResponseWriter: w, breakpoint: b}
	}
	p.wallet.ServeHTTP(w, r)
}

// operationOf names what is asked for as version 2 does.
func operationOf(r *http.Request) string {
	switch at := r.URL.Path; {
	case strings.HasPrefix(at, "/v3/refund/") && r.Method == http.MethodPost:
		return "refund"
	case strings.HasPrefix(at, "/v3/refund/"):
		return "refundquery"
	case strings.HasPrefix(at, "/v3/") && strings.HasSuffix(at, "/close"):
		return "closeorder"
	case strings.HasPrefix(at, "/v3/pay/transactions/out-trade-no/"):
		return "orderquery"
	case strings.HasPrefix(at, "/v3/pay/transactions/"):
		return "unifiedorder"
	default:
		return at[strings.LastIndex(at, "/")+1:]
	}
}

// heldAnswer holds an answer before its first byte.
type heldAnswer struct {
	http.ResponseWriter
	*breakpoint
	once sync.Once
}

func (h *heldAnswer) Write(b []byte) (int, error) {
	h.once.Do(func() {
		if !h.hold() {
			panic(http.ErrAbortHandler)
		}
	})
	return h.ResponseWriter.Write(b)
}

// Unwrap lets deadlines of the connection be set.
func (h *heldAnswer) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// notifyProxy is the address that the wallet notifies. It stays the same when another server follows.
type notifyProxy struct {
	*interceptor
	mu     sync.Mutex
	server string // empty: none runs
}

func (p *notifyProxy) leadTo(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

// ServeHTTP implements http.Handler.
func (p *notifyProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	server := p.server
	p.mu.Unlock()
	if server == "" {
		http.Error(w, "no server runs", http.StatusBadGateway)
		return
	}
	forward, err := http.NewRequestWithContext(r.Context(), http.MethodPost, server+r.URL.Path, r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	forward.Header = r.Header.Clone() // some are signed
	if b := p.at(notifying); b != nil && !b.hold() {
		panic(http.ErrAbortHandler)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(forward)
	if err != nil {
		panic(http.ErrAbortHandler) // the server was killed
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if b := p.at(notified); err != nil || b != nil && !b.hold() {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body) // if it is lost it comes again
}
