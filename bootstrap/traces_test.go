package bootstrap

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"plaza/domain/payment"
	"plaza/test/pictures"
)

// receiver is a collector that keeps what it receives.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
	header http.Header
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		assert.NoError(t, err)
		assert.Equal(t, "POST /v1/traces", req.Method+" "+req.URL.Path)
		assert.Equal(t, "application/x-protobuf", req.Header.Get("Content-Type"))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.bodies, r.header = append(r.bodies, body), req.Header
	}))
	t.Cleanup(r.Close)
	return r
}

// spans returns the received spans, and the raw bytes that they came in.
func (r *receiver) spans(t *testing.T) (all []*otlp.Span, raw []byte) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.bodies {
		var sent otlp.TracesData
		require.NoError(t, proto.Unmarshal(body, &sent))
		for _, resource := range sent.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				all = append(all, scope.Spans...)
			}
		}
	}
	return all, bytes.Join(r.bodies, nil)
}

// withoutTraces clears the OTEL_… variables that a person may have set.
func withoutTraces(t *testing.T) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "OTEL_") {
			t.Setenv(name, "")
		}
	}
}

// tracedServer serves the demo with the sandbox wallet, and sends traces to the receiver.
func tracedServer(t *testing.T) (*serving, *receiver) {
	t.Helper()
	withoutTraces(t)
	r := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", r.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=plaza%20people")
	c := serveSettings(demoDir(t))
	c.Wallet, c.SMS = "sandbox", "sandbox"
	c.LogLevel = -4
	return startServing(t, Server{Config: c}), r
}

const (
	callersTrace  = "0af7651916cd43dd8448eb211c80319c"
	callersParent = "b7ad6b7169203331"
)

const payBody = `{"pay_method": 200, "end_type": 0, "order_id": ORDER}`

// opensOrder returns the body that pays a new order of the account.
func (s *serving) opensOrder(staff string, payer int) string {
	s.Helper()
	status, body := s.post("/api/pay-admin/v1/order/", staff, `{"user": `+strconv.Itoa(payer)+`, "subject": "Tea", "amount": 990, "currency": "CNY", "expires_in": 3600}`)
	require.Equal(s, 201, status, body)
	id := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(body)
	require.NotNil(s, id, body)
	return strings.Replace(payBody, "ORDER", id[1], 1)
}

func TestTraces_lead_from_the_caller_through_the_database_to_the_wallet(t *testing.T) {
	s, collector := tracedServer(t)
	staff, payer := s.login("+1-2025550104"), s.login("+86-13800000001")
	order := s.opensOrder(staff, 1)
	status, body := s.asks("POST", s.url+"/api/pay/order/pay/", payer, order, "traceparent", "00-"+callersTrace+"-"+callersParent+"-01")
	require.Equal(t, 200, status, body)
	s.stop()

	all, _ := collector.spans(t)
	assert.Equal(t, "plaza people", collector.header.Get("X-Team"))
	names := map[string]string{} // of spans of this trace, by their ids
	var ours []*otlp.Span
	for _, span := range all {
		if hex.EncodeToString(span.TraceId) == callersTrace {
			names[hex.EncodeToString(span.SpanId)] = span.Name
			ours = append(ours, span)
		}
	}
	names[callersParent] = "the caller"
	var edges []string
	for _, span := range ours {
		edges = append(edges, names[hex.EncodeToString(span.ParentSpanId)]+" > "+span.Name)
		assert.GreaterOrEqual(t, span.EndTimeUnixNano, span.StartTimeUnixNano)
	}
	const request = "POST /api/pay/order/pay/"
	assert.Contains(t, edges, "the caller > "+request)
	assert.Contains(t, edges, request+" > Tokens.Session")
	assert.Contains(t, edges, request+" > pay")
	assert.Contains(t, edges, "pay > Ledger.Change")
	assert.Contains(t, edges, "pay > wallet POST /pay/unifiedorder")
	assert.NotContains(t, strings.Join(edges, "\n"), "database", "every call of a port has a name")
	assert.Regexp(t, `msg=request \S+ method=POST route=/api/pay/order/pay/ .* trace_id=`+callersTrace, s.log.String())
	assert.Contains(t, s.log.String(), `msg="sending traces" collector=`+collector.URL)
}

