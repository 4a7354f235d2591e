package sandbox

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// always is a source of constant nonces.
type always byte

func (a always) Read(b []byte) (int, error) {
	copy(b, bytes.Repeat([]byte{byte(a)}, len(b)))
	return len(b), nil
}

func golden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// TestPAY08_transcripts compares with messages that another program signed.
func TestPAY08_transcripts(t *testing.T) {
	s := start(t, config(newClock()))
	s.ledger.Random = always(0xab)
	exchange := func(op Operation, name string) {
		t.Helper()
		w := post(s, "/pay/"+string(op), []byte(golden(t, name+".request.xml")))
		assert.Equal(t, golden(t, name+".response.xml"), w.Body.String())
	}
	exchange(UnifiedOrder, "1-native")
	exchange(UnifiedOrder, "2-mweb")
	exchange(UnifiedOrder, "3-jsapi")
	exchange(UnifiedOrder, "4-app")
	exchange(OrderQuery, "5-query")
	exchange(CloseOrder, "6-close")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.notifier.client.Transport = wiretap(func(r *http.Request) (*http.Response, error) {
		var got bytes.Buffer
		_, err := got.ReadFrom(r.Body)
		assert.Equal(t, golden(t, "7-notification.xml"), got.String())
		cancel()
		return nil, err
	})
	_, err := s.ledger.Pay("native-1", func(t *Trade) error { t.Coupon = 90; return nil })
	require.NoError(t, err)
	require.NoError(t, s.Run(ctx))
	require.Error(t, ctx.Err(), "nothing was told")
	exchange(OrderQuery, "8-query")
}

type wiretap func(*http.Request) (*http.Response, error)

func (w wiretap) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }
