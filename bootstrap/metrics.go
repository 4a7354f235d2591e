package bootstrap

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plaza/adapters/wallet/wechatpay"
	"plaza/application/reading"
)

// metrics shows what this process has counted since it started, in the format of
// Prometheus: of the runtime, of translations (PUB-06, PUB-07), and
// of notifications of the wallet (PAY-10).
func (a *App) metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, c := range []struct {
		name, help string
		of         func(reading.Counts) int64
	}{
		{"hits", "Texts that were in the cache when a page wanted them.", func(c reading.Counts) int64 { return c.Hits }},
		{"misses", "Texts that were not in the cache when a page wanted them.", func(c reading.Counts) int64 { return c.Misses }},
		{"characters", "Characters that the translator was given and had time to translate.", func(c reading.Counts) int64 { return c.Characters }},
		{"failures", "Batches that failed, and pages that went without for lack of time.", func(c reading.Counts) int64 { return c.Failures }},
	} {
		registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "plaza_translation_" + c.name + "_total", Help: c.help},
			func() float64 { return float64(c.of(a.Reading.Counts())) },
		))
	}
	if wallet, counts := a.gateway.(*wechatpay.Gateway); counts {
		countNotifications(registry, wallet)
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(a.Log.Handler(), slog.LevelWarn)})
}

// countNotifications shows how many notifications the wallet signed in which way.
func countNotifications(registry *prometheus.Registry, wallet *wechatpay.Gateway) {
	for algorithm, of := range map[string]func(wechatpay.Notifications) int64{
		"HMAC-SHA256": func(n wechatpay.Notifications) int64 { return n.HMACSHA256 },
		"MD5":         func(n wechatpay.Notifications) int64 { return n.MD5 },
	} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "plaza_wallet_notifications_total", Help: "Notifications of the wallet with a right signature, by its algorithm.",
			ConstLabels: prometheus.Labels{"algorithm": algorithm},
		}, func() float64 { return float64(of(wallet.Notifications())) }))
	}
}
