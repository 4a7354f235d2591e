package transport

import (
	"math"
	"runtime"
	"time"

	"plaza/application/admission"
	"plaza/domain/fault"
)

// ListLimits bounds the memory and the files of large lists, over all requests of the process.
type ListLimits struct {
	// events admits lists of events. Each weighs as many as its page may have, because the
	// store reads a page as a whole.
	events *admission.Queue
	// files has a place for each encoded list that does not fit into memory.
	files *shares
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
		events: admission.New(admission.Limits{Capacity: most, Waiting: math.MaxInt, Wait: listWait}, errListsBusy),
		files:  newShares(listFiles, listFilesOf),
	}
}

// errListsBusy is the fault of a server that holds as many large lists as it can.
var errListsBusy = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The server is sending too many large lists. Try again soon.").
	AtLimit("large_lists")

// fileOf takes a place for a file of the caller. It fails at once if all are taken, or the caller's
// share of them. free frees the place.
func (r *ListLimits) fileOf(c caller) (free func(), err error) {
	if !r.files.take(c) {
		return nil, errListsBusy
	}
	return func() { r.files.free(c) }, nil
}
