package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"plaza/application/backoffice"
	"plaza/application/notifications"
	"plaza/application/paying"
	"plaza/application/refunding"
	"plaza/domain/media"
)

// job is work that a server repeats in the background. Each round does all that is due, batch
// by batch.
type job struct {
	name     string        // in the metrics
	delay    time.Duration // before the first round
	interval time.Duration // between two rounds
	problem  string        // what the log says of a failure
	// work does a batch and reports whether more may be due.
	work func(context.Context) (more bool, err error)
}

const (
	cleanupInterval = time.Minute
	eraseInterval   = time.Minute
	fillInterval    = 24 * time.Hour
	sampleInterval  = 30 * time.Second
	sweepInterval   = time.Minute
	retryInterval   = 5 * time.Minute // at most between a round that has failed and the next one

	reconcileInterval = 5 * time.Minute // a bill that is due is leased to one server
)

// jobs returns the jobs of a server. Several servers may run the same jobs on one database.
func (a *App) jobs() []job {
	all := []job{{
		name: "media_cleanup", interval: cleanupInterval, problem: "removing files of deleted pictures failed; will retry",
		work: func(ctx context.Context) (bool, error) {
			n, err := a.Cleanup.RemoveDue(ctx)
			return n == media.RemoveBatch, err
		},
	}, {
		name: "erasures_resume", interval: eraseInterval, problem: "resuming erasures failed; will retry",
		work: func(ctx context.Context) (bool, error) { return false, a.Privacy.ResumeErasures(ctx) },
	}, {
		name: "streams", interval: notifications.DeliverEvery, problem: "delivering to streams failed; will retry",
		work: func(ctx context.Context) (bool, error) { return false, a.Streams.Deliver(ctx) },
	}, {
		name: "search_fill", interval: fillInterval, problem: "completing the index of search failed; will retry",
		work: func(ctx context.Context) (bool, error) { return false, a.Browsing.FillIndex(ctx) },
	}, {
		name: "sample", interval: sampleInterval, problem: "sampling for metrics failed; will retry",
		work: func(ctx context.Context) (bool, error) { return false, a.Sample(ctx) },
	}, {
		name: "sweep", interval: sweepInterval, problem: "removing expired rows failed; will retry",
		work: func(ctx context.Context) (bool, error) { return a.Database().Sweep(ctx, a.now()) },
	}}
	if a.gateways.Current == nil {
		return all
	}
	poll := max(a.Config.WalletPoll/4, time.Millisecond)
	return append(all, job{
		name: "payments_poll", delay: poll, interval: poll, problem: "polling orders failed; will retry",
		work: func(ctx context.Context) (bool, error) {
			n, err := a.Paying.PollDue(ctx)
			return n == paying.PollBatch, err
		},
	}, job{
		name: "refunds_follow", delay: poll, interval: poll, problem: "following refunds failed; will retry",
		work: func(ctx context.Context) (bool, error) {
			ordered, err := a.Refunding.RefundDue(ctx)
			followed, more := a.Refunding.Follow(ctx)
			return ordered == refunding.FollowBatch || followed == refunding.FollowBatch, errors.Join(err, more)
		},
	}, job{
		name: "bills_reconcile", delay: reconcileInterval, interval: reconcileInterval, problem: "comparing bills failed; will retry",
		work: func(ctx context.Context) (bool, error) { return false, a.Reconciling.ReconcileDue(ctx) },
	})
}

// repeat runs rounds of the job until the context ends.
func (a *App) repeat(ctx context.Context, j job) {
	a.Metrics.AddJob(j.name, time.Now())
	timer := time.NewTimer(j.delay)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := j.interval
		if a.round(ctx, j) != nil {
			next = min(next, retryInterval)
		}
		timer.Reset(next)
	}
}

// round does what is due. It logs each batch that fails, goes on with the next one, and returns the last failure. A round
// that the end of the context interrupts does not count.
func (a *App) round(ctx context.Context, j job) (failure error) {
	began := time.Now()
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = j.try(ctx); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, j.problem, "error", err)
			failure = err
		}
	}
	if ctx.Err() == nil {
		ended := time.Now()
		a.Metrics.JobEnded(j.name, began, ended, failure)
		a.failing.ended(j.name, ended, failure)
	}
	return failure
}

// try does a batch. A panic fails the batch, and leaves the server to its requests.
func (j job) try(ctx context.Context) (more bool, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			more, err = false, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return j.work(ctx)
}

// failingJobs has the jobs of this server whose last round failed. It implements backoffice.Jobs.
type failingJobs struct {
	mu   sync.Mutex
	jobs map[string]backoffice.FailingJob
}

func newFailingJobs() *failingJobs { return &failingJobs{jobs: map[string]backoffice.FailingJob{}} }

// ended records the result of a round of the job.
func (f *failingJobs) ended(name string, at time.Time, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		delete(f.jobs, name)
		return
	}
	job := f.jobs[name]
	if job.Failures++; job.Failures == 1 {
		job.Name, job.Since = name, at
	}
	f.jobs[name] = job
}

func (f *failingJobs) Failing() []backoffice.FailingJob {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Values(f.jobs), func(a, b backoffice.FailingJob) int { return cmp.Compare(a.Name, b.Name) })
}
