package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPAY08_v3_transcripts compares with messages that openssl has signed, and encrypted texts of
// another library. testdata/v3/README.md tells how they were made.
func TestPAY08_v3_transcripts(t *testing.T) {
	s, _ := startV3(t)
	s.ledger.Random = always(0xab)
	exchange := func(name string) {
		t.Helper()
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(golden(t, "v3/"+name+".request"))))
		require.NoError(t, err)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		assert.Equal(t, s.ledger.Now().Format(http.TimeFormat), w.Header().Get("Date"), "by the wallet's own clock; it is not signed")
		w.Header().Del("Date")
		assert.Equal(t, golden(t, "v3/"+name+".response"), fmt.Sprintln(w.Code)+sortedHeader(w.Header())+"\n"+w.Body.String())
	}
	told := func(name string, do func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		s.notifier.client.Transport = wiretap(func(r *http.Request) (*http.Response, error) {
			var got bytes.Buffer
			_, err := got.ReadFrom(r.Body)
			assert.NoError(t, err)
			assert.Equal(t, golden(t, "v3/"+name+".notification"), sortedHeader(r.Header)+"\n"+got.String())
			cancel()
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: r}, nil
		})
		do()
		require.NoError(t, s.Run(ctx))
		require.Error(t, ctx.Err(), "nothing was told")
	}
	for _, name := range []string{"01-native", "02-jsapi", "03-app", "04-h5", "05-query", "06-close"} {
		exchange(name)
	}
	told("07-payment", func() {
		_, err := s.ledger.Pay("native-1", func(t *Trade) error { t.Coupon = 90; return nil })
		require.NoError(t, err)
	})
	exchange("08-query")
	exchange("09-paid")
	exchange("10-refund")
	told("11-refund", func() { require.NoError(t, s.RefundOutcome("refund|1@*", RefundSucceeded)) })
	exchange("12-refund-query")
	exchange("13-bill")
}

// sortedHeader returns the headers as text, sorted by name.
func sortedHeader(h http.Header) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		text.WriteString(name + ": " + strings.Join(h[name], ", ") + "\n")
	}
	return text.String()
}

// TestPAY14_what_version_2_tells_of_a_refund_is_encrypted compares with what openssl has encrypted.
func TestPAY14_what_version_2_tells_of_a_refund_is_encrypted(t *testing.T) {
	assert.Equal(t, strings.TrimSpace(golden(t, "9-refund.req_info")), sealV2([]byte(golden(t, "9-refund.xml")), key))
}
