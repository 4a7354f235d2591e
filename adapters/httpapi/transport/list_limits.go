package transport

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"plaza/domain/fault"
)

// ListLimits bounds the memory and the files of large lists, over all requests of the process.
type ListLimits struct {
	// events admits lists of events. Each weighs as many as its page may have, because the
	// store reads a page as a whole.
	events *semaphore.Weighted
	most   int64
	// files holds one slot for each encoded list that does not fit into memory. filesOf are the
	// shares of callers among them.
	files   chan struct{}
	filesOf *shares
}

const (
	// eventsPerCPU is how many events lists may hold at once for each processor. An event
	// with its related data has some 200 KiB at most (EVT-21).
	eventsPerCPU = 60
	// ImagesWeight is how many events the list of all images of a user weighs: it is never in
	// memory as a whole, but each one keeps a processor and a connection busy.
	ImagesWeight = 12
	// listWait is how long a list waits for other lists.
	listWait = 2 * time.Second
	// listInMemory is how much of an encoded list is held in memory, in bytes.
	listInMemory = 256 << 10
	// listFiles is how many encoded lists may be files at once.
	listFiles = 16
	// listFilesOf is how many of them may be one caller's.
	listFilesOf = 4
)

func NewListLimits() *ListLimits {
	most := int64(eventsPerCPU * max(2, runtime.GOMAXPROCS(0)))
	return &ListLimits{
		events: semaphore.NewWeighted(most), most: most,
		files: make(chan struct{}, listFiles), filesOf: newShares(listFilesOf),
	}
}

// errListsBusy is the fault of a server that holds as many large lists as it can.
var errListsBusy = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The server is sending too many large lists. Try again soon.").
	AtLimit("large_lists")

// enter waits until a page of that many events fits. It returns what the caller must release.
func (r *ListLimits) enter(ctx context.Context, events int) (weight int64, err error) {
	weight = min(int64(events), r.most)
	if err := acquire(ctx, r.events, weight, listWait, errListsBusy); err != nil {
		return 0, err
	}
	return weight, nil
}

// acquire waits until the weight is free, and returns busy if that takes longer than wait.
func acquire(ctx context.Context, from *semaphore.Weighted, weight int64, wait time.Duration, busy error) error {
	if from.TryAcquire(weight) { // without a timer
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if from.Acquire(waiting, weight) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return busy
}

// fileOf takes a slot for a file of the caller. It fails at once if all are taken, or the caller's
// share of them. free frees the slot.
func (r *ListLimits) fileOf(c caller) (free func(), err error) {
	if !r.filesOf.take(c) {
		return nil, errListsBusy
	}
	select {
	case r.files <- struct{}{}:
		return func() { <-r.files; r.filesOf.free(c) }, nil
	default:
		r.filesOf.free(c)
		return nil, errListsBusy
	}
}
