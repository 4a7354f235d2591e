package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/prometheus"
	"plaza/application/backoffice"
	"plaza/bootstrap/settings"
	"plaza/domain/secret"
)

func TestJobs_are_repeated_until_the_end(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		app := &App{Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: prometheus.New(), failing: newFailingJobs()}
		began := time.Now()
		var at []time.Duration
		left := 3 // batches of the first round
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			app.repeat(ctx, job{
				name: "j", delay: time.Second, interval: time.Minute, problem: "the job failed",
				work: func(context.Context) (bool, error) {
					at = append(at, time.Since(began))
					left--
					if left == 1 {
						return true, errors.New("away")
					}
					return left > 0, nil
				},
			})
		}()
		<-time.After(3 * time.Minute)
		stop()
		<-ended
		assert.Equal(t, []time.Duration{
			time.Second, time.Second, time.Second, time.Second + time.Minute, time.Second + 2*time.Minute,
		}, at, "batch by batch, also after one that failed, then once a minute")
		assert.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", log.String())
		assert.Contains(t, log.String(), "level=WARN msg=\"the job failed\" error=away")
	})
}

func TestOFF01_jobs_fail_until_a_round_succeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := &App{Log: slog.New(slog.DiscardHandler), Metrics: prometheus.New(), failing: newFailingJobs()}
		round := func(name string, err error) {
			app.round(t.Context(), job{name: name, work: func(context.Context) (bool, error) { return false, err }})
			<-time.After(time.Minute)
		}
		began, away := time.Now(), errors.New("away")
		round("b", away)
		round("a", away)
		round("b", away)
		assert.Equal(t, []backoffice.FailingJob{
			{Name: "a", Failures: 1, Since: began.Add(time.Minute)}, {Name: "b", Failures: 2, Since: began},
		}, app.failing.Failing())
		round("b", nil)
		assert.Len(t, app.failing.Failing(), 1)
		err := app.round(t.Context(), job{name: "c", work: func(context.Context) (bool, error) { panic("a record") }})
		assert.ErrorContains(t, err, "jobs_test.go", "where the panic was")
	})
}

func TestJobs_that_the_end_interrupts_are_neither_logged_nor_counted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		app := &App{Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: prometheus.New(), failing: newFailingJobs()}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			app.repeat(ctx, job{name: "j", interval: time.Minute, work: func(ctx context.Context) (bool, error) {
				<-ctx.Done()
				return true, ctx.Err()
			}})
		}()
		synctest.Wait()
		stop()
		<-ended
		assert.Empty(t, log.String())
		assert.Contains(t, exposedBy(t, app), `plaza_job_failures_total{name="j"} 0`)
	})
}

func TestJobs_that_fail_are_soon_tried_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		app := &App{Log: slog.New(slog.DiscardHandler), Metrics: prometheus.New(), failing: newFailingJobs()}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		rounds := 0
		app.repeat(ctx, job{name: "j", interval: 24 * time.Hour, work: func(context.Context) (bool, error) {
			rounds++
			return false, errors.New("away")
		}})
		assert.Greater(t, rounds, 5)
	})
}

func TestJobs_run_more_often_than_their_alert_waits(t *testing.T) {
	rules, err := os.ReadFile("deploy/prometheus/alerts.yml")
	require.NoError(t, err)
	assert.Regexp(t, `\{name!="search_fill"\}\)\s+> 15 \* 60\s+or\s.*\{name="search_fill"\}\)\s+> 25 \* 3600`, string(rules))
	for _, j := range (&App{}).jobs() {
		most := 15 * time.Minute
		if j.name == "search_fill" {
			most = 25 * time.Hour
		}
		assert.Less(t, j.interval, most, j.name)
	}
}

func TestPAY11_orders_are_polled_only_with_a_wallet(t *testing.T) {
	names := func(wallet string) []string {
		s := serveSettings(t.TempDir())
		s.PublicURL, s.DatabaseURL, s.Wallet, s.WalletURL = "https://plaza.example.org", settings.InMemory, wallet, "http://127.0.0.1:1"
		s.WalletKey = secret.New("0123456789abcdefghijklmnopqrstuv")
		app := newTestApp(t, s)
		var names []string
		for _, j := range app.jobs() {
			names = append(names, j.name)
		}
		return names
	}
	always, selling := names(settings.NoWallet), names(settings.SandboxWallet)
	assert.Subset(t, always, []string{"media_cleanup", "erasures_resume", "sample", "sweep"})
	for _, name := range []string{"payments_poll", "refunds_follow", "bills_reconcile"} {
		assert.NotContains(t, always, name)
		assert.Contains(t, selling, name)
	}
	guide, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, name := range selling {
		assert.Contains(t, string(guide), "`"+name+"`", "README.md lists the jobs")
	}
}
