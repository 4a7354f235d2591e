package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
)

func TestGEN_07_every_kind_of_fault_has_a_response(t *testing.T) {
	for _, kind := range fault.Kinds() {
		how := refusals[kind]
		assert.GreaterOrEqual(t, how.status, 400, kind)
		assert.NotEmpty(t, http.StatusText(how.status), kind)
		assert.NotEmpty(t, how.sentence, kind)
		got := Refuse(fault.New(kind, ""))
		assert.Equal(t, how.status, got.Status)
		assert.Equal(t, kind.Code(), got.Content.(envelope).Code)
		assert.Equal(t, how.status == http.StatusUnauthorized, got.header.Get("WWW-Authenticate") == "Token", kind)
	}
	assert.Len(t, refusals, len(fault.Kinds()))
}

func TestGEN_06_errors_have_one_envelope(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		body   string
		retry  string
	}{
		"a fault that is our mistake": {fault.New(fault.Internal, "password=hunter2"), 500,
			`{"error":true,"code":"SERVER_ERROR","data":{"detail":"Internal server error."}}`, ""},
		"a deadline": {fmt.Errorf("asking: %w", context.DeadlineExceeded), 504,
			`{"error":true,"code":"GATEWAY_TIMEOUT","data":{"detail":"The request timed out."}}`, ""},
		"later": {access.ErrThrottled(14*time.Minute + time.Nanosecond), 429,
			`{"error":true,"code":"THROTTLED","data":{"detail":"Too many failed logins. Try again later."}}`, "841"},
		"at once": {access.ErrThrottled(0), 429,
			`{"error":true,"code":"THROTTLED","data":{"detail":"Too many failed logins. Try again later."}}`, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			Fail(w, httptest.NewRequest(http.MethodGet, "/", nil), c.err)
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, c.body+"\n", w.Body.String())
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			assert.Equal(t, c.retry, w.Header().Get("Retry-After"))
		})
	}
}

func TestGEN_07_our_own_mistakes_are_logged_and_nobody_elses(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	for name, c := range map[string]struct {
		ctx    context.Context
		err    error
		logged string
		status int
	}{
		"a mistake of ours":          {t.Context(), errors.New("the disk is full"), "level=ERROR", 500},
		"a cancellation of our own":  {t.Context(), fmt.Errorf("reading: %w", context.Canceled), "level=ERROR", 500},
		"another system":             {t.Context(), fault.New(fault.Gateway, "The wallet is down."), "level=WARN", 502},
		"the client's mistake":       {t.Context(), event.ErrNotFound, "", 404},
		"a client that went away":    {gone, fmt.Errorf("reading: %w", context.Canceled), "", clientGone},
		"a mistake, the client gone": {gone, errors.New("the disk is full"), "level=ERROR", 500},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			ctx := &requestLog{Context: c.ctx, log: slog.New(slog.NewTextHandler(&log, nil)), id: "1"}
			w := httptest.NewRecorder()
			Fail(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), c.err)
			assert.Equal(t, c.status, w.Code)
			if c.logged == "" {
				assert.Empty(t, log.String())
				return
			}
			assert.Contains(t, log.String(), c.logged)
			assert.Contains(t, log.String(), c.err.Error())
			assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("\n")), "once")
		})
	}
}