// TestTraces_show_no_numbers_of_orders: those of version 3 of the wallet are in its paths.
func TestTraces_show_no_numbers_of_orders(t *testing.T) {
	withoutTraces(t)
	collector := newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	traces, err := openTraces(t.Context(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	c := serveSettings(t.TempDir())
	c.Wallet, c.WalletURL, c.PublicURL = "sandboxv3", "http://127.0.0.1:1", "http://127.0.0.1"
	c, err = Check(c)
	require.NoError(t, err)
	_, err = useSandboxKey(&c)
	require.NoError(t, err)
	gateways, err := newGateways(c, traces)
	require.NoError(t, err)
	_, err = gateways.Current.Query(t.Context(), payment.OfficialAccount, "hiddennumber")
	require.Error(t, err, "no wallet is there")
	traces.close()
	spans, raw := collector.spans(t)
	require.NotEmpty(t, spans)
	assert.NotContains(t, string(raw), "hiddennumber")
}

// TestSecrets_are_in_no_log_metric_or_span: a walk over the interface, with secrets wherever a
// client may put them.
func TestSecrets_are_in_no_log_metric_or_span(t *testing.T) {
	s, collector := tracedServer(t)
	const phone, password = "+86-13800000001", "plaza-demo"
	staff, key := s.login("+1-2025550104"), s.login(phone)
	secrets := []string{phone, phone[1:], phone[4:], "2025550104", password, "wrong-and-secret", staff, key, key[4:]}
	wallet, err := os.ReadFile(filepath.Join(s.dataDir, "wallet-sandbox.key"))
	require.NoError(t, err)
	walletKey := strings.TrimSpace(string(wallet))
	secrets = append(secrets, walletKey)

	api := s.url + "/api/"
	s.post("/api/auth/login/", "", `{"username": "`+phone+`", "password": "wrong-and-secret"}`)
	s.post("/api/auth/login/", "", `{"username": "`+phone+`", "password": "`+password)
	const joining = "+86-13900000009"
	secrets = append(secrets, joining[4:])
	status, body := s.post("/api/auth/code/", "", `{"username": "`+joining+`", "purpose": "sign_up"}`)
	require.Equal(t, 202, status, body)
	s.post("/api/auth/sign-up/", "", `{"username": "`+joining+`", "code": "000000", "password": "a walk around the lake",
		"firstname": "A", "lastname": "B"}`)
	s.asks("GET", api+"user/profile/?key="+key+"&phone="+phone+"&password="+password, key, "")
	s.asks("GET", api+"nowhere/"+key+"/"+password, key, "")
	s.asks("GET", api+"user/profile", key, "", "X-Request-ID", "x")
	s.asks("PATCH", api+"user/profile/"+password+"/", key, "")
	s.asks("PUT", api+"user/password/", key, `{"old_password": "wrong-and-secret", "new_password": "wrong-and-secret"}`)
	s.asks("GET", api+"user/session/", key, "")
	s.asks("POST", api+"user/user-simple-info/", key, `{"uids": [1, 2]}`)
	s.asks("GET", api+"feed/items/1/?lat=1&lng=1", key, "")
	s.asks("GET", api+"writing/bundle-data/get-publication-feed-items/", key, "", "x-language-locale", "fr")
	s.asks("GET", api+"writing-admin/v1/imported-howto/?page=1", staff, "")
	s.asks("GET", api+"pay-admin/v1/payment/", staff, "")
	status, body = s.asks("POST", api+"pay/order/pay/", key, s.opensOrder(staff, 1))
	require.Equal(t, 200, status, body)
	s.asks("POST", api+"pay/notify/wallet/", "", "<xml><sign>"+walletKey+"</sign></xml>")

	status, body = s.asks("POST", api+"xfile/event/", key, `{"title": "A walk", "content": "By the lake."}`)
	require.Equal(t, 201, status, body)
	event := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(body)[1]
	picture := base64.StdEncoding.EncodeToString(pictures.Plain(t, 40, 30))
	status, body = s.asks("POST", api+"xfile/plate/", key, `{"event": `+event+`, "photo": "`+picture+`"}`)
	require.Equal(t, 201, status, body)
	link := regexp.MustCompile(`http[^"]+/media/private/([^"?]+)\?[^"]*signature=([^"&]+)[^"]*`).FindStringSubmatch(strings.ReplaceAll(body, `\u0026`, "&"))
	require.NotNil(t, link, body)
	secrets = append(secrets, link[2])
	status, _ = s.asks("GET", link[0], "", "")
	require.Equal(t, 200, status)
	s.asks("GET", link[0]+"x", "", "")
	s.asks("DELETE", api+"xfile/event/"+event+"/", key, "")
	s.asks("POST", api+"auth/logout/", key, "")
	metrics := s.metrics()
	s.stop()

	spans, raw := collector.spans(t)
	assert.Greater(t, len(spans), 50)
	require.Contains(t, s.log.String(), "msg=request")
	for _, hidden := range secrets {
		require.Greater(t, len(hidden), 7)
		for place, text := range map[string]string{"log": s.log.String(), "metrics": metrics, "spans": string(raw)} {
			assert.False(t, strings.Contains(text, hidden), "the %s: %s", place, hidden)
		}
	}
}
