package e2e

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// stop holds one thing that passes a crossing, until it is freed.
type stop struct {
	matches func(what string) bool
	reached chan struct{} // closed when something is held
	freed   chan struct{} // closed when it may go on
	once    sync.Once
	passes  bool             // what was held goes on, else it is lost; for those who have seen freed
	instead http.HandlerFunc // answers, so that nothing is held; nil: it is held
}

// hold waits, and says whether what was held goes on.
func (s *stop) hold() bool {
	close(s.reached)
	<-s.freed
	return s.passes
}

// free lets go of what is held; once it is decided whether it goes on, it stays so.
func (s *stop) free(passes bool) {
	s.once.Do(func() {
		s.passes = passes
		close(s.freed)
	})
}

// isReached waits until something is held.
func (s *stop) isReached(t *testing.T) {
	t.Helper()
	await(t, s.reached, "nothing has come to the point where it is to be held")
}

// crossing is a place that requests and answers pass, where one of them can be held from
// outside.
type crossing struct {
	mu    sync.Mutex
	armed *stop
	all   []*stop
}

// stopAt holds the next thing that matches.
func (c *crossing) stopAt(matches func(what string) bool) *stop { return c.stop(matches, nil) }

func (c *crossing) stop(matches func(what string) bool, instead http.HandlerFunc) *stop {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = &stop{matches: matches, reached: make(chan struct{}), freed: make(chan struct{}), instead: instead}
	c.all = append(c.all, c.armed)
	return c.armed
}

// stopAtThe holds the next thing of that name.
func (c *crossing) stopAtThe(name string) *stop {
	return c.stopAt(func(what string) bool { return what == name })
}

// at is the stop for what is passing; nil: it passes.
func (c *crossing) at(what string) *stop {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.armed == nil || !c.armed.matches(what) {
		return nil
	}
	s := c.armed
	c.armed = nil
	return s
}

// forget leaves the held requests to the owner of the stop.
func (c *crossing) forget(s *stop) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = slices.DeleteFunc(c.all, func(other *stop) bool { return other == s })
}

// clear holds nothing any more; what is held is lost.
func (c *crossing) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.all {
		s.free(false)
	}
	c.armed, c.all = nil, nil
}

// The messages between the server and the wallet. Requests of version 3 have the names of version 2.
const (
	ordering       = "a request for unifiedorder"
	ordered        = "an answer to unifiedorder"
	asked          = "an answer to orderquery"
	closing        = "a request for closeorder"
	closed         = "an answer to closeorder"
	refunding      = "a request for refund"
	refunded       = "an answer to refund"
	refundAsked    = "an answer to refundquery"
	notifying      = "a notification, which nothing holds any more"
	notified       = "an answer to a notification"
	requestsPrefix = "a request for "
	answersPrefix  = "an answer to "
)

// gate stands before the wallet.
type gate struct {
	crossing
	wallet http.Handler
}

// ServeHTTP implements http.Handler.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // its sender is dead
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	operation := operationOf(r)
	if s := g.at(requestsPrefix + operation); s != nil {
		if s.instead != nil {
			s.instead(w, r)
			close(s.reached)
			return
		}
		if !s.hold() {
			panic(http.ErrAbortHandler)
		}
	}
	if s := g.at(answersPrefix + operation); s != nil {
		w = &heldAnswer{ResponseWriter: w, stop: s}
	}
	g.wallet.ServeHTTP(w, r)
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

// refusesThe answers the next request of that name as the wallet answers when it takes none from this merchant.
func (g *gate) refusesThe(name string) *stop {
	return g.stop(func(what string) bool { return what == name }, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v3/") {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"SIGN_ERROR","message":"wrong signature"}`)
			return
		}
		_, _ = io.WriteString(w, "<xml><return_code>FAIL</return_code><return_msg>wrong parameters</return_msg></xml>")
	})
}

// heldAnswer holds an answer before its first byte.
type heldAnswer struct {
	http.ResponseWriter
	*stop
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

// front is the address that the wallet notifies: it stays the same from one server to the
// next.
type front struct {
	crossing
	client *http.Client
	mu     sync.Mutex
	server string // empty: there is none
}

func newFront() *front {
	f := &front{}
	f.client = &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			return watched{conn, f}, err
		},
	}}
	return f
}

// watched tells when what it carries has gone.
type watched struct {
	net.Conn
	front *front
}

func (w watched) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	if s := w.front.at(notifying); s != nil {
		close(s.reached)
	}
	return n, err
}

func (f *front) leadTo(server string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.server = server
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	server := f.server
	f.mu.Unlock()
	if server == "" {
		http.Error(w, "there is no server", http.StatusBadGateway)
		return
	}
	forward, err := http.NewRequestWithContext(r.Context(), http.MethodPost, server+r.URL.Path, r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	forward.Header = r.Header.Clone() // some are signed
	answer, err := f.client.Do(forward)
	if err != nil {
		panic(http.ErrAbortHandler) // the server was killed
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if s := f.at(notified); err != nil || s != nil && !s.hold() {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(body) // if it is lost it comes again
}
