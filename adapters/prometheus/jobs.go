package prometheus

import (
	"time"

	client "github.com/prometheus/client_golang/prometheus"
)

// jobs are the metrics of what a server does in the background.
type jobs struct {
	success, duration *client.GaugeVec
	failures          *client.CounterVec
}

func newJobs() jobs {
	name := []string{"name"} // Prometheus has a label "job" of its own
	return jobs{
		success: client.NewGaugeVec(client.GaugeOpts{
			Name: "plaza_job_last_success_timestamp_seconds",
			Help: "When the background job last succeeded; before that, when the server started.",
		}, name),
		duration: client.NewGaugeVec(client.GaugeOpts{
			Name: "plaza_job_last_duration_seconds", Help: "How long the last round of the background job took, failed or not.",
		}, name),
		failures: client.NewCounterVec(client.CounterOpts{
			Name: "plaza_job_failures_total", Help: "Rounds of the background job that have failed. The next round tries again.",
		}, name),
	}
}

func (j jobs) register(registry *client.Registry) {
	registry.MustRegister(j.success, j.duration, j.failures)
}

// AddJob makes the series of the job exist, as if it had succeeded now. So an alert on the time
// of the last success also finds a job that never does.
func (m *Metrics) AddJob(name string, now time.Time) {
	m.jobs.success.WithLabelValues(name).Set(seconds(now))
	m.jobs.duration.WithLabelValues(name)
	m.jobs.failures.WithLabelValues(name)
}

// JobEnded records the end of a round of the job with its result.
func (m *Metrics) JobEnded(name string, began, ended time.Time, err error) {
	m.jobs.duration.WithLabelValues(name).Set(ended.Sub(began).Seconds())
	if err != nil {
		m.jobs.failures.WithLabelValues(name).Inc()
		return
	}
	m.jobs.success.WithLabelValues(name).Set(seconds(ended))
}

// seconds returns the instant in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
