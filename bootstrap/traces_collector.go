package bootstrap

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is a client of OTLP over HTTP. That of OpenTelemetry would link gRPC into the
// program, which it does not use.
type collector struct {
	url     string
	headers http.Header
	client  *http.Client
}

const (
	collectorURL     = "http://localhost:4318"
	collectorTimeout = 10 * time.Second // the default of OpenTelemetry
)

// collectorOf returns the collector that the environment names, nil if it names none, or all
// problems with the variables. Errors do not show their values: an endpoint and headers may
// have keys.
func collectorOf(getenv func(string) string) (*collector, error) {
	of := func(name string) string {
		return cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	exporter := getenv("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || exporter == "none" || exporter == "" && of("ENDPOINT") == "" {
		return nil, nil
	}
	var wrong []error
	if exporter != "" && exporter != "otlp" {
		wrong = append(wrong, fmt.Errorf("OTEL_TRACES_EXPORTER: %q is not otlp or none", exporter))
	}
	if protocol := of("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		wrong = append(wrong, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL: %q is not http/protobuf", protocol))
	}
	if compression := of("COMPRESSION"); compression != "" && compression != "none" {
		wrong = append(wrong, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION: %q is not none", compression))
	}
	c := &collector{url: getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), headers: http.Header{"Content-Type": {"application/x-protobuf"}}}
	if c.url == "" {
		c.url = strings.TrimRight(cmp.Or(getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), collectorURL), "/") + "/v1/traces"
	}
	if u, err := url.Parse(c.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		wrong = append(wrong, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not an http or https URL"))
	}
	for pair := range strings.SplitSeq(of("HEADERS"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, is := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !is || err != nil {
			wrong = append(wrong, errors.New("OTEL_EXPORTER_OTLP_HEADERS is not like name=value,name=value"))
			break
		}
		c.headers.Set(strings.TrimSpace(name), value)
	}
	timeout := collectorTimeout
	if text := of("TIMEOUT"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 60_000 {
			wrong = append(wrong, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT: %q is not a number of milliseconds from 1 to 60000", text))
		}
		timeout = time.Duration(n) * time.Millisecond
	}
	// ignores the environment's proxies
	c.client = &http.Client{Timeout: timeout, Transport: &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute}}
	return c, errors.Join(wrong...)
}

// location returns the URL for people, without what may be a key.
func (c *collector) location() string {
	u, err := url.Parse(c.url)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Start does nothing: the first batch opens the connection.
func (c *collector) Start(context.Context) error { return nil }

func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch once. The spans of a batch that fails are lost.
func (c *collector) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans}) // the same bytes as a request to export them
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("invalid URL of the collector")
	}
	req.Header = c.headers.Clone()
	res, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("collector: %w", withoutURL(err))
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("collector: status %d", res.StatusCode)
	}
	return nil
}

// withoutURL returns the cause of a client's error, which has the URL in its text.
func withoutURL(err error) error {
	if failed, is := errors.AsType[*url.Error](err); is {
		return failed.Err
	}
	return err
}

// spans returns the wrapper that gives each request to the peer a span, from the request to
// the head of the response. It returns nil if tracing is off. Spans have the path only if it
// is constant; they never have the query, headers or errors, which may have secrets.
func (t *traces) spans(peer string, isPathConstant bool) func(http.RoundTripper) http.RoundTripper {
	if t == nil {
		return nil
	}
	return func(next http.RoundTripper) http.RoundTripper {
		return spanTransport{next, t.tracer(), peer, isPathConstant}
	}
}

type spanTransport struct {
	next           http.RoundTripper
	tracer         trace.Tracer
	peer           string
	isPathConstant bool
}

func (s spanTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	name := s.peer + " " + r.Method
	if s.isPathConstant {
		name += " " + r.URL.Path
	}
	ctx, span := s.tracer.Start(r.Context(), name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Host)))
	defer func() { span.End() }() // called directly, it would add the text of a panic
	res, err := s.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		span.SetStatus(codes.Error, "no response")
		return res, err
	}
	span.SetAttributes(attribute.Int("http.response.status_code", res.StatusCode))
	if res.StatusCode >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	return res, err
}
