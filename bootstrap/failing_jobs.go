package bootstrap

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"plaza/application/backoffice"
)

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
