package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sms/sandbox"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// asked returns the answer of the page's handler.
func asked(s *sandbox.Sandbox, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Page().ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

func TestAUT15_the_page_shows_the_newest_messages(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := sandbox.New(func() time.Time { return now })
	assert.Contains(t, asked(s, "GET", "/sms/").Body.String(), "No messages so far.")
	for i, text := range []string{"<script>alert(1)</script>", "second"} {
		m := message(t, i)
		m.Purpose, m.Code, m.Text = verification.SignUp, secret.New("00000"+m.ID), secret.New(text)
		require.NoError(t, s.Send(t.Context(), m))
		now = now.Add(time.Minute)
	}
	page := asked(s, "GET", "/sms/")
	assert.Equal(t, http.StatusOK, page.Code)
	html := page.Body.String()
	for _, part := range []string{
		"To &#43;8613800000000", `class="code">000000<`, "&lt;script&gt;alert(1)", "2 minutes ago", "sign_up", `http-equiv="refresh"`,
	} {
		assert.Contains(t, html, part)
	}
	assert.NotContains(t, html, "<script")
	assert.Less(t, strings.Index(html, "second"), strings.Index(html, "alert(1)"), "newest first")
	assert.NotContains(t, asked(s, "GET", "/sms/?stay").Body.String(), `http-equiv="refresh"`)

	var list []map[string]string
	for path, codes := range map[string][]string{
		"/sms/messages.json": {"000001", "000000"}, "/sms/messages.json?to=%2B8613800000001": {"000001"}, "/sms/messages.json?to=13800000001": {},
	} {
		require.NoError(t, json.Unmarshal(asked(s, "GET", path).Body.Bytes(), &list))
		got := []string{}
		for _, m := range list {
			got = append(got, m["code"])
		}
		assert.Equal(t, codes, got, path)
	}
	assert.Equal(t, "[]", asked(s, "GET", "/sms/messages.json?to=1").Body.String(), "not null")
	require.NoError(t, json.Unmarshal(asked(s, "GET", "/sms/messages.json").Body.Bytes(), &list))
	assert.Equal(t, map[string]string{
		"to": "+8613800000001", "purpose": "sign_up", "code": "000001", "text": "second", "at": "2026-11-20T12:01:00Z",
	}, list[0])
}

func TestThe_page_loads_its_own_files_only_and_is_never_kept(t *testing.T) {
	s := sandbox.New(time.Now)
	policy := asked(s, "GET", "/sms/").Header().Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'")
	assert.NotContains(t, policy, "unsafe")
	for path, mediaType := range map[string]string{
		"/sms/": "text/html; charset=utf-8", "/sms/messages.json": "application/json",
		"/sms/page/page.css": "text/css; charset=utf-8", "/sms/page/icon.svg": "image/svg+xml",
	} {
		w := asked(s, "GET", path)
		assert.Equal(t, mediaType, w.Header().Get("Content-Type"), path)
		assert.NotZero(t, w.Body.Len(), path)
		for name, value := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin": "",
		} {
			assert.Equal(t, value, w.Header().Get(name), path)
		}
		assert.Equal(t, http.StatusMethodNotAllowed, asked(s, "POST", path).Code)
	}
	for _, path := range []string{"/", "/sms/page/page.html", "/sms/nothing"} {
		assert.Equal(t, http.StatusNotFound, asked(s, "GET", path).Code, path)
	}
}
