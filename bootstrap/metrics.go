package bootstrap

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plaza/adapters/wallet/wechatpay"
	"plaza/application/translation"
)

// metrics serves the counters of this process in the Prometheus format: the Go runtime,
// translations (PUB-06, PUB-07) and notifications from the wallet (PAY-10).
func (a *App) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, c := range []struct {
		name, help string
		of         func(translation.Counts) int64
	}{
		{"hits", "Requested texts that were in the cache.", func(c translation.Counts) int64 { return c.Hits }},
		{"misses", "Requested texts that were not in the cache.", func(c translation.Counts) int64 { return c.Misses }},
		{"characters", "Characters sent to the translator that were, or may have been, billed.", func(c translation.Counts) int64 { return c.Characters }},
		{"failures", "Batches that failed, and pages that timed out waiting for one.", func(c translation.Counts) int64 { return c.Failures }},
	} {
		registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "plaza_translation_" + c.name + "_total", Help: c.help},
			func() float64 { return float64(c.of(a.Translation.Counts())) },
		))
	}
	if wallet, counts := a.gateway.(*wechatpay.Gateway); counts {
		countNotifications(registry, wallet)
	}
	if a.Config.traces != nil {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "plaza_trace_spans_dropped_total", Help: "Spans that the collector did not take, or that exceeded the queue.",
		}, func() float64 { return float64(a.Config.traces.dropped.Load()) }))
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(a.Log.Handler(), slog.LevelWarn)})
}

// countNotifications registers the counters of wallet notifications by signature algorithm.
func countNotifications(registry *prometheus.Registry, wallet *wechatpay.Gateway) {
	for algorithm, of := range map[string]func(wechatpay.Notifications) int64{
		"HMAC-SHA256": func(n wechatpay.Notifications) int64 { return n.HMACSHA256 },
		"MD5":         func(n wechatpay.Notifications) int64 { return n.MD5 },
	} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "plaza_wallet_notifications_total", Help: "Wallet notifications with a valid signature, by algorithm.",
			ConstLabels: prometheus.Labels{"algorithm": algorithm},
		}, func() float64 { return float64(of(wallet.Notifications())) }))
	}
}
