package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"plaza/bootstrap/settings"
)

// traces sends spans to a collector with OTLP over HTTP. A nil *traces is tracing that is off.
type traces struct {
	provider *sdktrace.TracerProvider
	log      *slog.Logger
	queued   atomic.Int64 // spans that wait, and those being sent
	dropped  atomic.Int64
	warned   atomic.Int64 // when a failure was last logged, in Unix seconds
}

// Limits of the exporter.
const (
	maxQueued    = 4096 // spans that wait, and those being sent; further ones are dropped
	maxBatch     = 512
	sendEvery    = 2 * time.Second
	flushTimeout = 5 * time.Second // at the stop
	warnEvery    = time.Minute
)

// openTraces starts tracing as the OTEL_… variables of the environment say. It returns nil if
// they name no collector.
func openTraces(ctx context.Context, log *slog.Logger) (*traces, error) {
	collector, err := collectorOf(os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("%w:\n%w", settings.ErrInvalid, err)
	}
	if collector == nil {
		return nil, nil
	}
	t := &traces{log: log}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "error", err) })) // of wrong OTEL_… variables
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "plaza"),
		attribute.String("service.version", ThisBuild().String())),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := otlptrace.New(ctx, collector)
	if err != nil {
		return nil, fmt.Errorf("start exporter of traces: %w", err)
	}
	batches := sdktrace.NewBatchSpanProcessor(countingExporter{exporter, t}, sdktrace.WithMaxQueueSize(maxQueued),
		sdktrace.WithMaxExportBatchSize(maxBatch), sdktrace.WithBatchTimeout(sendEvery), sdktrace.WithExportTimeout(collector.client.Timeout))
	t.provider = sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithSpanProcessor(boundedProcessor{batches, t}))
	log.Info("sending traces", "collector", collector.location())
	return t, nil
}

// tracer returns the tracer, or nil if tracing is off.
func (t *traces) tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer("plaza")
}

// close sends the spans that wait, for flushTimeout at most.
func (t *traces) close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("the last traces were not sent", "error", err)
	}
	if dropped := t.dropped.Load(); dropped > 0 {
		t.log.Warn("traces were dropped", "spans", dropped)
	}
}

// drop counts spans that are lost, and logs why at most once in warnEvery.
func (t *traces) drop(spans int, why error) {
	t.dropped.Add(int64(spans))
	now, last := time.Now().Unix(), t.warned.Load()
	if now-last < int64(warnEvery/time.Second) || !t.warned.CompareAndSwap(last, now) {
		return
	}
	t.log.Warn("spans are dropped", "error", why)
}

var errQueueFull = errors.New("more spans wait than the collector takes")

// boundedProcessor drops spans beyond maxQueued, and counts them. The processor of the SDK
// does not tell how many it drops.
type boundedProcessor struct {
	sdktrace.SpanProcessor
	traces *traces
}

func (p boundedProcessor) OnEnd(s sdktrace.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	if p.traces.queued.Add(1) > maxQueued {
		p.traces.queued.Add(-1)
		p.traces.drop(1, errQueueFull)
		return
	}
	p.SpanProcessor.OnEnd(s)
}

// countingExporter counts the spans that the collector did not take.
type countingExporter struct {
	sdktrace.SpanExporter
	traces *traces
}

func (e countingExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	defer e.traces.queued.Add(-int64(len(spans)))
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.traces.drop(len(spans), err)
	}
	return nil // drop has logged it
}
