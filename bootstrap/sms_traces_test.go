package bootstrap

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// TestAUT15_spans_of_senders_show_no_message: the number and the code are in the query that Alibaba is asked with.
func TestAUT15_spans_of_senders_show_no_message(t *testing.T) {
	withoutTraces(t)
	collector := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	traces, err := openTraces(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	var asked string
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.String()
		_, _ = w.Write([]byte(`{"Code": "OK"}`))
	}))
	t.Cleanup(provider.Close)
	sender, err := NewSender(settings.Config{SMSConfig: settings.SMSConfig{
		SMS: "aliyun", SMSURL: provider.URL + "/hidden-path", SMSKeyID: "hidden-id", SMSKey: secret.New("hidden-key"),
		SMSFrom: "Plaza", SMSTemplate: "SMS_1:code",
	}}, traces)
	require.NoError(t, err)
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	require.NoError(t, sender.Send(t.Context(), verification.Message{ID: "m1", To: verification.NumberOf(phone), Code: secret.New("012345")}))
	traces.close()
	hidden := []string{"hidden-path", "13800000001", "012345", "SMS_1", "hidden-id"}
	for _, text := range hidden[:4] {
		require.Contains(t, asked, text)
	}
	spans, raw := collector.spans(t)
	require.Len(t, spans, 1)
	assert.Equal(t, "sms POST", spans[0].Name)
	for _, text := range hidden {
		assert.NotContains(t, string(raw), text)
	}
}
