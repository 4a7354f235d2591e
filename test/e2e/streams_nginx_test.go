//go:build soak

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/chromium"
)

// soon is within how many milliseconds a client is told, by NTF-04.
const soon = 2000

func TestNTF04_a_page_of_another_origin_reads_the_stream_through_Nginx(t *testing.T) {
	server(t, "PLAZA_TEST_NGINX", "nginx")
	browser := chromium.Start(t)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, "testdata/stream.html")
	}))
	defer pages.Close()
	s := newSite(t, emptyDatabase(t, "SQLite"))
	key := s.open(t)
	r := s.serve(t, "--cors-origins="+pages.URL)
	p := startProxy(t, r.address(), r.address())
	tab := chromium.Open(t, browser, pages.URL)
	_, err := chromedp.Call(tab, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	require.NoError(t, err)
	opened := chromium.Evaluate[int](t, tab, fmt.Sprintf("read('https://%s/api/user/stream/', %q)", p.address, key))
	assert.Less(t, opened, soon, "the first comment line")
	chromium.Get(t, tab, chromedp.Poll[int](`came('event: unread')`))
	status, raw, err := p.caller().send(key, http.MethodPost, "/api/pay-admin/v1/order/",
		map[string]any{"user": 1, "subject": "Tea", "amount": 990, "currency": "CNY", "expires_in": 7200})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, status, "%s", raw)
	stored := time.Now().UnixMilli()
	told := chromium.Get(t, tab, chromedp.Poll[int64](`came('event: order')`)) - stored
	assert.Less(t, told, int64(soon))
	chromium.Get(t, tab, chromedp.Poll[bool](`parts.length > 1 && parts.at(-1).Text === ':\n\n'`)) // within 25 seconds
	t.Logf("the stream began after %d ms, and told of the order after %d ms", opened, told)
	assert.Equal(t, ":\n\n", chromium.Evaluate[string](t, tab, `parts[0].Text.slice(0, 3)`))
	assert.Empty(t, tab.ConsoleErrors())
}
