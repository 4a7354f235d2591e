package bootstrap

import (
	"context"
	"sync/atomic"
	"time"

	client "github.com/prometheus/client_golang/prometheus"

	"plaza/adapters/bunstore"
	"plaza/application/signin"
	"plaza/application/telemetry"
	"plaza/application/translation"
	"plaza/domain/localisation"
	"plaza/domain/payment"
	"plaza/domain/verification"
)

// registerMetrics adds what the parts of the App count by themselves to its metrics. The
// gateways are those of the configuration.
func (a *App) registerMetrics(wallets payment.Gateways, p Parts) {
	a.registerBuild()
	a.registerLogins()
	a.registerMessages()
	a.registerStreams()
	a.registerTranslation(p.Translator)
	for _, wallet := range wallets.All() {
		if wallet, counts := wallet.(notificationCounter); counts {
			for algorithm := range wallet.Notifications() {
				a.registerCounter("plaza_wallet_notifications_total", "Wallet notifications with a valid signature, by algorithm.",
					client.Labels{"algorithm": algorithm}, func() int64 { return wallet.Notifications()[algorithm] })
			}
		}
	}
	if p.traces != nil {
		a.registerCounter("plaza_trace_spans_dropped_total", "Spans that the collector did not take, or that exceeded the queue.",
			nil, p.traces.dropped.Load)
	}
	if p.lines != nil {
		a.registerCounter("plaza_log_lines_lost_total", "Lines of the log that could not be written.", nil, p.lines.lost.Load)
	}
	a.Metrics.Register(newPoolCollector(a.Database()), client.NewGaugeFunc(client.GaugeOpts{
		Name: "plaza_database_up", Help: "1 if the database answers when the metrics are read, as for /readyz.",
	}, func() float64 { return map[bool]float64{true: 1}[a.ping(context.Background()) == nil] }))
}

func (a *App) registerBuild() {
	build := ThisBuild()
	a.Metrics.Register(client.NewGaugeFunc(client.GaugeOpts{
		Name: "plaza_build_info", Help: "The build of the program, with the value 1. Empty labels are unknown.",
		ConstLabels: client.Labels{"version": build.Version, "revision": build.Commit, "goversion": build.Go},
	}, func() float64 { return 1 }))
}

// registerCounter registers a counter that something else counts.
func (a *App) registerCounter(name, help string, labels client.Labels, count func() int64) {
	a.Metrics.Register(client.NewCounterFunc(client.CounterOpts{Name: name, Help: help, ConstLabels: labels},
		func() float64 { return float64(count()) }))
}

// registerLogins registers the counters of logins (AUT-01, AUT-11).
func (a *App) registerLogins() {
	logins := &a.Signin.Logins
	for outcome, count := range map[string]*atomic.Int64{
		"succeeded": &logins.Succeeded, "wrong_password": &logins.WrongPassword, "throttled": &logins.Throttled, "invalid": &logins.Invalid,
		"failed": &logins.Failed,
	} {
		a.registerCounter("plaza_logins_total",
			"Logins by outcome: succeeded; wrong_password, also of unknown users; throttled; invalid: malformed; failed: the server did not decide.",
			client.Labels{"outcome": outcome}, count.Load)
	}
}

// registerStreams registers the metrics of streams (NTF-04).
func (a *App) registerStreams() {
	a.registerCounter("plaza_streams_cut_total", "Streams that have ended because their clients took too long.", nil, a.Streams.Cut.Load)
	a.Metrics.Register(client.NewGaugeFunc(client.GaugeOpts{Name: "plaza_streams_open", Help: "Streams that are open."},
		func() float64 { return float64(a.Streams.Count()) }), client.NewGaugeFunc(client.GaugeOpts{
		Name: "plaza_stream_lag_seconds", Help: "How long after it was made the last notification was given to its stream.",
	}, func() float64 { return a.Streams.Lag().Seconds() }))
}

// registerMessages registers the counters of messages with codes (AUT-15).
func (a *App) registerMessages() {
	outcomes := []signin.Outcome{signin.Accepted, signin.Busy, signin.Unknown, signin.Dropped}
	for _, reason := range []verification.Reason{verification.BadNumber, verification.Blocked, verification.SetUp, verification.Money} {
		outcomes = append(outcomes, signin.Refused(reason))
	}
	for _, outcome := range outcomes {
		a.registerCounter("plaza_verification_messages_total",
			"Messages with codes by outcome: accepted by the provider; refused, with the reason; busy: the provider took nothing for now; "+
				"unknown: perhaps sent; dropped: never given to the sender.",
			client.Labels{"outcome": outcome.Name, "reason": string(outcome.Reason)},
			func() int64 { return a.Signin.MessageCount(outcome) })
	}
}

