//go:build soak

package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// repeater sends requests at a steady pace. It repeats each one once if it is not answered, or with
// 502, 503 or 504, as the guide for clients says: a POST with its Idempotency-Key. Then it gives up.
type repeater struct {
	next http.RoundTripper
	pace *time.Ticker

	mu      sync.Mutex
	serial  int
	open    map[int]time.Time // requests in progress, and when they began
	stopped bool
	trouble time.Time // when a request last failed at its first try, or took long
	figures
}

// figures are what clients notice of a fault.
type figures struct {
	requests, repeated, failed int
	normal                     time.Duration // until everything was answered at once again
}

func (f figures) String() string {
	return fmt.Sprintf("normal after %.1f s; of %d requests %d were repeated, and %d failed after that",
		f.normal.Seconds(), f.requests, f.repeated, f.failed)
}

// long is what no request takes when all is well.
const long = 1500 * time.Millisecond

// attemptTimeout is longer than Plaza takes when nothing comes back from its database.
const attemptTimeout = 25 * time.Second

var (
	errStopped    = errors.New("the load has stopped")
	errUnanswered = errors.New("not answered after a repetition")
)

func newRepeater(t *testing.T, every time.Duration) *repeater {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	r := &repeater{next: transport, pace: time.NewTicker(every), open: map[int]time.Time{}}
	t.Cleanup(func() {
		r.pace.Stop()
		transport.CloseIdleConnections()
	})
	return r
}

// RoundTrip implements http.RoundTripper.
func (r *repeater) RoundTrip(req *http.Request) (*http.Response, error) {
	<-r.pace.C
	n, err := r.begin()
	if err != nil {
		return nil, err
	}
	defer r.end(n)
	header := req.Header.Clone()
	if req.Method == http.MethodPost {
		header.Set("Idempotency-Key", rand.Text())
	}
	res, err := r.attempt(req, header)
	if !isTemporary(res, err) {
		return res, err
	}
	r.note(func() { r.repeated, r.trouble = r.repeated+1, time.Now() })
	select {
	case <-time.After(pause(res)):
	case <-req.Context().Done():
	}
	res, err = r.attempt(req, header)
	isBusy := err == nil && res.StatusCode == http.StatusConflict && req.Method == http.MethodPost // the first try goes on
	if isTemporary(res, err) || isBusy {
		r.note(func() { r.failed, r.trouble = r.failed+1, time.Now() })
		return nil, errUnanswered
	}
	if res.StatusCode == http.StatusNotFound && req.Method == http.MethodDelete {
		res.StatusCode = http.StatusNoContent // the first try has deleted it
	}
	return res, nil
}

// attempt sends the request once, and reads the whole answer.
func (r *repeater) attempt(req *http.Request, header http.Header) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), attemptTimeout)
	defer cancel()
	try := req.Clone(ctx)
	try.Header = header
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		try.Body = body
	}
	res, err := r.next.RoundTrip(try)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	whole, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(whole))
	return res, nil
}

func isTemporary(res *http.Response, err error) bool {
	if err != nil {
		return true
	}
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// pause is how long a client waits before it repeats a request.
func pause(res *http.Response) time.Duration {
	if res != nil {
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
			return time.Duration(seconds) * time.Second
		}
	}
	return time.Second
}

func (r *repeater) begin() (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return 0, errStopped
	}
	r.serial++
	r.requests++
	r.open[r.serial] = time.Now()
	return r.serial, nil
}

func (r *repeater) end(n int) {
	r.note(func() {
		if time.Since(r.open[n]) > long {
			r.trouble = time.Now()
		}
		delete(r.open, n)
	})
}

func (r *repeater) note(what func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	what()
}

func (r *repeater) stop()  { r.note(func() { r.stopped = true }) }
func (r *repeater) start() { r.note(func() { r.stopped = false }) }

func (r *repeater) isStopped() (is bool) {
	r.note(func() { is = r.stopped })
	return is
}

// quiet is how long everything must be answered at once to count as normal.
const quiet = 2 * time.Second

// watch has the fault done, returns when everything is normal again, and what clients noticed.
func (r *repeater) watch(t *testing.T, fault func()) figures {
	t.Helper()
	var began time.Time
	r.note(func() { r.figures, r.trouble, began = figures{}, time.Time{}, time.Now() })
	fault()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(2 * patience); ; {
		isNormal, normal := false, figures{}
		r.note(func() {
			for _, since := range r.open {
				if time.Since(since) > long {
					r.trouble = time.Now()
				}
			}
			last := began
			if r.trouble.After(last) {
				last = r.trouble
			}
			isNormal = time.Since(last) > quiet && r.requests > 0
			normal = r.figures
			normal.normal = last.Sub(began)
		})
		if isNormal {
			return normal
		}
		select {
		case <-tick.C:
		case <-deadline:
			require.Fail(t, "it never gets normal", "%+v", normal)
		}
	}
}