// registerTranslation registers the counters of translations (PUB-06, PUB-07), and the breaker
// of a translator that has one.
func (a *App) registerTranslation(translator localisation.Translator) {
	for _, c := range []struct {
		name, help string
		of         func(translation.Counts) int64
	}{
		{"hits", "Requested texts that were in the cache.", func(c translation.Counts) int64 { return c.Hits }},
		{"misses", "Requested texts that were not in the cache.", func(c translation.Counts) int64 { return c.Misses }},
		{"characters", "Characters sent to the translator that were, or may have been, billed.",
			func(c translation.Counts) int64 { return c.Characters }},
		{"failures", "Batches that failed, and pages that timed out waiting for one.", func(c translation.Counts) int64 { return c.Failures }},
	} {
		a.registerCounter("plaza_translation_"+c.name+"_total", c.help, nil, func() int64 { return c.of(a.Translation.Counts()) })
	}
	if remote, is := translator.(interface{ BreakerOpen() bool }); is {
		a.Metrics.Register(client.NewGaugeFunc(client.GaugeOpts{
			Name: "plaza_translation_breaker_open", Help: "1 from the failure that stopped requests to the translator until one succeeds.",
		}, func() float64 { return map[bool]float64{true: 1}[remote.BreakerOpen()] }))
	}
}

// notificationCounter is a gateway that counts notifications with a valid signature by algorithm (PAY-10). The algorithms
// never change.
type notificationCounter interface{ Notifications() map[string]int64 }

// poolCollector reads the pools of the database when the metrics are read.
type poolCollector struct {
	database                   *bunstore.Store
	connections, waits, waited *client.Desc
}

func newPoolCollector(database *bunstore.Store) client.Collector {
	pool := []string{"pool"}
	return poolCollector{
		database: database,
		connections: client.NewDesc("plaza_database_connections",
			"Connections of this server to the database by pool: acquired, idle, and max, the most that may be open.", []string{"pool", "state"},
			nil),
		waits: client.NewDesc("plaza_database_connection_waits_total", "Calls that had to wait for a connection of the pool.", pool, nil),
		waited: client.NewDesc("plaza_database_connection_wait_seconds_total",
			"Time that calls have waited for a connection of the pool.", pool, nil),
	}
}

func (c poolCollector) Describe(to chan<- *client.Desc) {
	to <- c.connections
	to <- c.waits
	to <- c.waited
}

func (c poolCollector) Collect(to chan<- client.Metric) {
	for _, p := range c.database.Pools() {
		for state, n := range map[string]int{"acquired": p.Acquired, "idle": p.Idle, "max": p.Max} {
			to <- client.MustNewConstMetric(c.connections, client.GaugeValue, float64(n), p.Name, state)
		}
		to <- client.MustNewConstMetric(c.waits, client.CounterValue, float64(p.Waits), p.Name)
		to <- client.MustNewConstMetric(c.waited, client.CounterValue, p.Waited.Seconds(), p.Name)
	}
}

// Sample reads the stored state into the metrics. A server does so every 30 seconds.
func (a *App) Sample(ctx context.Context) error {
	now := a.now()
	var q telemetry.Query
	budget := a.Translation.Budget()
	if budget.Characters > 0 {
		q = telemetry.Query{Translator: budget.Translator, Day: budget.Day}
	}
	sample, err := a.Stores.Telemetry.Sample(ctx, q)
	if err != nil {
		return err
	}
	a.Metrics.SetSample(sample, budget.Characters, now)
	return a.sampleMessages(ctx, now)
}

// sampleMessages reads how much of the budget of messages is taken. Without a budget it reads nothing.
func (a *App) sampleMessages(ctx context.Context, now time.Time) error {
	budget := messageBudget(a.Config)
	if budget.Messages == 0 && len(budget.Codes) == 0 {
		return nil
	}
	taken, err := a.Stores.Codes.Taken(ctx, verification.DayOf(now))
	if err == nil {
		a.Metrics.SetMessages(budget, taken)
	}
	return err
}
